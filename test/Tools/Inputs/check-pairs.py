#!/usr/bin/env python3
"""Checks pairs of lines: an error, and then a command that failed with status 1."""

import sys

lines = open(sys.argv[1]).read().split("\n")[:-1]
assert len(lines) > 10 and len(lines) % 2 == 0, lines
for error, status in zip(lines[::2], lines[1::2]):
    assert error == sys.argv[2] and status.endswith(": 1"), (error, status)
