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
from machine import say

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


def last_line(text: bytes) -> str:
    lines = text.decode(errors="replace").strip().splitlines()
    return lines[-1].strip() if lines else "no message"


def attempt(command: list[str], **keywords) -> str:
    """Runs a step of an installation. Returns its error message or an empty string."""
    say("   " + " ".join(command))
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **keywords)
    except OSError as error:
        return str(error)
    return last_line(done.stdout) if done.returncode else ""


def version_of(program: str) -> str:
    """The first line of --version, without parentheses."""
    done = subprocess.run([program, "--version"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    line = done.stdout.decode(errors="replace").split("\n")[0]
    return re.sub(r" \(.*?\)", "", line)


def from_cargo(name: str) -> Peer:
    root = harness.corpus_folder("peers")
    program = root / "bin" / name
    problem = ""
    crate, version = CRATES[name].split("@")
    if not program.exists() or version not in version_of(str(program)):
        if not INSTALL:
            return Peer(name, missing=f"{name}: {NOT_INSTALLED}")
        problem = attempt(["cargo", "install", "--quiet", "--locked", "--root",
                           str(root), CRATES[name]])
    if problem:
        return Peer(name, missing=f"cargo install {crate}: {problem}")
    return Peer(str(program), version_of(str(program)))


def from_debian(name: str) -> Peer:
    package = DEBIAN[name]
    if not shutil.which(name):
        if not INSTALL:
            return Peer(name, missing=f"{name}: {NOT_INSTALLED}")
        if os.geteuid() != 0 or not shutil.which("apt-get"):
            return Peer(name, missing=f"apt-get install {package} needs root")
        attempt(["apt-get", "update", "-qq"])
        problem = attempt(["apt-get", "install", "-qq", "-y", "--no-install-recommends", package],
                          env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
        if problem:
            return Peer(name, missing=f"apt-get install {package}: {problem}")
    return Peer(name, version_of(name))


@functools.cache
def find(name: str) -> Peer:
    """Finds the named program, and installs it if necessary."""
    return from_cargo(name) if name in CRATES else from_debian(name)


def environment(scratch: pathlib.Path) -> dict[str, str]:
    """The environment of all programs, without settings of the user, so that all have
    the same ignore rules."""
    kept = {key: value for key, value in os.environ.items()
            if not key.startswith(("GIT_", "FD_", "RIPGREP_", "XDG_", "HEADSTART_"))}
    return {**kept, "HOME": str(scratch), "LC_ALL": "C",
            "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
