"""Measures a build by CMake and ninja after one file was edited, cached and cold.

Three variants build in turn: ninja with stock's linker, ninja with Headstart's, and
`headstart build` around the latter. They share a directory; only its linker differs.
"""

import contextlib
import os
import pathlib
import shutil
import statistics
import subprocess
import sys

import harness
import links
import machine
from figures import format_bytes, table
from machine import say

FILES = 450
ROUNDS = 5
SPEEDS = (0, 400, 100)  # MB/s of the disk; 0: no limit
WAYS = ("stock", "Headstart", "headstart build")

PROJECT = """\
cmake_minimum_required(VERSION 3.20)
project(built CXX)
set(CMAKE_CXX_FLAGS "-g1 -B{linker}")
file(GLOB parts CONFIGURE_DEPENDS part*.cpp)
add_executable(app main.cpp ${{parts}})
target_link_options(app PRIVATE -fuse-ld=lld)
"""

# A part is quick to compile and large to link.
PART = """\
#include <vector>
asm(".section .rodata\\n.incbin \\"{folder}/data\\"\\n.text");
int part{number}() {{ return std::vector<int>({number}).size(); }}
"""

# The edited file takes some seconds to compile.
MAIN = """\
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <regex>
#include <string>
template <int N> struct Step {{
  static int go(std::map<int, std::string> &m) {{
    std::function<int(int)> f = [&](int x) {{ m[x] += "a"; return x + N; }};
    return f(N) + Step<N - 1>::go(m);
  }}
}};
template <> struct Step<0> {{
  static int go(std::map<int, std::string> &) {{ return 0; }}
}};
{declarations}
int main() {{
  std::map<int, std::string> m;
  return Step<300>::go(m) + std::regex_match("a", std::regex("a")){calls};
}}
"""


def write_project(folder: pathlib.Path) -> None:
    (folder / "linker").mkdir(parents=True)
    (folder / "data").write_bytes(os.urandom(1 << 20))
    (folder / "CMakeLists.txt").write_text(PROJECT.format(linker=folder / "linker"))
    for number in range(FILES - 1):
        (folder / f"part{number}.cpp").write_text(PART.format(number=number, folder=folder))
    (folder / "main.cpp").write_text(MAIN.format(
        declarations="".join(f"int part{n}();" for n in range(FILES - 1)),
        calls="".join(f" + part{n}()" for n in range(FILES - 1))))


def use_linker(folder: pathlib.Path, program: pathlib.Path) -> None:
    name = folder / "linker" / "ld.lld"
    name.unlink(missing_ok=True)
    name.symlink_to(program)


def steps_of(build: pathlib.Path) -> dict[str, float]:
    """The seconds of the last run of each step, from ninja's log."""
    seconds = {}
    for line in (build / ".ninja_log").read_text().splitlines()[1:]:
        begin, end, _, output, _ = line.split("\t")
        seconds[output] = (int(end) - int(begin)) / 1000
    return seconds


def build_once(folder: pathlib.Path, way: str, cold: bool) -> dict:
    """Edits one file and builds."""
    build = folder / "build"
    use_linker(folder, (harness.LLVM if way == "stock" else harness.BIN) / "ld.lld")
    (folder / "main.cpp").touch()
    if cold:
        harness.evict([pathlib.Path("/usr/lib/gcc"), pathlib.Path("/usr/include/c++"), harness.BIN,
                       harness.LLVM / "lld", *harness.LLVM.parent.glob("lib/libLLVM.so*")])
        harness.make_cold([folder], (FILES << 20))
    command = ["ninja", "-C", str(build)]
    if way == "headstart build":
        command = [str(harness.HEADSTART), "build", "--", *command]
    done = harness.timed(command, {**os.environ, "XDG_CACHE_HOME": str(folder / "cache")},
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.status != 0:
        sys.exit(f"error: {way} failed:\n" + done.output.decode(errors="replace"))
    steps = steps_of(build)
    run = {"seconds": done.seconds, "link": steps["app"],
           "compile": steps["CMakeFiles/app.dir/main.cpp.o"]}
    say(f"    {way}{'' if cold else ', cached'}: {run['seconds']:.2f} s, compile "
        f"{run['compile']:.2f} s, link {run['link']:.2f} s")
    return run


def rounds_of(folder: pathlib.Path, rounds: int, cold: bool) -> dict[str, list[dict]]:
    return harness.in_turn({way: way for way in WAYS}, rounds,
                           lambda way: build_once(folder, way, cold))


def measure(factor: float) -> dict:
    if absent := [name for name in ("cmake", "ninja", "g++") if not shutil.which(name)]:
        say(f"   skipped: {', '.join(absent)} not found")
        return {}
    folder = harness.corpus_folder("build")
    rounds = links.scaled(ROUNDS, factor)
    with contextlib.ExitStack() as stack:
        shutil.rmtree(folder, ignore_errors=True)
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        write_project(folder)
        subprocess.run(["cmake", "-G", "Ninja", "-S", folder, "-B", folder / "build"],
                       check=True, stdout=subprocess.DEVNULL)
        build_once(folder, "stock", cold=False)
        build_once(folder, "Headstart", cold=False)  # stores the profile
        speeds = [{"megabytes_per_second": 0, "cold": False,
                   "ways": rounds_of(folder, rounds, cold=False)}]
        for speed in SPEEDS if machine.can_throttle() else (0,):
            with machine.held(folder, speed):
                speeds.append({"megabytes_per_second": speed, "cold": True,
                               "ways": rounds_of(folder, rounds, cold=True)})
    return {"files": FILES, "bytes": FILES << 20, "speeds": speeds}


def text(figures: dict) -> str:
    rows = []
    for speed in figures["speeds"]:
        limit = speed["megabytes_per_second"]
        where = "cached" if not speed["cold"] else f"cold, {limit} MB/s" if limit else "cold"
        for way, runs in speed["ways"].items():
            rows.append([where, way] + [f"{statistics.median(run[kind] for run in runs):.2f} s"
                                        for kind in ("compile", "link", "seconds")])
    return "\n".join(["## A build after one file was edited",
                      "", f"CMake, ninja and g++, {figures['files']} "
                          f"files; the link has {format_bytes(figures['bytes'])} of objects. "
                          "*Cold*: objects, sources, headers and compilers are evicted. Medians of "
                          f"{len(next(iter(figures['speeds'][0]['ways'].values())))} rounds.", "",
                      *table(["", "", "compile", "link", "whole build"], rows)])
