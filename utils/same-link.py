#!/usr/bin/env python3
"""Runs one link with the stock linker and with ours, and compares everything.

Both run under one name and in one place, since a PDB records argv[0], the command line and the
output paths. Outputs are the files that a link writes into the directory `out` of the current
directory, which the script empties before each link. It compares the names and bytes of the
outputs, standard output, standard error and the exit status.

--with has options for our linker only, in one string that is split as by a shell; each --with is
one more link to compare. The script does all of this under each --name. It prints one line per
comparison, and exits with 1 at the first difference.
"""

import argparse
import hashlib
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys


def empty(directory: pathlib.Path) -> None:
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir()


def started(program: str, name: str, runner: str) -> dict:
    """The arguments of subprocess.run that start a program under another name."""
    if not runner:
        return {"args": [name], "executable": program}
    # The runner uses the path as the name, so both programs run from one path.
    place = pathlib.Path("run")
    empty(place)
    same = place / (name + pathlib.Path(program).suffix)
    same.symlink_to(program)
    for library in pathlib.Path(program).parent.glob("*.dll"):
        (place / library.name).symlink_to(library)
    return {"args": [*shlex.split(runner), str(same)]}


def link(program: str, name: str, arguments, timeout: float = 900, runner: str = "",
         **environment: str) -> dict:
    """Links once, with additions to the environment. Returns exit status, messages and outputs."""
    out = pathlib.Path("out")
    empty(out)
    start = started(program, name, runner)
    start["args"] += arguments
    done = subprocess.run(**start, timeout=timeout, stdin=subprocess.DEVNULL, capture_output=True,
                          env={**os.environ, **environment})
    return {"exit status": str(done.returncode).encode(),
            "standard output": done.stdout, "standard error": done.stderr,
            **{str(path): path.read_bytes() for path in sorted(out.rglob("*"))
               if path.is_file()}}


def differences(expected: dict, got: dict):
    """Yields a sentence for each difference."""
    for what in sorted(set(expected) | set(got)):
        if what not in got:
            yield f"{what}: only the stock linker made it"
        elif what not in expected:
            yield f"{what}: only our linker made it"
        elif expected[what] != got[what]:
            yield describe(what, expected[what], got[what])


def describe(what: str, expected: bytes, got: bytes) -> str:
    if what.startswith(("standard", "exit")):
        return (f"{what}:\n--- stock\n{expected.decode(errors='replace')}"
                f"--- ours\n{got.decode(errors='replace')}---")
    at = len(os.path.commonprefix([expected, got]))
    return f"{what}: {len(expected)} bytes against {len(got)}, first difference at {at}"


def summary(result: dict) -> str:
    outputs = [result[what] for what in sorted(result) if not what.startswith(("standard", "exit"))]
    digest = hashlib.sha256(b"".join(outputs)).hexdigest()[:12]
    return f"status {result['exit status'].decode()}, {len(outputs)} outputs, {digest}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--stock", required=True)
    parser.add_argument("--ours", required=True)
    parser.add_argument("--name", dest="names", action="append", required=True,
                        help="argv[0] of both")
    parser.add_argument("--with", dest="variants", action="append", metavar="OPTIONS")
    parser.add_argument("--runner", metavar="COMMAND", help="a program that runs the linkers: wine")
    parser.add_argument("--version-line", action="store_true",
                        help="omit Headstart's own line of --version")
    parser.add_argument("arguments", nargs="+", metavar="ARGS")
    arguments = parser.parse_args()

    for name in arguments.names:
        expected = link(arguments.stock, name, arguments.arguments, runner=arguments.runner)
        for variant in arguments.variants or [""]:
            got = link(arguments.ours, name, shlex.split(variant) + arguments.arguments,
                       runner=arguments.runner)
            if arguments.version_line:
                got["standard output"] = re.sub(rb"^Headstart [0-9.]+ .*\n\Z", b"",
                                                got["standard output"], flags=re.M)
            found = list(differences(expected, got))
            for difference in found:
                print(f"{name}: different with '{variant}': {difference}")
            if found:
                return 1
            print(f"{name}: identical with '{variant}': {summary(got)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
