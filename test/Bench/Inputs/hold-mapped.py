#!/usr/bin/env python3
"""Runs a command while a file is mapped and its pages are in use, so that no program
can evict them:  hold-mapped.py FILE -- COMMAND..."""

import mmap
import subprocess
import sys

with open(sys.argv[1], "rb") as file:
    memory = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ,
                       flags=mmap.MAP_SHARED | mmap.MAP_POPULATE)
    memory[:]
    done = subprocess.run(sys.argv[3:])
    print("exit status:", done.returncode)
