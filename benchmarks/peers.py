"""The programs that Headstart is compared with. The first use installs them, into the
directory of the corpora or as Debian packages.

A program that is not available is still a row of the table, with the reason.
"""

import dataclasses
import functools
import os
import pathlib
import re
import shutil
import subprocess

import harness
from harness import say

# The versions that cargo installs and that the figures name.
CRATES = {"fd": "fd-find@10.5.0", "rg": "ripgrep@15.2.0", "wild": "wild-linker@0.10.0"}
DEBIAN = {"bfs": "bfs", "find": "findutils", "git": "git", "mold": "mold"}
# The short form uses what is installed.
INSTALL = True
NOT_INSTALLED = "not installed, and the short form installs nothing"


@dataclasses.dataclass
class Peer:
    """A program, or the reason why it is missing."""
    program: str
    version: str = ""
    missing: str = ""


def attempt(command: str) -> str:
    """Runs a step of an installation. Returns its error message or an empty string."""
    say("   " + command)
    done = subprocess.run(command, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace")
    lines = done.stdout.strip().splitlines() or ["no message"]
    return lines[-1].strip() if done.returncode else ""


def version_of(program: str) -> str:
    """The first line of --version, without parentheses."""
    done = subprocess.run([program, "--version"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    line = done.stdout.decode(errors="replace").split("\n")[0]
    return re.sub(r" \(.*?\)", "", line)


@functools.cache
def find(name: str) -> Peer:
    """Finds the named program, and installs it if necessary."""
    if name in CRATES:
        root = harness.corpus_folder("peers")
        program, version = str(root / "bin" / name), CRATES[name].split("@")[1]
        install = f"cargo install --quiet --locked --root '{root}' {CRATES[name]}"
    else:
        program, version = name, ""
        install = ("apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y "
                   f"--no-install-recommends {DEBIAN[name]}")
    if not shutil.which(program) or version not in version_of(program):
        if not INSTALL:
            return Peer(name, missing=f"{name}: {NOT_INSTALLED}")
        if problem := attempt(install):
            return Peer(name, missing=f"{name}: {problem}")
    return Peer(program, version_of(program))


def environment(scratch: pathlib.Path) -> dict[str, str]:
    """The environment of all programs, without settings of the user, so that all have
    the same ignore rules."""
    kept = {key: value for key, value in os.environ.items()
            if not key.startswith(("GIT_", "FD_", "RIPGREP_", "XDG_", "HEADSTART_"))}
    return {**kept, "HOME": str(scratch), "LC_ALL": "C",
            "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
