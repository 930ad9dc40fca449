#!/usr/bin/env python3
"""Prints which files of a directory are cached, completely or in part."""

import json
import subprocess
import sys

done = subprocess.run([sys.argv[1], "residency", "--json", sys.argv[2]],
                      stdout=subprocess.PIPE, check=True)
for file in json.loads(done.stdout)["files"]:
    # The kernel may evict single pages, or read one with its neighbour.
    share = file["resident"] / file["size"] if file["size"] else 1
    print(file["path"], "in" if share > 0.9 else "out" if share < 0.1
          else "half")
