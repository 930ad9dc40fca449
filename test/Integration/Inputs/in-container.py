#!/usr/bin/env python3
"""in-container.py [--without=DIRECTORY]... [--memory=BYTES] --write=DIRECTORY COMMAND...: runs a command
with a root that is read-only except for one directory, and with /proc, /sys or /dev
(each `--without`) empty. Its own namespaces, so nothing is left of it. 64 descriptors.
--memory: in a control group with that limit.
"""

import argparse
import contextlib
import os
import pathlib
import resource
import subprocess
import sys


def mount(*arguments):
    subprocess.run(["mount", *arguments], check=True)


def enter(arguments):
    """In the namespaces: mounts, and becomes the command."""
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


@contextlib.contextmanager
def limited(limit):
    """This process in a control group of version 1 or 2, which then goes away."""
    root = pathlib.Path("/sys/fs/cgroup")
    if (root / "memory").is_dir():
        root /= "memory"
    group = root / f"headstart-container-{os.getpid()}"
    group.mkdir()
    try:
        names = ("memory.limit_in_bytes", "memory.max")
        next(group / n for n in names if (group / n).exists()).write_text(str(limit))
        (group / "cgroup.procs").write_text(str(os.getpid()))
        yield
    finally:
        (root / "cgroup.procs").write_text(str(os.getpid()))
        group.rmdir()


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
    with limited(arguments.memory) if arguments.memory else contextlib.nullcontext():
        sys.exit(subprocess.run(command, check=False).returncode)


main()
