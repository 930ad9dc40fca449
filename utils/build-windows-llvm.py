#!/usr/bin/env python3
"""Builds LLVM's and lld's libraries for Windows, and stock lld.exe, once.

Debian packages LLVM for Linux only, but has its source (197 MB), of which the script unpacks the
parts that lld needs in DIRECTORY/source. It builds in DIRECTORY/build with
cmake/toolchains/mingw-w64.cmake, for x86-64 only. That takes about 107 minutes of processor time
and can be stopped; the next call continues it. The script compiles LLVM's most used headers once
(`HEADERS`): twelve of the 978 sources that include them took 32 s instead of 58.

If the source is not available, the exit status is 77 and one line has the reason.
"""

import argparse
import hashlib
import json
import pathlib
import shlex
import shutil
import subprocess
import sys
import urllib.error
import urllib.request

from common import ROOT, skip

VERSION = "22.1.8"
SHA256 = "b49b9277aef97616320b2da259e1f8174c65b0ce2fbe2e8629644a97693402fe"
TARBALL = f"llvm-toolchain-22_{VERSION}.orig.tar.xz"
# Both have the same file: for testing and stable, and for their security updates.
MIRRORS = (
    "http://deb.debian.org/debian/pool/main/l/llvm-toolchain-22/",
    "http://deb.debian.org/debian-security/pool/updates/main/l/llvm-toolchain-22/",
)
WANTED = ("llvm", "lld", "cmake", "third-party", "libunwind", "LICENSE.TXT")
# lld's few documents are unpacked, since its CMakeLists.txt requires them.
UNWANTED = ("*/llvm/test", "*/llvm/docs", "*/lld/test", "*/unittests")
# Most sources of these libraries include these headers, which are compiled once.
HEADERS = ROOT / "utils" / "llvm" / "precompiled.h"
LIBRARIES = ("Analysis", "Bitcode", "CodeGen", "IR", "LTO", "Linker", "Passes",
             "ProfileData", "Target", "Transforms")
COMPILED = "precompiled.pch"
GENERATED = ("intrinsics_gen", "vt_gen", "omp_gen", "acc_gen", "target_parser_gen")
HOST = pathlib.Path("/usr/lib/llvm-22/bin")
TOOLCHAIN = ROOT / "cmake" / "toolchains" / "mingw-w64.cmake"


class Unavailable(Exception):
    """The reason why the source is not available, in one line."""


def say(text: str) -> None:
    print(f"==> {text}", file=sys.stderr, flush=True)


