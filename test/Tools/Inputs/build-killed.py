#!/usr/bin/env python3
"""Kills a `headstart build` whose command never ends, after it has fetched."""

import os
import signal
import subprocess
import sys
import time

program, directory = sys.argv[1:]
build = subprocess.Popen(
    [program, "build", f"--directory={directory}", "--", sys.executable, "-c",
     "import os, time; print(os.getpid(), flush=True); time.sleep(1000)"],
    stdout=subprocess.PIPE, text=True)
command = int(build.stdout.readline())
subprocess.run([sys.executable, os.path.join(os.path.dirname(__file__),
                "build-step.py"), program, directory], check=True,
               stdout=subprocess.DEVNULL)
print("begun", flush=True)
build.send_signal(signal.SIGKILL)
build.wait()
for _ in range(600):
    try:
        os.kill(command, 0)
    except ProcessLookupError:
        print("the command has ended", flush=True)
        break
    time.sleep(0.05)
subprocess.run([program, "build", "--status"], check=True, stderr=subprocess.STDOUT)
