#!/usr/bin/env python3
"""Reads the JSON of headstart doctor from standard input, checks its format, and prints
the checks that the arguments name, a line each: "name: status, value"."""

import json
import sys

FIELDS = ["group", "path", "name", "status", "value", "text", "costs", "do"]
NUMBERS = ("_bytes", "_ms", "_percent", "jobs", "processors", "count", "bytes",
           "files_looked_at", "files_refused", "files_told", "files_evictable")


def main():
    report = json.load(sys.stdin)
    assert list(report) == ["version", "problems", "notes", "checks"], report
    assert report["version"] == 1
    seen = set()
    for check in report["checks"]:
        assert list(check) == FIELDS, check
        key = (check["group"], check["path"], check["name"])
        assert key not in seen, key
        seen.add(key)
        assert check["status"] in ("ok", "note", "problem"), check
        for field in ("costs", "do"):
            assert (check["status"] == "ok") == (check[field] is None), check
        assert (check["group"] == "folder") == (check["path"] is not None), check
        if check["name"].endswith(NUMBERS) and check["value"] is not None:
            assert isinstance(check["value"], (int, float)), check
            assert not isinstance(check["value"], bool), check
    for status, total in (("problem", "problems"), ("note", "notes")):
        assert report[total] == sum(
            check["status"] == status for check in report["checks"]), total
    names = {check["name"] for check in report["checks"]}
    for wanted in sys.argv[1:]:
        assert wanted in names, wanted
        for check in report["checks"]:
            if check["name"] == wanted:
                print(f"{wanted}: {check['status']}, {json.dumps(check['value'])}")


main()