def digest(path: pathlib.Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fetch(directory: pathlib.Path) -> pathlib.Path:
    """Returns the tarball, which `unpack` removes from the directory."""
    tarball = directory / TARBALL
    if tarball.exists() and digest(tarball) == SHA256:
        return tarball
    problems = []
    for mirror in MIRRORS:
        say(f"fetching {mirror}{TARBALL} (197 MB)")
        try:
            with (urllib.request.urlopen(mirror + TARBALL, timeout=30) as source,
                  tarball.open("wb") as target):
                shutil.copyfileobj(source, target, 1 << 20)
        except (OSError, urllib.error.URLError) as error:
            problems.append(f"{mirror}: {error}")
            continue
        if digest(tarball) == SHA256:
            return tarball
        problems.append(f"{mirror}: another file than expected")
    raise Unavailable("; ".join(problems))


def unpack(directory: pathlib.Path) -> None:
    source = directory / "source"
    mark = source / "version"
    if mark.exists() and mark.read_text().strip() == VERSION:
        return
    tarball = fetch(directory)
    say("unpacking")
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir()
    top = TARBALL.split(".orig")[0]
    subprocess.run(["tar", "-xf", tarball, "-C", source, "--no-same-owner",
                    "--strip-components=1", *(f"--exclude={name}" for name in UNWANTED),
                    *(f"{top}/{name}" for name in WANTED)], check=True)
    mark.write_text(VERSION + "\n")
    tarball.unlink()


def configure(directory: pathlib.Path) -> pathlib.Path:
    build = directory / "build"
    if (build / "build.ninja").exists():
        return build
    # LLVM's build runs programs of LLVM; Debian's have the same version.
    native = directory / "native"
    native.mkdir(exist_ok=True)
    for name, program in (("llvm-tblgen", "llvm-tblgen"),
                          ("llvm-min-tblgen", "llvm-tblgen"), ("llvm-config", "llvm-config")):
        link = native / name
        link.unlink(missing_ok=True)
        link.symlink_to(HOST / program)
    settings = {
        "CMAKE_BUILD_TYPE": "Release",
        "CMAKE_TOOLCHAIN_FILE": TOOLCHAIN,
        "CMAKE_EXPORT_COMPILE_COMMANDS": "ON",
        "CMAKE_CXX_FLAGS_RELEASE": "-O2 -DNDEBUG -w",
        "CMAKE_CXX_COMPILER_LAUNCHER": write_launcher(directory),
        "LLVM_ENABLE_PROJECTS": "lld",
        "LLVM_TARGETS_TO_BUILD": "X86",
        "LLVM_HOST_TRIPLE": "x86_64-w64-windows-gnu",
        "LLVM_NATIVE_TOOL_DIR": native,
        "LLVM_TABLEGEN": native / "llvm-tblgen",
        "LLVM_ENABLE_ZLIB": "FORCE_ON",
    }
    for name in ("ENABLE_ZSTD", "ENABLE_LIBXML2", "ENABLE_BINDINGS",
                 "ENABLE_WARNINGS", "APPEND_VC_REV", "INCLUDE_TESTS", "INCLUDE_DOCS",
                 "INCLUDE_EXAMPLES", "INCLUDE_BENCHMARKS"):
        settings["LLVM_" + name] = "OFF"
    say("configuring")
    try:
        quietly(["cmake", "-G", "Ninja", "-S", directory / "source" / "llvm", "-B", build,
                 *(f"-D{k}={v}" for k, v in settings.items())])
        compile_headers(directory, build)
    except subprocess.CalledProcessError:
        (build / "build.ninja").unlink(missing_ok=True)
        raise
    return build


def quietly(command: list) -> None:
    """Runs a command, and prints its output only if it failed."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        print(done.stdout, file=sys.stderr)
        done.check_returncode()


def write_launcher(directory: pathlib.Path) -> pathlib.Path:
    """Writes the compiler's launcher, which adds the compiled headers for LIBRARIES.
    Names in other libraries would be ambiguous with those of the headers."""
    launcher = directory / "compile"
    pattern = "|".join(f"*/llvm/lib/{name}/*" for name in LIBRARIES)
    launcher.write_text(f"""#!/bin/sh
case "$*" in
{pattern}) exec "$@" -include-pch '{directory / COMPILED}' ;;
esac
exec "$@"
""")
    launcher.chmod(0o755)
    return launcher


def compile_headers(directory: pathlib.Path, build: pathlib.Path) -> None:
    """Compiles HEADERS with the arguments of one of LLVM's sources."""
    quietly(["ninja", "-C", build, *GENERATED])
    (entry,) = (entry for entry in json.loads((build / "compile_commands.json").read_text())
                if entry["file"].endswith("/llvm/lib/IR/Module.cpp"))
    arguments = shlex.split(entry["command"])
    quietly([*arguments[:arguments.index("-o")], "-fpch-instantiate-templates",
             "-x", "c++-header", HEADERS, "-o", directory / COMPILED])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory", type=pathlib.Path)
    arguments = parser.parse_args()
    directory = arguments.directory.resolve()
    directory.mkdir(parents=True, exist_ok=True)
    try:
        unpack(directory)
        build = configure(directory)
        say(f"building LLVM {VERSION} for Windows")
        subprocess.run(["ninja", "-C", build, "lld"], check=True)
    except Unavailable as problem:
        skip(f"LLVM's source cannot be fetched: {problem}")
    except (OSError, subprocess.CalledProcessError) as problem:
        print(f"LLVM for Windows: {problem}", file=sys.stderr)
        return 1
    (directory / "ready").write_text(VERSION + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
