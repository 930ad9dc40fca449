#!/usr/bin/env python3
"""Runs `headstart residency` at terminals of several kinds, with half of the file
"half" cached and nothing of "none", and describes the strips."""

import fcntl
import mmap
import os
import pty
import re
import struct
import subprocess
import sys
import termios

PROGRAM, TREE = sys.argv[1:3]
FULL = {"blocks": "\u2588", "letters": "#"}
EMPTY = {"blocks": "\u00b7", "letters": "."}
KINDS = {"blocks": {"LC_ALL": "C.UTF-8"}, "letters": {"LC_ALL": "C"}}


def half_in_memory():
    subprocess.run([PROGRAM, "evict", TREE], check=True,
                   stdout=subprocess.DEVNULL)
    with open(f"{TREE}/half", "rb", buffering=0) as file:
        # Prevents readahead.
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_RANDOM)
        for at in range(0, os.fstat(file.fileno()).st_size // 2, mmap.PAGESIZE):
            os.pread(file.fileno(), 1, at)
    with open(f"{TREE}/two", "rb") as file:
        file.read()


def run(columns, environment):
    """Returns the output on a terminal with this number of columns."""
    pid, terminal = pty.fork()
    if pid == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ,
                    struct.pack("HHHH", 24, columns, 0, 0))
        # COLUMNS would override the terminal's width.
        kept = {key: value for key, value in os.environ.items()
                if key not in ("COLUMNS", "NO_COLOR")}
        os.execve(PROGRAM, [PROGRAM, "residency", TREE],
                  {**kept, **environment})
    text = b""
    while True:
        try:
            got = os.read(terminal, 65536)
        except OSError:
            break
        if not got:
            break
        text += got
    if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) != 0:
        sys.exit(text.decode())
    return text.decode().replace("\r", "")


def describe(text, kind):
    plain = re.sub("\033\\[[0-9;]*m", "", text)
    for line in plain.splitlines():
        # "  50%  " and the strip, the size to the right in nine columns, the path.
        found = re.match(r" *\d+%  (.*?) +([\d.]+ \w+)  \S*/(\w+)$",
                         line)
        if found:
            strip, size, name = found.groups()
            columns = line.rindex(size) + len(size) - 9 - 2 - 7
            print(f"strip {name}: {columns} columns, "
                  f"{strip.count(FULL[kind])} full, then "
                  f"{strip.count(EMPTY[kind])} empty")
        elif " cached" in line:
            strip = re.match(r" *\d+%  (\S+)  ", line).group(1)
            print(f"bar: {len(strip)} columns")
        else:
            print("what is this:", line)
    print("colours", "\033[" in text)


def main():
    half_in_memory()
    for columns, kind, others in ((80, "blocks", {"NO_COLOR": "1"}),
                                  (80, "letters", {"TERM": "dumb"}),
                                  (120, "blocks", {"TERM": "xterm"})):
        print(columns, kind)
        describe(run(columns, {"TERM": "xterm", **KINDS[kind], **others}), kind)
    piped = subprocess.run([PROGRAM, "residency", TREE],
                           stdout=subprocess.PIPE, text=True).stdout
    print("no terminal:", piped.splitlines()[0].strip())


main()
