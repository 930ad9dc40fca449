"""Checks that lld's time trace equals stock lld's of the same link, except for times, threads
and the program's path.

    check-time-trace.py lld.json stock.json
"""
import json
import os
import sys


def shape(path):
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
    with open(path, encoding="utf-8") as file:
        text = file.read()
    assert "\n" not in text
    trace = json.loads(text)
    assert trace["traceEvents"]
    return set(trace), sorted(map(of, trace["traceEvents"]))


lld, stock = map(shape, sys.argv[1:])
assert lld == stock, (lld, stock)
