#!/usr/bin/env python3
"""Links a real C++ program, lld.exe, by lld-link.exe under Wine, and runs it there.

    check-wine-program.py WINDOWS_BUILD FOLDER

WINDOWS_BUILD is the directory of the preset windows, FOLDER the place for outputs. The inputs are
those from which utils/build-windows-llvm.py linked lld.exe: 107 archives, of which a link takes two
thousand objects. Stock and ours must make the same program, which must itself link. If a
prerequisite is missing, the script prints a reason and returns status 77.
"""

import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
LLVM = HERE.parent / "build-tools" / "llvm-windows" / "build"
TOOLS = pathlib.Path(os.environ.get("HEADSTART_LLVM", "/usr/lib/llvm-22/bin"))
WINE = HERE / "wine"


def told(command: list) -> str:
    """The command that a driver would run: the last line that it prints with -###."""
    done = subprocess.run([*command, "-###"], cwd=LLVM, check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.stdout.splitlines()[-1]


def link_words() -> list:
    """The arguments with which lld-link links lld.exe."""
    build = subprocess.run(["ninja", "-t", "commands", "bin/lld.exe"], cwd=LLVM,
                           check=True, stdout=subprocess.PIPE, text=True)
    last = build.stdout.splitlines()[-1].split("&&")[1]
    gnu = shlex.split(told(shlex.split(last)))
    words = told(gnu).split()[1:]
    return [for_windows(word) for word in words if not re.match(r"-(out|implib):", word)]


def for_windows(word: str) -> str:
    """Converts an argument's path on the host to one on Wine's drive Z."""
    option, path = re.fullmatch(r"(-[\w-]+:)?(.*)", word).groups()
    if path and not path.startswith("-") and (LLVM / path).exists():
        return f"{option or ''}Z:{LLVM / path}"
    return word


def run(*words, **options) -> str:
    return subprocess.check_output([str(word) for word in words], text=True, **options)


def main() -> int:
    build, folder = (pathlib.Path(word).resolve() for word in sys.argv[1:])
    stock, ours = LLVM / "bin" / "lld-link.exe", build / "bin" / "lld-link.exe"
    if not stock.exists() or not ours.exists():
        print("skipped: the programs for Windows are not built (./dev windows)")
        return 77
    with tempfile.TemporaryDirectory(dir=folder) as name:
        (pathlib.Path(name) / "words").write_text("\n".join(link_words()))
        same = subprocess.run(
            [sys.executable, str(HERE / "same-link.py"), "--name", "lld-link",
             "--stock", stock, "--ours", ours, "--runner", WINE, "--with=",
             "--with=/prefetch-inputs:no", "--", "@words", "/Brepro", "/out:out/lld.exe"], cwd=name)
        if same.returncode:
            return 1
        (pathlib.Path(name) / "main.s").write_text(".globl main\nmain:\n ret\n")
        run(TOOLS / "llvm-mc", "-triple=x86_64-windows-msvc",
            "-filetype=obj", "main.s", "-o", "main.obj", cwd=name)
        made = []
        for linker in (stock, "out/lld.exe"):
            flavour = [] if linker is stock else ["-flavor", "link"]
            run(WINE, linker, *flavour, "main.obj", "/Brepro", "/entry:main",
                "/subsystem:console", "/nodefaultlib", "/out:x.exe", cwd=name)
            made.append((pathlib.Path(name) / "x.exe").read_bytes())
        if made[0] != made[1]:
            print("what the linked lld.exe links is not what stock links")
            return 1
    print("passed: the linked lld.exe links")
    return 0


if __name__ == "__main__":
    sys.exit(main())
