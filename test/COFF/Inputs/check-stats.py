"""Checks the statistics and the trace of a cold link of N objects.

    check-stats.py stats.json trace.json N MAN-PAGE

Every field must be in the man page, which must have no other field.
"""
import json
import os
import re
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    stats = json.load(file)
with open(sys.argv[2], encoding="utf-8") as file:
    trace = json.load(file)
count = int(sys.argv[3])

promised = {
    "version", "tool", "flavour", "output", "mode", "inputs", "inputs_bytes",
    "resident_bytes_before", "unknown_bytes_before", "hinted_bytes", "hint_calls", "handed_over",
    "not_handed_over", "touched_bytes", "wasted_bytes", "budget_bytes", "jobs",
    "profile", "first_hint_ms", "last_hint_ms", "link_ms", "errors",
    "why_off", "unfinished", "short_of_memory", "waited_ms",
    "linker_read_bytes", "linker_stops", "processor_ms", "stores", "decisions"}
assert set(stats) == promised, set(stats) ^ promised
assert stats["tool"] == "lld-link" and stats["flavour"] == "coff"
assert stats["output"] == "x.exe", stats
assert stats["mode"] == "on" and stats["version"] == 1
assert stats["inputs"] == count and stats["jobs"] == 4, stats
assert stats["handed_over"] >= 0.95 * count, stats
assert stats["inputs_bytes"] > count * 400000, stats
assert stats["resident_bytes_before"] < stats["inputs_bytes"] / 20, stats
assert stats["unknown_bytes_before"] == 0, stats
# The linker needs everything in these objects, but may end before it is fetched.
least = 0 if stats["unfinished"] else 0.9 * stats["inputs_bytes"]
assert stats["hinted_bytes"] >= max(1, least), stats
assert 0 < stats["first_hint_ms"] <= stats["last_hint_ms"], stats
assert stats["errors"] == [], stats
assert stats["why_off"] is None and stats["short_of_memory"] is False, stats
assert stats["unfinished"] in (False, True) and stats["waited_ms"] >= 0, stats
# The prefetcher takes some processor time, but less than all processors have.
parts = stats["processor_ms"]
assert set(parts) == {"opening", "residency", "looking", "planning", "fetching",
                      "handing_over", "scheduling", "record"}, parts
assert all(part >= 0 for part in parts.values()), parts
assert 0 < sum(parts.values()) < os.cpu_count() * stats["link_ms"], stats
assert min(parts["opening"], parts["fetching"]) > 0, parts
for key in ("linker_read_bytes", "linker_stops"):
    assert stats[key] is None or stats[key] >= 0, stats
with open(sys.argv[4], encoding="utf-8") as file:
    fields = re.search(r"\nThe object:\n(.*?)\n\.El", file.read(), re.S)
documented = re.findall(r"^\.It Li (\w+)$", fields.group(1), re.M)
assert set(documented) == promised, set(documented) ^ promised

events = [e for e in trace["traceEvents"] if e["ph"] == "X"]
lanes = {e["tid"]: e["args"]["name"] for e in trace["traceEvents"]
         if e["name"] == "thread_name"}
prefetch = {t for t, name in lanes.items() if name.startswith("prefetch ")}
assert 1 <= len(prefetch) <= 4, lanes
assert set(lanes.values()) - {lanes[t] for t in prefetch} == {
    "linker", "linker's inputs"}, lanes
opened = sum(e["name"] == "open" and e["tid"] in prefetch for e in events)
assert opened == count or (stats["unfinished"] and opened < count), opened
assert count == sum(e["name"] == "handed over" for e in events)
fetched = [e["args"]["bytes"] for e in events if e["name"] == "fetch"]
assert all(fetched), fetched
assert sum(fetched) == stats["hinted_bytes"], (sum(fetched), stats)
assert all(e["ts"] >= 0 and e["dur"] >= 0 for e in events)
