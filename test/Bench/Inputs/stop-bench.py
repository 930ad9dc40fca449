#!/usr/bin/env python3
"""Sends SIGINT twice to a comparison that is under way, and prints what it leaves
behind:  stop-bench.py COMMAND..."""

import os
import pathlib
import signal
import subprocess
import sys
import time

before = {path: path.read_bytes() for path in pathlib.Path().iterdir()
          if path.is_file()}

# Programs that a shell has started in the background ignore SIGINT.
running = subprocess.Popen(
    sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))

# Waits until the counted links begin.
for line in running.stderr:
    if "links follow" in line:
        break
assert list(pathlib.Path().glob(".headstart-bench-*")), "no directory of its own"
# Each link adds to this file when it begins.
links = pathlib.Path("fake-links")
begun = links.stat().st_size
while links.stat().st_size == begun:
    time.sleep(0.01)
running.send_signal(signal.SIGINT)
time.sleep(0.02)
running.send_signal(signal.SIGINT)
_, messages = running.communicate(timeout=60)
print("status:", running.returncode)
print(messages)
print("directories:", list(pathlib.Path().glob(".headstart-bench-*")))
alive = [pid for pid in links.read_text().split()
         if os.path.exists(f"/proc/{pid}")]
print("linkers:", alive)
after = {path: path.read_bytes() for path in pathlib.Path().iterdir()
         if path.is_file() and not path.name.startswith("fake-")}
print("files:", "the same" if after == before else (before, after))
