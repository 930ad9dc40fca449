#!/usr/bin/env python3
"""Checks a list of commands that each failed with one error before it."""

import sys

lines = open(sys.argv[1]).read().split("\n")[:-1]
assert len(lines) > 10 and len(lines) % 2 == 0, lines
for error, status in zip(lines[::2], lines[1::2]):
    assert error == sys.argv[2] and status.endswith(": 1"), (error, status)
