#!/usr/bin/env python3
"""Compares the list of `headstart inputs` with the files that lld reports as read.

Works in the current directory, which should be empty. CASES.py is a module with

    NAME       argv[0] of the linker ("ld.lld")
    prepare()  makes the files that the links need, in the current directory
    cases()    yields Case(...) objects, at least 40
    read_by(lld, arguments)
               links, and returns the paths that lld reports as read (--reproduce, ...), in its
               order, spelled as `headstart inputs` spells them

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
    arguments: list
    # path -> reason (a heading of docs/internals/Discovery.md)
    only_lld: dict = dataclasses.field(default_factory=dict)
    only_headstart: dict = dataclasses.field(default_factory=dict)
    ordered: bool = True


def listed(headstart: str, name: str, arguments) -> list:
    done = subprocess.run(shlex.split(headstart) + ["inputs", "--json", "--", name] + arguments,
                          timeout=60, capture_output=True)
    # Status 1: some inputs that the command line names do not exist.
    if done.returncode > 1:
        sys.exit(done.stderr.decode(errors="replace"))
    return [i["path"] for i in json.loads(done.stdout)["inputs"] if i["exists"]]


def problems(case: Case, ours: list, theirs: list):
    for name, paths, others, expected in (("lld", theirs, ours, case.only_lld),
                                          ("headstart", ours, theirs, case.only_headstart)):
        for path in paths:
            if path not in others and path not in expected:
                yield f"only {name} has {path}"
        for path in expected:
            if path in others or path not in paths:
                yield f"not only {name} has {path}, or neither"
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
        theirs = list(dict.fromkeys(module["read_by"](arguments.lld, case.arguments)))
        ours = list(dict.fromkeys(listed(arguments.headstart, module["NAME"], case.arguments)))
        found = list(problems(case, ours, theirs))
        # A link that reads nothing proves nothing.
        if not theirs:
            found.append("lld read nothing")
        print(f"{'different' if found else 'same'}: {case.name} ({len(theirs)} files)")
        for problem in found:
            print(f"  {problem}")
        if found:
            different += 1
            print(f"  arguments: {' '.join(case.arguments)}")
    print(f"{count} command lines, {different} different")
    return 1 if different or count < 40 else 0


if __name__ == "__main__":
    sys.exit(main())
