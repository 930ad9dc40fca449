#!/usr/bin/env python3
"""Runs `headstart run` (or another subcommand) at its own terminal, and types there.

Prints the messages of a linker under it: whether it is in the foreground group, and
the signals that it receives.
"""

import os
import pty
import select
import signal
import sys
import time

LINKER = r"""
import os, signal, time
def say(text):  # One write: a signal handler may interrupt another print.
    os.write(1, (text + "\n").encode())
for name in ("INT", "QUIT", "HUP", "USR1", "WINCH"):
    signal.signal(getattr(signal, "SIG" + name),
                  lambda s, f, n=name: say("got " + n))
signal.signal(signal.SIGTERM, lambda s, f: (say("got TERM"), os._exit(7)))
say("group %s" % (os.getpgrp() == os.tcgetpgrp(0)))
say("ready %d" % os.getpid())
while True:
    time.sleep(0.05)
"""


class Terminal:
    def __init__(self, command):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execv(command[0], command)
        self.text = ""

    def read(self, seconds):
        """Reads the output of this many seconds."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            ready, _, _ = select.select([self.fd], [], [], 0.05)
            if ready:
                try:
                    self.text += os.read(self.fd, 65536).decode()
                except OSError:
                    return

    def wait_for(self, text):
        for _ in range(600):
            if text in self.text:
                return
            self.read(0.05)
        sys.exit(f"no '{text}' in {self.text!r}")


def main():
    terminal = Terminal(
        [sys.argv[1], *(sys.argv[2:] or ["run"]), "--", sys.executable, "-c",
         LINKER])
    terminal.wait_for("ready ")
    # The terminal signals the whole group, and Headstart must not repeat the signal.
    # The wait is longer than the grace of 0.2 s, so that a repetition would be seen.
    for key, name in ((b"\x03", "INT"), (b"\x1c", "QUIT")):
        os.write(terminal.fd, key)
        terminal.wait_for("got " + name)
        terminal.read(0.6)
    # Headstart passes on the signals that only it receives.
    for name in ("USR1", "INT", "HUP"):
        before = terminal.text.count("got " + name)
        os.kill(terminal.pid, getattr(signal, "SIG" + name))
        for _ in range(600):
            if terminal.text.count("got " + name) > before:
                break
            terminal.read(0.05)
    os.kill(terminal.pid, signal.SIGTERM)
    _, status = os.waitpid(terminal.pid, 0)
    terminal.read(0.1)
    for line in terminal.text.split("\n"):
        # ^C is the terminal's echo.
        print(line.strip().replace("^C", "").replace("^\\", ""))
    print("status", os.waitstatus_to_exitcode(status))


main()
