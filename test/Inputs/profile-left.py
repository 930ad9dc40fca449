"""Checks the statistics of the links of profile-left.test."""

import json

first, warm, next = (json.load(open(f"{name}.json")) for name in ("first", "warm", "next"))
assert first["profile"] == "recorded", first
assert warm["profile"] == "used", warm
assert warm["decisions"]["streak left"] > 200, warm
assert next["profile"] == "used", next
# The file that had changed may have been left to the linker as well.
assert next["decisions"]["scan skipped recorded"] >= 399, next
