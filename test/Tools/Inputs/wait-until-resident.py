#!/usr/bin/env python3
"""A linker that reads nothing: it waits until files are cached.

It ignores its arguments: NEEDED in the environment names the files, and
HEADSTART_PROGRAM the tool that reports their residency. LEAST is the number of
cached bytes that suffices, by default nine tenths (the kernel may evict single
pages); the linker then waits for LINGER seconds. It ends with status 0, or
becomes the program that REAL_LINKER names, with its own arguments; after a
timeout it ends with status 9.
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
