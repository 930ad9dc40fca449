"""Checks the statistics and the trace of a cold link of N objects."""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    stats = json.load(file)
with open(sys.argv[2], encoding="utf-8") as file:
    trace = json.load(file)
count = int(sys.argv[3])

promised = {
    "version", "tool", "flavour", "mode", "inputs", "inputs_bytes",
    "resident_bytes_before", "hinted_bytes", "hint_calls", "handed_over",
    "not_handed_over", "touched_bytes", "wasted_bytes", "budget_bytes", "jobs",
    "profile", "first_hint_ms", "last_hint_ms", "link_ms", "errors"}
assert set(stats) == promised, set(stats) ^ promised
assert stats["tool"] == "lld-link" and stats["flavour"] == "coff"
assert stats["mode"] == "on" and stats["version"] == 1
assert stats["inputs"] == count and stats["jobs"] == 4, stats
assert stats["handed_over"] >= 0.95 * count, stats
assert stats["inputs_bytes"] > count * 400000, stats
assert stats["resident_bytes_before"] < stats["inputs_bytes"] / 20, stats
# Everything in these objects is needed.
assert stats["hinted_bytes"] >= 0.9 * stats["inputs_bytes"], stats
assert 0 < stats["first_hint_ms"] <= stats["last_hint_ms"], stats
assert stats["errors"] == [], stats

events = [e for e in trace["traceEvents"] if e["ph"] == "X"]
lanes = [e for e in trace["traceEvents"]
         if e["ph"] == "M" and e["args"]["name"] != "linker"]
assert 1 <= len(lanes) <= 4, lanes
assert sum(e["name"] == "open" for e in events) == count
fetched = sum(e["args"]["bytes"] for e in events if e["name"] == "fetch")
assert fetched >= 0.9 * stats["hinted_bytes"], (fetched, stats)
assert all(e["ts"] >= 0 and e["dur"] >= 0 for e in events)
