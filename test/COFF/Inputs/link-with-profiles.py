"""Links with each of several files that are no profiles, and checks that the link
succeeds and the statistics report the problem.

Usage: link-with-profiles.py LLD-LINK PROFILE..."""
import json
import subprocess
import sys

program, *profiles = sys.argv[1:]
for profile in profiles:
    subprocess.run(
        [program, "/entry:main", "/subsystem:console", "/nodefaultlib",
         "/Brepro", "/out:x.exe", f"--prefetch-profile={profile}",
         "--prefetch-stats=stats.json", "@objects.rsp"],
        check=True, timeout=60)
    with open("stats.json", encoding="utf-8") as file:
        stats = json.load(file)
    assert stats["profile"] == "stale", (profile, stats)
    assert any(f"'{profile}'" in e["message"]
               for e in stats["errors"]), (profile, stats)
