#!/usr/bin/env python3
"""Runs `headstart warm` at its own terminal: with its progress, and stopped by
a Ctrl-C or a signal. Prints what the terminal shows, without the numbers.

To take long enough, the command names a directory thousands of times.
"""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time


def run(command, columns=100, after=None, stop=None):
    """Runs a command at a terminal. Returns its output and its exit status. Calls `stop`
    with the terminal and the process after `after` bytes of output."""
    pid, fd = pty.fork()
    if pid == 0:
        # Tests that run in the background ignore SIGINT.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.execv(command[0], command)
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    text = b""
    end = time.monotonic() + 120
    while time.monotonic() < end:
        if select.select([fd], [], [], 0.05)[0]:
            try:
                got = os.read(fd, 65536)
            except OSError:
                break
            if not got:
                break
            text += got
        if stop and len(text) >= after:
            stop(fd, pid)
            stop = None
    _, status = os.waitpid(pid, 0)
    return text.decode(), os.waitstatus_to_exitcode(status)


def screen(text):
    """The lines that are visible at the end, after carriage returns."""
    lines = []
    for line in text.replace("\r\n", "\n").split("\n"):
        shown = ""
        for piece in line.split("\r"):
            shown = piece + shown[len(piece):]
        lines.append(shown.rstrip())
    return [line for line in lines if line]


def main():
    program, many = sys.argv[1:3]
    command = [program, "warm", "--no-ignore"] + [many] * 40
    text, status = run(command)
    draws = [piece.rstrip() for piece in re.split(r"[\r\n]+", text)
             if "still finding" in piece or "% " in piece]
    print("drawn", bool(draws), "too wide", any(len(d) > 99 for d in draws))
    for line in screen(text):
        print("left:", re.sub(r"[0-9][0-9.,]*", "N", line))
    print("status", status)

    def interrupt(fd, _pid):
        os.write(fd, b"\x03")

    text, status = run(command + [many] * 4000, after=10, stop=interrupt)
    print("last:", re.sub(r"[0-9][0-9.,]*", "N", screen(text)[-1]))
    print("status", status)

    def terminate(_fd, pid):
        os.kill(pid, signal.SIGTERM)

    text, status = run(command + [many] * 4000, after=10, stop=terminate)
    print("last:", re.sub(r"[0-9][0-9.,]*", "N", screen(text)[-1]))
    print("status", status)

    # Progress and errors share the terminal but do not mix: the progress is removed
    # before an error is printed, which is then complete.
    os.mkdir("other")
    subprocess.run([program, "walk", "--manifest=m", many], check=True)
    text, status = run([program, "warm", "--changed-since=m"]
                       + ["other"] * 30000)
    lines = re.sub("\033\\[[0-9;]*m", "", text).split("\r\n")
    torn = [line for line in lines[:-2]
            if not line.split("\r")[-1].endswith(many + "'")
            or line.split("\r")[-1].find("headstart: error: other: ") != 0]
    print("errors", len(lines) - 2, "torn", torn[:3])

    # Without a terminal, no progress is drawn.
    done = subprocess.run([program, "warm", many], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=True)
    print("quiet", done.stderr == b"", done.stdout.count(b"\n"))


main()
