#!/usr/bin/env python3
"""Makes a tree with everything that a walk may meet, or lists it.

make-tree.py DIRECTORY          makes the tree
make-tree.py --list DIRECTORY   prints its paths as `headstart walk --hidden
                             --no-ignore --sort -0 DIRECTORY` should
"""

import os
import random
import socket
import sys


def make(root):
    rng = random.Random(5)
    directories = [root]
    os.makedirs(root)
    for number in range(60):
        parent = rng.choice(directories)
        # Names with characters around the slash, for which orders of paths differ.
        name = rng.choice([b"d", b"d.", b"d!", b"d-x", b"D", b"\xff", b"e e"])
        path = os.path.join(parent, name + b"%d" % number)
        os.mkdir(path)
        directories.append(path)
    for number in range(400):
        name = rng.choice([b"f", b".f", b"d.", b"a\nb", b"\xfe\n", b"-", b"'\""])
        path = os.path.join(rng.choice(directories), name + b"%d" % number)
        with open(path, "wb") as file:
            file.write(b"x" * rng.randrange(100))
    deep = root
    for number in range(30):
        deep = os.path.join(deep, b"deep%d" % number)
    os.makedirs(deep)
    os.symlink(b"nowhere", os.path.join(root, b"dangling"))
    os.symlink(b".", os.path.join(root, b"loop"))
    os.symlink(directories[3], os.path.join(root, b"to-directory"))
    os.mkfifo(os.path.join(root, b"fifo"))
    os.chdir(root)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(b"socket")


def listing(root):
    for parent, directories, files in os.walk(root):
        for name in directories + files:
            yield os.path.join(parent, name)


def main():
    if sys.argv[1] == "--list":
        # Sorts by components: a directory directly precedes its contents.
        for path in sorted(listing(os.fsencode(sys.argv[2])),
                           key=lambda path: path.split(b"/")):
            sys.stdout.buffer.write(path + b"\0")
    else:
        make(os.fsencode(os.path.abspath(sys.argv[1])))


main()
