#!/usr/bin/env python3
"""Checks that every relative link in the project's documents leads somewhere,
and that every path in backquotes that looks like one of ours exists."""

import pathlib
import re
import subprocess
import sys

LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
PATH = re.compile(r"`((?:lib|include|tools|test|unittests|benchmarks|utils|"
                  r"cmake|docs)/[\w./-]+)`")


def documents(root: pathlib.Path):
    done = subprocess.run(["git", "ls-files", "--cached", "--others",
                           "--exclude-standard", "*.md"],
                          cwd=root, check=True, stdout=subprocess.PIPE)
    return [root / name for name in done.stdout.decode().splitlines()]


def main() -> int:
    root = pathlib.Path(__file__).resolve().parent.parent
    found = 0
    files = documents(root)
    for document in files:
        text = document.read_text(encoding="utf-8")
        for number, line in enumerate(text.splitlines(), 1):
            wanted = [document.parent / m for m in LINK.findall(line)]
            wanted += [root / m.rstrip(".") for m in PATH.findall(line)]
            for path in wanted:
                if not path.exists():
                    print(f"{document.relative_to(root)}:{number}: "
                          f"nothing at {path.relative_to(root)}")
                    found += 1
    print(f"{len(files)} documents, {found} problems")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main())
