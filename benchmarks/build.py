"""Measures builds by CMake and ninja after files were edited, cached and cold.

Three variants build in turn: ninja with stock's linker, ninja with Headstart's, and `headstart
build` around the latter. They share a directory; only its linker differs.

Also runs eight links at once, as ninja does, in memory for three of them. Headstart's links wait
for each other (LinkQueue.h). The figures compare them with stock's links and with pools.
"""

import concurrent.futures
import contextlib
import dataclasses
import json
import os
import pathlib
import shutil
import statistics
import string
import subprocess
import sys
import time
from typing import Iterator, Sequence

import far
import harness
import links
import samples
from figures import format_bytes, grouped, pairs, rounds_in, section, table
from harness import Variant, say
from links import Sample

SPEEDS = (0, 400, 100)  # MB/s of the disk; 0: no limit
LATENCY, BANDWIDTH = 5, 200  # ms and MB/s of the store with the old objects
VARIANTS = ("stock", "Headstart", "headstart build")
POOL = "stock, a pool of 2"
SHARE = 4.5     # the memory as a multiple of one link's inputs; its output takes as much
SOURCES = pathlib.Path(__file__).resolve().parent / "project"


def filled(name: str, **values) -> str:
    return string.Template((SOURCES / name).read_text()).substitute(values)


@dataclasses.dataclass
class Project:
    """Programs of `files` files each, whose objects have `size` bytes each."""
    files: int
    size: int = 1 << 20
    rounds: int = 5
    speeds: Sequence[int] = SPEEDS
    programs: int = 1
    steps: int = 300    # how long main.cpp takes to compile
    directory: pathlib.Path = dataclasses.field(
        default_factory=lambda: harness.corpus_directory("build"))

    @property
    def bytes(self) -> int:
        """Of the objects of one link."""
        return self.files * self.size

    @property
    def build(self) -> pathlib.Path:
        return self.directory / "build"

    def main(self, program: int) -> pathlib.Path:
        return self.directory / f"main{program}.cpp"

    def write(self) -> None:
        (self.directory / "linker").mkdir(parents=True)
        shutil.copy(SOURCES / "CMakeLists.txt", self.directory)
        (self.directory / "data").write_bytes(os.urandom(self.size))
        parts = range(self.files - 1)
        for program in range(1, self.programs + 1):
            for number in parts:
                (self.directory / f"part{program}_{number}.cpp").write_text(
                    filled("part.cpp.in", number=number, directory=self.directory))
            self.main(program).write_text(filled(
                "main.cpp.in", declarations="".join(f"int part{n}();" for n in parts),
                calls="".join(f" + part{n}()" for n in parts), steps=self.steps))

    def configure(self, *options: str) -> None:
        subprocess.run(["cmake", "-G", "Ninja", "-S", self.directory, "-B", self.build,
                        f"-DPROGRAMS={self.programs}", *options],
                       check=True, stdout=subprocess.DEVNULL)

    @contextlib.contextmanager
    def built(self) -> Iterator[None]:
        """Writes and builds the project, with a profile of each link. Removes it at the end."""
        with contextlib.ExitStack() as stack:
            shutil.rmtree(self.directory, ignore_errors=True)
            stack.callback(shutil.rmtree, self.directory, ignore_errors=True)
            self.write()
            self.configure()
            for variant in VARIANTS[:2]:
                build_once(self, variant)
            yield

    def steps_of(self) -> dict[str, float]:
        """The seconds of the last run of each step, from ninja's log."""
        seconds = {}
        for line in (self.build / ".ninja_log").read_text().splitlines()[1:]:
            begin, end, _, output, _ = line.split("\t")
            seconds[output] = (int(end) - int(begin)) / 1000
        return seconds


