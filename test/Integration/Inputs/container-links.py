#!/usr/bin/env python3
"""container-links.py STOCK OURS HEADSTART NAME: links the objects of the current
directory cold, with the profile of that link, warm, with a missing input, by `headstart
run`, and four times at once. Each must do what STOCK does: output, messages, exit status.
NAME is the outputs' name: containers that share a directory take different ones.
"""

import os
import pathlib
import subprocess
import sys

STOCK, OURS, HEADSTART, NAME = sys.argv[1:]
INPUTS = sorted(str(path) for path in pathlib.Path().glob("*.o"))


def start(program, output, more=(), run=()):
    # Messages begin with argv[0].
    arguments = [*run, "ld.lld" if not run else program, *INPUTS, *more, "-e", "main",
                 "--build-id", "-o", output]
    return output, subprocess.Popen(
        arguments, executable=None if run else program, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def finish(started):
    output, process = started
    messages = process.communicate()[0].decode()
    path = pathlib.Path(output)
    data = path.read_bytes() if path.exists() else None
    path.unlink(missing_ok=True)
    return process.returncode, messages, data


def check(name, expected, actual):
    if actual != expected:
        print(f"{name}: differs: status {actual[0]}: {actual[1]}")
        sys.exit(1)
    print(f"{name}: same")


def main():
    good = finish(start(STOCK, NAME))
    bad = finish(start(STOCK, NAME, ["missing.o"]))
    assert good[:2] == (0, "") and bad[0] == 1, (good[:2], bad[:2])
    for way in ("cold", "profile", "warm"):
        if way != "warm":
            subprocess.run([HEADSTART, "evict", "--summary", *INPUTS], check=True,
                           stdout=subprocess.DEVNULL)
        check(way, good, finish(start(OURS, NAME)))
    check("missing", bad, finish(start(OURS, NAME, ["missing.o"])))
    check("run", good, finish(start(STOCK, NAME, run=[HEADSTART, "run", "--"])))
    for each in [start(OURS, f"{NAME}{number}") for number in range(4)]:
        check("at once", good, finish(each))
    cache = os.path.join(os.environ["XDG_CACHE_HOME"], "headstart")
    print("profiles:", len(os.listdir(cache)) if os.path.isdir(cache) else 0)


main()
