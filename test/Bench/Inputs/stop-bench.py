#!/usr/bin/env python3
"""Sends SIGINT twice to a comparison that is under way, and prints what it leaves
behind:  stop-bench.py [--groups] COMMAND..."""

import os
import pathlib
import signal
import subprocess
import sys
import time

arguments = sys.argv[1:]
has_groups = arguments[0] == "--groups"
if has_groups:
    arguments.pop(0)
before = {path: path.read_bytes() for path in pathlib.Path().iterdir()
          if path.is_file()}

# Programs that a shell has started in the background ignore SIGINT.
running = subprocess.Popen(
    arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))


def groups():
    """The control groups of the comparison."""
    return list(pathlib.Path("/sys/fs/cgroup").glob(
        f"**/headstart-bench-{running.pid}"))


# Waits until the counted links begin.
for line in running.stderr:
    if "links follow" in line:
        break
assert list(pathlib.Path().glob(".headstart-bench-*")), "no directory of its own"
assert bool(groups()) == has_groups, groups()
# Each link adds to this file when it begins.
joined = pathlib.Path("fake-groups")
begun = joined.stat().st_size
while joined.stat().st_size == begun:
    time.sleep(0.01)
member = joined.read_text(encoding="ascii")
print("member:", f"/headstart-bench-{running.pid}\n" in member)
running.send_signal(signal.SIGINT)
time.sleep(0.02)
running.send_signal(signal.SIGINT)
_, messages = running.communicate(timeout=60)
print("status:", running.returncode)
print(messages)
print("groups:", groups())
print("directories:", list(pathlib.Path().glob(".headstart-bench-*")))
links = pathlib.Path("fake-links")
alive = [pid for pid in links.read_text().split()
         if os.path.exists(f"/proc/{pid}")] if links.exists() else []
print("linkers:", alive)
after = {path: path.read_bytes() for path in pathlib.Path().iterdir()
         if path.is_file() and not path.name.startswith("fake-")}
print("files:", "the same" if after == before else (before, after))
