"""Checks a plan against what the linker reads.

    check-plan.py HEADSTART DIRECTORY LINKER ARGS...

Evicts DIRECTORY, reads only the planned ranges, and links. Nearly all bytes that the
linker needs must then be cached (the linker itself reads at most an eighth as many as
were planned), it must touch at least four fifths of the planned bytes, and the plan
must leave out at least four tenths of the inputs. The prefetcher cannot be too late,
since the ranges are cached before the link."""

import json
import os
import subprocess
import sys

headstart, directory = sys.argv[1:3]
command = sys.argv[3:]


def run(*args):
    done = subprocess.run(args, check=True, stdout=subprocess.PIPE)
    return done.stdout


def resident():
    return json.loads(run(headstart, "residency", "--json",
                          directory))["resident_bytes"]


run(headstart, "evict", directory)
plan = json.loads(run(headstart, "plan", "--json", "--", *command))
files = {}
for part in plan["ranges"]:
    if part["path"] not in files:
        files[part["path"]] = os.open(part["path"], os.O_RDONLY)
        os.posix_fadvise(files[part["path"]], 0, 0, os.POSIX_FADV_RANDOM)
# The planner has read the parts that it needs, and the pages around them.
run(headstart, "evict", directory)
for part in plan["ranges"]:
    os.pread(files[part["path"]], part["length"], part["offset"])
planned = resident()
# One thread plans the inputs in their order, as `headstart plan` does.
subprocess.run(command + ["--prefetch-stats=stats.json", "--prefetch-jobs=1",
                          "--prefetch-profile=none"], check=True)
with open("stats.json", encoding="utf-8") as file:
    stats = json.load(file)
# If an input is fully cached, the prefetcher does not read its COMDAT names, and takes
# those of the next input for the first ones.
more = resident() - planned - stats["hinted_bytes"]
print(f"planned {planned} of {stats['inputs_bytes']}, "
      f"touched {stats['touched_bytes']}, read besides {more}")
if not (1_000_000 < planned < stats["inputs_bytes"] * 0.6
        and more <= planned * 0.125
        and stats["touched_bytes"] >= planned * 0.8):
    sys.exit(f"not what it should be: {stats}")
