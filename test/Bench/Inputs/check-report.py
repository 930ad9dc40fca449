#!/usr/bin/env python3
"""Checks a report of `headstart bench`:

    check-report.py REPORT.json EXPRESSION...

Each expression, in Python, must hold. It may use `report`, `variant(NAME)`,
`series(NAME, STATE)` and `watched(NAME, STATE)`. The script first checks what every
report must have: consistent rounds, medians, ratios and figures of inputs.
"""

import json
import statistics
import sys

report = json.load(open(sys.argv[1], encoding="utf-8"))


def variant(name):
    return next(v for v in report["variants"] if v["name"] == name)


def series(name, state):
    return variant(name)[state]


def watched(name, state):
    return variant(name)["observed"][state]


def kept(one):
    return [r for r in one["rounds"] if r["kept"]]


def check_series(one, base, rounds, size):
    if one is None:
        assert rounds == 0
        return
    numbers = {r["number"] for r in one["rounds"]}
    assert numbers == set(range(1, rounds + 1)), numbers
    for r in one["rounds"]:
        assert r["kept"] or r["note"], r
        if r["resident_before_bytes"] is not None:
            assert r["resident_before_bytes"] <= size, r
    if not kept(one):
        assert one["median_seconds"] is None
        assert one["verdict"] in ("unknown", "base")
        return
    seconds = [r["seconds"] for r in kept(one)]
    assert abs(one["median_seconds"] - statistics.median(seconds)) < 2e-6
    assert one["min_seconds"] == min(seconds)
    assert one["max_seconds"] == max(seconds)
    if one is base:
        assert one["verdict"] == "base" and one["ratio"] is None
        return
    pairs = [r["seconds"] / b["seconds"] for r in kept(one)
             for b in kept(base) if b["number"] == r["number"]]
    if pairs:
        assert abs(one["ratio"]["median"] - statistics.median(pairs)) < 0.01
        assert one["ratio"]["low"] >= min(pairs) - 0.01
        assert one["ratio"]["high"] <= max(pairs) + 0.01
    if len(pairs) < 5:
        assert one["verdict"] == "unknown"


def check_watched(link, inputs):
    if link is None:
        return
    samples = link["samples"]
    for name, values in samples.items():
        assert values is None or len(values) == len(samples["ms"]), name
    for name in ("ms", "fetched_bytes", "major_faults", "read_bytes"):
        values = samples[name] or []
        assert values == sorted(values), name
    for name, values in (link["inputs"] or {}).items():
        if values is None:
            continue
        assert len(values) == len(inputs["files"]), name
        if name != "fetched_bytes":  # pages evicted meanwhile are fetched twice
            for value, file in zip(values, inputs["files"]):
                assert 0 <= value <= file["bytes"], (name, file)


def main():
    assert report["version"] == 1
    inputs = report["inputs"]
    assert inputs["count"] == len(inputs["files"])
    assert inputs["bytes"] == sum(f["bytes"] for f in inputs["files"])
    base = report["variants"][0]
    for one in report["variants"]:
        for state in ("cold", "warm"):
            check_series(one[state], base[state], report["rounds"][state],
                         inputs["bytes"])
            check_watched(one["observed"][state], inputs)
    names = dict(report=report, variant=variant, series=series,
                 watched=watched, kept=kept, sum=sum, len=len, all=all)
    for expression in sys.argv[2:]:
        if not eval(expression, names):  # the test's own expression
            print(f"does not hold: {expression}\n"
                  f"{json.dumps(report, indent=1)}")
            return 1
    print("holds:", len(sys.argv) - 2)
    return 0


if __name__ == "__main__":
    sys.exit(main())
