"""Prints which linker of ours wrote statistics, and removes them: is-ours.py FILE"""
import json
import os
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    stats = json.load(file)
os.remove(sys.argv[1])
print("ours:", stats["tool"], "mode", stats["mode"], "inputs",
      "many" if stats["inputs"] > 3 else stats["inputs"])
