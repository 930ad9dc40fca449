#!/usr/bin/env python3
"""Prints which of the files in a folder are in memory, as a whole or not."""

import json
import subprocess
import sys

done = subprocess.run([sys.argv[1], "residency", "--json", sys.argv[2]],
                      stdout=subprocess.PIPE, check=True)
for file in json.loads(done.stdout)["files"]:
    # Single pages may leave, or come with a neighbour.
    share = file["resident"] / file["size"] if file["size"] else 1
    print(file["path"], "in" if share > 0.9 else "out" if share < 0.1
          else "half")
