"""Links cold, and checks the statistics: the linker itself read at most a quarter of
the bytes that it touched, and the bytes that were fetched unnecessarily (the gaps
between ranges) are at most an eighth as many.

    check-fetched.py HEADSTART DIRECTORY LINKER ARGS...

On a busy machine the linker may be faster than the prefetcher, and its readahead reads
more than it needs. The script therefore tries up to ten times."""

import json
import subprocess
import sys

headstart, directory = sys.argv[1:3]
command = sys.argv[3:] + ["--prefetch-stats=stats.json"]
for _ in range(10):
    subprocess.run([headstart, "evict", directory], check=True,
                   stdout=subprocess.DEVNULL)
    subprocess.run(command, check=True)
    with open("stats.json", encoding="utf-8") as file:
        stats = json.load(file)
    touched, wasted = stats["touched_bytes"], stats["wasted_bytes"]
    used = stats["hinted_bytes"] - wasted
    if (1_000_000 < touched < stats["inputs_bytes"] * 0.6
            and used >= touched * 0.75 and wasted <= touched * 0.125):
        break
else:
    sys.exit(f"not what it should be: {used} used, {stats}")
