"""Checks traces strictly against the Trace Event Format: the fields of each kind of
event and their types, names for processes and threads, order and nesting of a thread's
events, counters, and arrows with both ends.

    check-trace.py TRACE... [--has PROCESS/THREAD/EVENT]...

--has: an event of that name must exist; an empty part matches any.
"""
import argparse
import json
import math

OWN = 1  # the number of the process
KINDS = {"X", "M", "C", "s", "f", "b", "e", "i"}


def is_number(value):
    return (isinstance(value, (int, float)) and not isinstance(value, bool)
            and math.isfinite(value))


def unique(pairs):
    """Makes an object, and checks that its keys are unique."""
    result = dict(pairs)
    assert len(result) == len(pairs), pairs
    return result


def check_fields(event):
    """Checks the fields of one event, by its kind."""
    kind = event["ph"]
    assert kind in KINDS, event
    assert isinstance(event["name"], str), event
    assert isinstance(event["pid"], int), event
    if kind != "C" and not (kind == "M"
                            and event["name"].startswith("process_")):
        assert isinstance(event["tid"], int), event
    if kind != "M":
        assert is_number(event["ts"]) and event["ts"] >= 0, event
    if kind == "X":
        assert is_number(event["dur"]) and event["dur"] >= 0, event
    if kind in "XCM":
        assert isinstance(event.get("args", {}), dict), event
    if kind == "C":
        assert event["args"], event
        assert all(is_number(v) and v >= 0 for v in event["args"].values()), event
    if kind in "sfbe":
        assert isinstance(event["id"], (int, str)), event
        assert isinstance(event["cat"], str), event
    if kind == "f":
        assert event["bp"] == "e", event
    if kind == "M":
        key = {"process_name": "name", "thread_name": "name",
               "process_sort_index": "sort_index",
               "thread_sort_index": "sort_index"}[event["name"]]
        want = str if key == "name" else int
        assert isinstance(event["args"][key], want), event


def check_lane(slices):
    """Checks that a thread's events are in order, and that each is within another or
    after it."""
    open_until = []
    last = 0
    for event in slices:
        # Times are written to the nanosecond.
        begin = round(event["ts"] * 1000)
        end = begin + round(event["dur"] * 1000)
        assert begin >= last, (event, last)
        last = begin
        while open_until and open_until[-1] <= begin:
            open_until.pop()
        # The two ends are rounded separately.
        assert not open_until or end <= open_until[-1] + 1, (event, open_until)
        open_until.append(end)


def check(path, wanted):
    with open(path, encoding="utf-8") as file:
        trace = json.load(file, object_pairs_hook=unique)
    assert trace["displayTimeUnit"] == "ms", trace["displayTimeUnit"]
    events = trace["traceEvents"]
    for event in events:
        check_fields(event)

    processes = {e["pid"]: e["args"]["name"] for e in events
                 if e["name"] == "process_name"}
    assert all(processes.values()), processes
    assert set(processes) == {OWN}, processes
    assert {e["pid"] for e in events} == set(processes)
    threads = {}
    for event in events:
        if event["name"] == "thread_name":
            assert event["tid"] not in threads, event
            threads[event["tid"]] = event["args"]["name"]
    own = list(threads.values())
    assert all(own) and len(set(own)) == len(own), own
    places = [e["args"]["sort_index"] for e in events
              if e["name"] == "thread_sort_index"]
    assert len(places) == len(own) == len(set(places)), places

    lanes, counters, arrows = {}, {}, {}
    for event in events:
        if "tid" in event:
            assert event["tid"] in threads, event
        if event["ph"] == "X":
            lanes.setdefault(event["tid"], []).append(event)
        elif event["ph"] == "C":
            counters.setdefault((event["pid"], event["name"]), []).append(event)
        elif event["ph"] in "sf":
            arrows.setdefault(event["ph"], []).append(event)
    for slices in lanes.values():
        check_lane(slices)
    for samples in counters.values():
        times = [e["ts"] for e in samples]
        assert times == sorted(times), samples
    begun = {e["id"]: e["ts"] for e in arrows.get("s", [])}
    assert len(begun) == len(arrows.get("s", []))
    for event in arrows.get("f", []):
        assert begun[event["id"]] <= event["ts"], event
        assert any(s["ts"] <= event["ts"] <= s["ts"] + s["dur"]
                   for s in lanes[event["tid"]]), event

    for one in wanted:
        process, thread, name = one.split("/")
        assert any(name in ("", e["name"])
                   and thread in ("", threads[e["tid"]] if "tid" in e else "")
                   and process in ("", processes[e["pid"]])
                   for e in events if e["ph"] != "M"), one


parser = argparse.ArgumentParser()
parser.add_argument("traces", nargs="+")
parser.add_argument("--has", action="append", default=[])
arguments = parser.parse_args()
for trace_path in arguments.traces:
    check(trace_path, arguments.has)
