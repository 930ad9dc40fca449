#!/usr/bin/env python3
"""Compares the list of `headstart inputs` with the files that lld reports as read.

Works in the current directory, which should be empty. CASES.py is a module with

    NAME       argv[0] of the linker ("ld.lld")
    prepare()  makes the files that the links need, in the current directory
    cases()    yields Case(...) objects, at least 40
    read_by(lld, words)
               links, and returns the paths that lld reports as read, in its order
               (from --reproduce, --dependency-file, ...), spelled as
               `headstart inputs` spells them

Each case may name paths that only one side lists, with the reason; the difference must then exist.
Prints one line for each case. The exit status is 1 if a case differs or there are fewer than 40.
"""

import argparse
import dataclasses
import json
import runpy
import shlex
import subprocess
import sys


@dataclasses.dataclass
class Case:
    name: str
    words: list
    # path -> reason (a heading of docs/internals/Discovery.md)
    only_lld: dict = dataclasses.field(default_factory=dict)
    only_headstart: dict = dataclasses.field(default_factory=dict)
    ordered: bool = True


def listed(headstart: str, name: str, words) -> list:
    """The existing inputs, as `headstart inputs` lists them."""
    done = subprocess.run(shlex.split(headstart) + ["inputs", "--json", "--", name] + words,
                          timeout=60, capture_output=True)
    # Status 1: some inputs that the command line names do not exist.
    if done.returncode > 1:
        sys.exit(done.stderr.decode(errors="replace"))
    return [i["path"] for i in json.loads(done.stdout)["inputs"] if i["exists"]]


def problems(case: Case, ours: list, theirs: list):
    for path in theirs:
        if path not in ours and path not in case.only_lld:
            yield f"lld reads it, we do not list it: {path}"
    for path in ours:
        if path not in theirs and path not in case.only_headstart:
            yield f"we list it, lld does not read it: {path}"
    for path in case.only_lld:
        if path in ours or path not in theirs:
            yield f"expected to be lld's alone: {path}"
    for path in case.only_headstart:
        if path in theirs or path not in ours:
            yield f"expected to be ours alone: {path}"
    both_ours = [p for p in ours if p in theirs]
    both_theirs = [p for p in theirs if p in ours]
    if case.ordered and both_ours != both_theirs:
        yield f"another order:\n    lld  {both_theirs}\n    ours {both_ours}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--headstart", required=True)
    parser.add_argument("--lld", required=True)
    parser.add_argument("--cases", required=True)
    arguments = parser.parse_args()
    module = runpy.run_path(arguments.cases, {"Case": Case})
    module["prepare"]()
    count, different = 0, 0
    for case in module["cases"]():
        count += 1
        theirs = list(dict.fromkeys(module["read_by"](arguments.lld, case.words)))
        ours = list(dict.fromkeys(listed(arguments.headstart, module["NAME"], case.words)))
        found = list(problems(case, ours, theirs))
        # A link that reads nothing proves nothing.
        if not theirs:
            found.append("lld read nothing")
        print(f"{'different' if found else 'same'}: {case.name} ({len(theirs)} files)")
        for problem in found:
            print(f"  {problem}")
        if found:
            different += 1
            print(f"  words: {' '.join(case.words)}")
    print(f"{count} command lines, {different} different")
    return 1 if different or count < 40 else 0


if __name__ == "__main__":
    sys.exit(main())
