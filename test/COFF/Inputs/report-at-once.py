"""report-at-once.py LINKER ARGS...: 40 links write one report, four at a time; each time it is
JSON."""
import json
import os
import subprocess
import sys

for _ in range(10):
    links = [subprocess.Popen([*sys.argv[1:], f"/out:at-once/{number}.exe",
                               "/prefetch-stats:at-once/stats.json"]) for number in range(4)]
    assert not any([link.wait() for link in links])
    with open("at-once/stats.json", encoding="utf-8") as report:
        json.load(report)
    assert sorted(os.listdir("at-once"))[4:] == ["stats.json"], os.listdir("at-once")