def run_ninja(project: Project, variant: str, options: Sequence[str] = (),
              view: Sequence[str] = ()) -> harness.Ended:
    """Edits the main file of each program and builds, inside the view if there is one."""
    linker = project.directory / "linker" / "ld.lld"
    linker.unlink(missing_ok=True)
    linker.symlink_to((harness.LLVM if variant.startswith("stock") else harness.BIN) / "ld.lld")
    for program in range(1, project.programs + 1):
        project.main(program).touch()
    around = [str(harness.HEADSTART), "build", "--"] if variant == VARIANTS[2] else []
    return harness.timed([*view, *around, "ninja", "-C", str(project.build), *options],
                         {**os.environ, "XDG_CACHE_HOME": str(project.directory / "cache")},
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def make_cold(project: Project) -> None:
    harness.evict([pathlib.Path("/usr/lib/gcc"), pathlib.Path("/usr/include/c++"), harness.BIN,
                   harness.LLVM / "lld", *harness.LLVM.parent.glob("lib/libLLVM.so*")])
    harness.make_cold([project.directory], project.bytes * project.programs)


def build_once(project: Project, variant: str, cold: bool = False,
               view: Sequence[str] = ()) -> dict:
    """Builds after an edit. In a view, only the view is cold."""
    if cold and not view:
        make_cold(project)
    done = run_ninja(project, variant, view=view)
    if done.status != 0:
        sys.exit(f"error: {variant} failed:\n" + done.output.decode(errors="replace"))
    steps = project.steps_of()
    run = {"seconds": done.seconds, "link": steps["app1"],
           "compile": steps["CMakeFiles/app1.dir/main1.cpp.o"]}
    if view:  # without the time to mount it
        run["seconds"] = json.loads((project.directory / "counts").read_text())["seconds"]
    say(f"    {variant}{'' if cold else ', cached'}: {run['seconds']:.2f} s, compile "
        f"{run['compile']:.2f} s, link {run['link']:.2f} s")
    return run


def rounds_of(project: Project, factor: float, cold: bool,
              view: Sequence[str] = ()) -> dict[str, list[dict]]:
    return harness.in_turn(VARIANTS, links.scaled(project.rounds, factor),
                           lambda variant: build_once(project, variant, cold, view))


def measure_store(project: Project, factor: float) -> list[dict]:
    """Measures a project whose objects, except main's, are prebuilt and on a store."""
    if not far.has_view():
        return []
    objects = project.directory / "objects"
    objects.mkdir()
    for file in project.build.glob("CMakeFiles/app1.dir/part*.o"):
        file.rename(objects / file.name)
    shutil.rmtree(project.build)
    project.configure("-DPREBUILT=1")
    view = [str(far.FARFS), f"--counts={project.directory}/counts"]
    for variant in VARIANTS[:2]:
        build_once(project, variant, view=[*view, str(objects), str(objects), "--"])
    view += [f"--latency={LATENCY}", f"--bandwidth={BANDWIDTH}", str(objects), str(objects), "--"]
    harness.warm_up([objects])  # not through the view
    return [{"megabytes_per_second": BANDWIDTH, "latency": LATENCY, "cold": True,
             "ways": rounds_of(project, factor, cold=True, view=view)}]


def measure_one(project: Project, factor: float, store: bool) -> dict:
    say(f"   {project.files} files, {format_bytes(project.bytes)}, in {project.directory}")
    with project.built():
        speeds = [{"megabytes_per_second": 0, "cold": False,
                   "ways": rounds_of(project, factor, cold=False)}]
        for speed in project.speeds if harness.can_throttle() else (0,):
            with harness.held(project.directory, speed):
                speeds.append({"megabytes_per_second": speed, "cold": True,
                               "ways": rounds_of(project, factor, cold=True)})
        if store:
            speeds += measure_store(project, factor)
    return {"files": project.files, "bytes": project.bytes, "speeds": speeds}


def link_together(project: Project, variant: str) -> dict:
    """Builds all programs. Returns the seconds, and how many links failed."""
    pool = "linking" if variant == POOL else ""
    project.configure("-DCMAKE_JOB_POOLS=linking=2", f"-DCMAKE_JOB_POOL_LINK={pool}")
    make_cold(project)
    done = run_ninja(project, variant, ["-j8", "-k0"])
    failed = [line for line in done.output.decode(errors="replace").splitlines()
              if line.startswith("FAILED: ")]
    if any(".cpp.o" in line for line in failed) or (done.status != 0 and not failed):
        sys.exit(f"error: {variant} failed:\n" + done.output.decode(errors="replace"))
    say(f"    {variant}: {done.seconds:.1f} s, {len(failed)} failed")
    return {"seconds": done.seconds, "failed": len(failed)}


def measure_together(project: Project, factor: float) -> dict | None:
    if not harness.can_limit_memory():
        return None
    memory = int(SHARE * project.bytes)
    with project.built(), harness.held(project.directory, memory=memory):
        runs = harness.in_turn((VARIANTS[0], POOL, *VARIANTS[1:]),
                               links.scaled(project.rounds, factor),
                               lambda variant: link_together(project, variant))
    return {"files": project.files, "bytes": project.bytes, "memory": memory,
            "links": project.programs, "ways": runs}


def measure(factor: float) -> dict:
    if absent := [name for name in ("cmake", "ninja", "g++") if not shutil.which(name)]:
        say(f"   skipped: {', '.join(absent)} not found")
        return {}

    return {**measure_one(Project(450), factor, store=True),
            "larger": measure_one(Project(2000, size=1 << 19, rounds=3, speeds=(0,)), factor,
                                  store=False),
            "together": measure_together(
                Project(120, size=4 << 20, rounds=3, programs=4, steps=100), factor)}


def place_of(speed: dict) -> str:
    limit = speed["megabytes_per_second"]
    if "latency" in speed:
        return f"store, {speed['latency']} ms, {limit} MB/s"
    return "cached" if not speed["cold"] else f"cold, {limit} MB/s" if limit else "cold"


def seconds(variants: dict, variant: str, kind: str) -> str:
    return f"{statistics.median(run[kind] for run in variants[variant]):.2f} s"


def cell(variants: dict, variant: str, kind: str) -> str:
    times, base = ([run[kind] for run in variants[name]] for name in (variant, VARIANTS[0]))
    return f"{seconds(variants, variant, kind)} ({statistics.median(pairs(times, base)):.2f})"


def text_one(figures: dict) -> list[str]:
    return table(["", "", "compile", "link", "whole build"], grouped(
        [[place_of(speed), variant, *(cell(speed["ways"], variant, kind)
                                      for kind in ("compile", "link", "seconds"))]
         for speed in figures["speeds"] for variant in speed["ways"]]))


def short_table(figures: dict) -> list[str]:
    """The times of the link and of the whole build by variant, for the README."""
    speeds = figures["speeds"]
    return table([f"`ninja` after an edit of one of {figures['files']} files: the link "
                  f"({format_bytes(figures['bytes'])}), of the whole build (ratio)",
                  *map(place_of, speeds)],
                 [[variant, *(f"{seconds(speed['ways'], variant, 'link')} of "
                              f"{cell(speed['ways'], variant, 'seconds')}" for speed in speeds)]
                  for variant in VARIANTS])


def failures(runs: list[dict]) -> str:
    return ", ".join(str(run["failed"]) for run in runs)


def text_together(figures: dict) -> list[str]:
    rows, runs_of = [], figures["ways"]
    seconds = {name: statistics.median(run["seconds"] for run in runs)
               for name, runs in runs_of.items()}
    for name, runs in runs_of.items():
        has_failed = any(run["failed"] for run in runs)
        rows.append([name, f"{seconds[name]:.2f} s", failures(runs),
                     "–" if has_failed else f"{seconds[name] / seconds[POOL]:.2f}"])
    return ["", f"`ninja -j8` links {figures['links']} programs at once, after a file of each was "
                f"edited. Each has {figures['files']} files and {format_bytes(figures['bytes'])} "
                f"of objects; memory is limited to {format_bytes(figures['memory'])}, for two of "
                f"the links. All are cold. {rounds_in(runs_of)} rounds; *failed*: links that "
                "failed for lack of memory, in each round. Ratios are to stock with ninja's pool.",
            "", *table(["", "whole build", "failed", "ratio"], rows)]


def text(figures: dict) -> str:
    lines = ["## A build after one file was edited",
             "", f"CMake, ninja and g++, {figures['files']} "
                 f"files; the link has {format_bytes(figures['bytes'])} of objects. "
                 "*Cold*: objects, sources, headers and compilers are evicted. Medians of "
                 f"{rounds_in(figures['speeds'][0]['ways'])} rounds."]
    if any("latency" in speed for speed in figures["speeds"]):
        lines[-1] += (" *Store*: the other objects are prebuilt, on a store with a latency "
                      "(`utils/farfs`); the rest is cached.")
    lines += ["", *text_one(figures)]
    if larger := figures.get("larger"):
        lines += ["", f"{larger['files']:,} files, {format_bytes(larger['bytes'])} of objects, "
                      f"{rounds_in(larger['speeds'][0]['ways'])} rounds:", "", *text_one(larger)]
    if together := figures.get("together"):
        lines += text_together(together)
    return "\n".join(lines)


# -- eight links at once ---------------------------------------------------------------

LINKS = 8
LINKS_SHARE = 3.3    # the memory as a multiple of one link's inputs
POOLS = (2, 3, 4)
LINKS_ROUNDS = 3
# Starts a program in a group. With threads, only a program can do that safely.
ENTER = ["sh", "-c", 'echo $$ >"$0/cgroup.procs" && exec "$@"']
Link = tuple[Variant, Sample]


def run_all(each: Sequence[Link], scratch: pathlib.Path, pool: int) -> dict:
    """Runs all links, `pool` at a time. Returns the seconds and the failures."""
    for sample in {id(sample): sample for _, sample in each}.values():
        harness.make_cold(sample.inputs, sample.size())

    def one(number: int) -> int:
        out = scratch / f"out{number}"
        out.mkdir(exist_ok=True)
        variant, sample = each[number]
        return subprocess.run([*ENTER, harness.entered[-1], str(variant.program), *variant.options,
                               *sample.arguments_for(out)], stdout=subprocess.DEVNULL).returncode

    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(pool) as executor:
        failed = sum(map(bool, executor.map(one, range(len(each)))))
    return {"seconds": time.monotonic() - begin, "failed": failed}


def kinds_of(sample: Sample, stock: pathlib.Path, ours: pathlib.Path,
             before: Sequence[str] = (), after: Sequence[str] = ()) -> dict[str, Link]:
    """A link without Headstart, with it, and with it but outside of the queue."""
    def link(program: pathlib.Path, *options: str) -> Link:
        return Variant("", program, list(options)), sample
    return {"stock": link(stock), "Headstart": link(ours, *before, *after),
            "Headstart, no queue": link(ours, *before, "--prefetch-queue=none", *after)}


def measure_group(title: str, kinds: Sequence[dict[str, Link]], factor: float) -> dict:
    """Measures eight links, which are of these kinds in turn."""
    size = sum(kind["stock"][1].size() for kind in kinds) // len(kinds)
    memory = int(LINKS_SHARE * size)
    # Eight links of several kinds without the queue take minutes (Experiments.md).
    pools = POOLS if len(kinds) > 1 else (LINKS, *POOLS)
    variants = [("stock", LINKS), ("Headstart", LINKS),
                *(("Headstart, no queue", pool) for pool in pools)]
    directory = kinds[0]["stock"][1].directory
    with harness.scratch_in(directory) as scratch, harness.held(scratch, memory=memory):
        def one(variant: tuple[str, int]) -> dict:
            name, pool = variant
            return run_all([kinds[number % len(kinds)][name] for number in range(LINKS)],
                           scratch, pool)
        runs = harness.in_turn(
            variants, links.scaled(LINKS_ROUNDS, factor), one, lambda variant, run: (
                f"{variant[0]}, {variant[1]} at a time: {run['seconds']:.1f} s, "
                f"{run['failed']} failed"))
    return {"title": title, "bytes": size, "memory": memory, "ways": [
        {"name": name, "pool": pool, "runs": several} for (name, pool), several in runs.items()]}


def measure_links(factor: float) -> dict:
    if not harness.can_limit_memory():
        return {}
    sample = samples.coff_medium()
    lld = kinds_of(sample, harness.LLVM / sample.linker, harness.BIN / sample.linker)
    groups = {"lld-link": [lld]}
    mold = harness.find_peer("mold")
    if mold.missing:
        say(f"   without mold: {mold.missing}")
    else:
        groups["lld-link and mold"] = [lld, kinds_of(
            samples.HELD_BACK["dwarf"](), pathlib.Path(mold.program), harness.HEADSTART,
            ["run"], ["--", mold.program])]
    return {"groups": [measure_group(title, kinds, factor) for title, kinds in groups.items()]}


def rows_of_links(group: dict) -> list[list[str]]:
    variants = group["ways"]
    seconds = [statistics.median(run["seconds"] for run in variant["runs"]) for variant in variants]
    best = min((median for median, variant in zip(seconds, variants)
                if variant["pool"] < LINKS and not any(run["failed"] for run in variant["runs"])),
               default=min(seconds))
    return [[group["title"], variant["name"], str(variant["pool"]), f"{median:.1f} s",
             failures(variant["runs"]), f"{median / best:.2f}"]
            for median, variant in zip(seconds, variants)]


def text_links(figures: dict) -> str:
    groups = figures["groups"]
    memory = "; ".join(f"{group['title']} {format_bytes(group['bytes'])} and "
                       f"{format_bytes(group['memory'])}" for group in groups)
    return section("Eight links at once in memory for three",
                   f"Inputs of one link, on average, and memory: {memory}. All links start "
                   f"cold. {len(groups[0]['ways'][0]['runs'])} rounds; *failed*: links that the "
                   "kernel killed for lack of memory, in each round. Ratios are to the fastest "
                   "pool without failures. *No queue*: `--prefetch-queue=none`.",
                   ["links", "variant", "at a time", "all eight", "failed", "ratio"],
                   grouped([row for group in groups for row in rows_of_links(group)]))
