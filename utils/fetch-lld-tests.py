#!/usr/bin/env python3
"""Fetches lld's own tests, and the lit that they were written for, once.

    fetch-lld-tests.py DIRECTORY

They are lld 19's, from Debian's source package llvm-toolchain-19: 164 MB, of which the script keeps
20. It uses the mirrors and keys of the machine's own apt, and does not change apt's state. If the
tests are not available, the exit status is 77 and one line has the reason.
"""

import contextlib
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import time

from common import skip

PACKAGE = "llvm-toolchain-19"
# DIRECTORY has them without the first two directories: test, utils/lit.
WANTED = ("lld/test", "llvm/utils/lit/lit", "llvm/utils/lit/lit.py")
UNWANTED = ("lld/test/Unit", "lld/test/wasm")


def deb_src(path: pathlib.Path) -> str:
    """One of the machine's lists of sources, changed to source packages."""
    text = path.read_text()
    if path.suffix == ".sources":
        return re.sub(r"(?mi)^Types:.*$", "Types: deb-src", text)
    return re.sub(r"(?m)^\s*deb(-src)?(?=\s)", "deb-src", text)


def private_apt(directory: pathlib.Path) -> list:
    """An apt-get command with the machine's mirrors and keys, and its own state."""
    found = subprocess.check_output(["apt-config", "shell", "file", "Dir::Etc::sourcelist/f",
                                     "parts", "Dir::Etc::sourceparts/d"], text=True)
    places = dict(setting.split("=", 1) for setting in shlex.split(found))
    for name in ("sources", "lists", "cache"):
        (directory / name).mkdir()
    for path in [pathlib.Path(places["file"]), *pathlib.Path(places["parts"]).glob("*")]:
        if path.suffix in (".list", ".sources") and path.is_file():
            (directory / "sources" / path.name).write_text(deb_src(path))
    return ["apt-get", "-q", "-o", "Dir::Etc::sourcelist=/dev/null",
            "-o", f"Dir::Etc::sourceparts={directory / 'sources'}",
            "-o", f"Dir::State::lists={directory / 'lists'}",
            "-o", f"Dir::Cache={directory / 'cache'}",
            "-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=20"]


def run(command: list, directory: pathlib.Path) -> None:
    subprocess.run(command, cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                   text=True, check=True)


def fetch(work: pathlib.Path, directory: pathlib.Path) -> None:
    """Fetches the tests through `work`, an empty directory."""
    apt = private_apt(work)
    # Other sources than the distribution's may have no source packages.
    with contextlib.suppress(subprocess.CalledProcessError):
        run(apt + ["update"], work)
    run(apt + ["source", "--download-only", "--tar-only", PACKAGE], work)
    tarball = next(work.glob(f"{PACKAGE}_*.orig.tar.*")).name
    run(["tar", "-xf", tarball, "--no-same-owner", "--strip-components=2", "--wildcards",
         "--no-wildcards-match-slash", *(f"--exclude={PACKAGE}_*/{name}" for name in UNWANTED),
         *(f"{PACKAGE}_*/{name}" for name in WANTED)], work)
    for name in ("test", "utils"):
        shutil.rmtree(directory / name, ignore_errors=True)
        (work / name).rename(directory / name)
    version = tarball.split("_")[1].split(".orig")[0]
    (directory / "version").write_text(version + "\n")


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    directory = pathlib.Path(sys.argv[1]).resolve()
    if (directory / "version").exists():
        return 0
    start = time.monotonic()
    work = directory / "fetching"
    shutil.rmtree(work, ignore_errors=True)
    try:
        work.mkdir(parents=True)
        fetch(work, directory)
    except (OSError, subprocess.CalledProcessError, StopIteration, KeyError) as error:
        output = (getattr(error, "stdout", None) or "").strip() or repr(error)
        skip(f"lld's tests cannot be fetched: {output.splitlines()[-1]}")
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print(f"fetched {PACKAGE} in {time.monotonic() - start:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
