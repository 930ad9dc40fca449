"""Checks the answers of Perfetto's trace processor about the trace of a cold link.

    check-perfetto.py answers.json stats.json INPUTS

The answers are those to the queries of perfetto.test, a line each.
"""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    complaints, slices, counters, arrows = map(json.loads, file)
with open(sys.argv[2], encoding="utf-8") as file:
    stats = json.load(file)
count = int(sys.argv[3])

assert complaints == [], complaints
assert {s["process"] for s in slices} == {"lld-link and its prefetcher"}
lanes = {s["thread"] for s in slices}
assert {"linker", "linker's inputs"} < lanes, lanes
assert lanes <= {"linker", "linker's inputs"} | {
    "prefetch %d" % i for i in range(4)}, lanes
fetched = [s for s in slices if s["name"] == "fetch"]
assert sum(s["bytes"] for s in fetched) == stats["hinted_bytes"], stats
paths = {s["path"] for s in fetched}
assert len(paths) == count or (stats["unfinished"] and paths), paths
given = [s for s in slices if s["name"] == "handed over"]
assert len(given) == stats["handed_over"] == count, stats

most = {c["name"]: c["most"] for c in counters}
assert set(most) == {"fetched bytes", "fetched ahead bytes", "budget bytes",
                     "found in memory bytes"}, most
assert most["fetched bytes"] == stats["hinted_bytes"], (most, stats)
assert most["found in memory bytes"] == stats["resident_bytes_before"], most
assert 0 < most["fetched ahead bytes"] <= most["budget bytes"], most
assert most["budget bytes"] == stats["budget_bytes"], (most, stats)

assert arrows, "no input was opened ahead"
for arrow in arrows:
    assert arrow["from"] == "open" and arrow["opened"], arrow
    # If the linker waited, the arrow ends at the wait.
    assert ((arrow["to"] == "handed over" and arrow["opened"] == arrow["taken"])
            or arrow["to"] == "wait until it is open"), arrow
