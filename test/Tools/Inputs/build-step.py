#!/usr/bin/env python3
"""A step of a build that ends when `headstart build` has fetched all that it can.

    build-step.py HEADSTART DIRECTORY [--json | --during COMMAND]

Prints the links in DIRECTORY that the status then shows, in their order. Runs COMMAND
as soon as a link is known; the fetch must not have ended by then.
"""

import json
import os
import subprocess
import sys
import time

program, directory = sys.argv[1:3]
during = sys.argv[4] if "--during" in sys.argv else None
for _ in range(1200):
    text = subprocess.run([program, "build", "--status", "--json"], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    for build in json.loads(text)["builds"]:
        if os.path.realpath(build["directory"]) != os.path.realpath(directory):
            continue
        if during and build["links"]:
            if build["state"] == "done":
                sys.exit("the fetch has ended")
            subprocess.run(during, shell=True, check=True)
            during = None
            break  # the status is from before
        if build["state"] != "done":
            continue
        if "--json" in sys.argv:
            print(text)
            sys.exit(0)
        print(f"by {build['command'].split()[0].split('/')[-1]}")
        for link in build["links"]:
            print(f"{os.path.basename(link['output'])}: {link['state']}, "
                  f"{link['fetched_bytes'] // 1000000} MB, {link['changed_files']} changed",
                  flush=True)
        sys.exit(0)
    time.sleep(0.05)
sys.exit(9)
