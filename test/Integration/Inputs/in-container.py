#!/usr/bin/env python3
"""in-container.py [--without=DIRECTORY]... [--memory=BYTES] --write=DIRECTORY COMMAND...:
runs a command with a root that is read-only except for one directory, with /proc, /sys or
/dev (each `--without`) empty, and in a control group with that limit of memory. The
command has its own namespaces, so that nothing remains of it, and 64 descriptors.
"""

import argparse
import os
import pathlib
import resource
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "utils"))
# pylint: disable=wrong-import-position
import groups


def mount(*arguments):
    subprocess.run(["mount", *arguments], check=True)


def enter(arguments):
    """Mounts in the namespaces, and becomes the command."""
    writable = os.path.realpath(arguments.write)
    mount("--make-rprivate", "/")
    mount("--bind", writable, writable)
    with open("/proc/self/mounts", encoding="utf-8") as mounts:
        places = [line.split()[1] for line in mounts]
    for place in places:
        if place not in ("/", writable):
            subprocess.run(["mount", "-o", "remount,bind,ro", place], check=False,
                           stderr=subprocess.DEVNULL)
    mount("-o", "remount,bind,ro", "/")
    for path in arguments.without:
        mount("-t", "tmpfs", "-o", "ro", "none", path)
    os.chdir(writable)
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    os.execvp(arguments.command[0], arguments.command)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--without", action="append", default=[])
    parser.add_argument("--memory", type=int)
    parser.add_argument("--write", required=True)
    parser.add_argument("--inside", action="store_true")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    if arguments.inside:
        enter(arguments)
    command = ["unshare", "-rm", sys.executable, __file__, "--inside", *sys.argv[1:]]
    if not arguments.memory:
        os.execvp(command[0], command)
    parent, limit, _ = groups.memory_files()
    with groups.made(parent, "test", {limit: str(arguments.memory)}) as group:
        done = subprocess.run(command, check=False, preexec_fn=lambda: groups.enter(group))
    sys.exit(done.returncode)


main()
