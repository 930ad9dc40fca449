"""Checks that a trace of ours has the events of the time trace that lld has written.
With stock lld's trace of the same link, also checks that lld's file equals it except
for times, threads and the program's path.

    check-time-trace.py ours.json lld.json [stock.json]
"""
import json
import os
import sys


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


ours, lld = load(sys.argv[1]), load(sys.argv[2])
theirs = [e for e in lld["traceEvents"] if e["ph"] != "M"
          and not ("avg ms" in e.get("args", {})
                   and e["name"].startswith("Total "))]
merged = [e for e in ours["traceEvents"] if e["pid"] == 2 and e["ph"] != "M"]
assert theirs and len(merged) == len(theirs), (merged, theirs)

# All events have one shift, and nothing else changed.
shift = merged[0]["ts"] - theirs[0]["ts"]
assert shift > 0, shift
threads = {}
for mine, event in zip(merged, theirs):
    assert threads.setdefault(event["tid"], mine["tid"]) == mine["tid"]
    changed = dict(event, pid=2, tid=mine["tid"], ts=event["ts"] + shift)
    assert mine == changed, (mine, changed)
assert len(set(threads.values())) == len(threads), threads


def shape(trace):
    """Everything that is not a time, in no order: of two events that end together, either
    may begin first, and sums are sorted by time."""
    def of(event):
        event = {k: v for k, v in event.items()
                 if k not in ("ts", "dur", "pid", "tid")}
        event["args"] = dict(event.get("args", {}))
        event["args"].pop("avg ms", None)
        if event["name"] == "process_name":
            event["args"]["name"] = os.path.basename(event["args"]["name"])
        return json.dumps(event, sort_keys=True)
    return set(trace), sorted(map(of, trace["traceEvents"]))


if len(sys.argv) > 3:
    stock = load(sys.argv[3])
    assert shape(lld) == shape(stock), (shape(lld), shape(stock))
    with open(sys.argv[2], "rb") as a, open(sys.argv[3], "rb") as b:
        assert b"\n" not in a.read() + b.read()
