#!/usr/bin/env python3
"""A linker that reads nothing: waits until files are in memory.

Whatever its command line says: NEEDED in the environment names the files, and
HEADSTART_PROGRAM the tool that tells. So many bytes of them as LEAST says are
enough, by default nine tenths (the system may take single pages away again);
then it lives on for LINGER seconds. Ends with 0 when they are there, or becomes
the program that REAL_LINKER names, with its own arguments; with 9 when that
takes too long.
"""

import json
import os
import subprocess
import sys
import time


def resident(path):
    done = subprocess.run(
        [os.environ["HEADSTART_PROGRAM"], "residency", "--json", path],
        stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)["resident_bytes"]


def main():
    files = os.environ["NEEDED"].split()
    least = int(os.environ.get(
        "LEAST", sum(map(os.path.getsize, files)) * 9 // 10))
    for _ in range(1200):
        if sum(resident(path) for path in files) >= least:
            time.sleep(float(os.environ.get("LINGER", "0")))
            real = os.environ.get("REAL_LINKER")
            if real:
                os.execv(real, [real] + sys.argv[1:])
            return 0
        time.sleep(0.05)
    return 9


sys.exit(main())
