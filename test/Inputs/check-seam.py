"""Checks that a link reached its session: every input was handed over, and the trace
has the linker's stages.

    check-seam.py stats.json trace.json INPUTS STAGE...
"""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    stats = json.load(file)
with open(sys.argv[2], encoding="utf-8") as file:
    events = json.load(file)["traceEvents"]
count = int(sys.argv[3])

assert stats["inputs"] == count, stats
assert stats["handed_over"] == count, stats
assert stats["not_handed_over"] == 0, stats
lane = [e["tid"] for e in events
        if e["name"] == "thread_name" and e["args"]["name"] == "linker"]
assert len(lane) == 1, lane
stages = [e["name"] for e in events if e["ph"] == "X" and e["tid"] == lane[0]]
assert stages == sys.argv[4:], stages
