"""Links under other conditions than the plain ones: the medium corpus at several sizes, little
memory, other file systems, and the programs for Windows under Wine."""

import contextlib
import dataclasses
import fractions
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
from typing import Iterator

import far
import harness
import links
import samples
from figures import (Runs, format_bytes, grouped, kept, median, rounds_in, runs_of, sameness,
                     section, time_cell)
from harness import Variant, say
from links import Condition, Sample, processor_times, read, times

# -- the growth with the inputs: an eighth, a quarter, half, the whole and twice their number --

SIZES = [fractions.Fraction(size) for size in ("1/8", "1/4", "1/2", "1", "2")]
OBJECTS = 450           # in the medium corpus
SMALL_OBJECTS = 48      # of the short form
SCALE_ROUNDS, SCALE_WARM_ROUNDS = 5, 7


def corpus(size: fractions.Fraction, objects: int) -> links.Sample:
    count = round(objects * size)
    if count == OBJECTS:
        return samples.coff_medium()
    return samples.coff(f"COFF: {count} objects", f"scale-{count}", ["--objects", str(count)])


def measure_size(sample: links.Sample, factor: float) -> dict:
    size = sample.size()
    with harness.scratch_in(sample.directory) as scratch:
        out = scratch / "out"
        arguments = sample.arguments_for(out)
        every = links.variants(sample, False, scratch / "profile")
        variants = [every[0], every[-2]]  # stock, and Headstart without a profile
        cold = harness.run_rounds(variants, arguments, out,
                                  links.scaled(SCALE_ROUNDS, factor), sample.inputs, size)
        warm = harness.run_warm(variants, arguments, out, sample.inputs,
                                links.scaled(SCALE_WARM_ROUNDS, factor))
    return {"objects": len(sample.files()), "bytes": size,
            "same": links.all_same(cold, warm), "cold": kept(cold), "warm": kept(warm)}


def measure_scale(factor: float, objects: int = OBJECTS) -> dict:
    # Makes all corpora first: the kernel still writes a new one for a while.
    corpora = [(size, corpus(size, objects)) for size in SIZES]
    points = []
    with harness.held(corpora[0][1].directory) as readahead:
        for size, sample in corpora:
            say(f"   {size}: {len(sample.files())} objects, {format_bytes(sample.size())}")
            points.append({"size": str(size), **measure_size(sample, factor)})
    return {"title": "How the cost grows with the inputs", "readahead": readahead, "points": points}


def curves(figures: dict) -> dict:
    """The seconds at each size in bytes, by kind and variant."""
    result: dict = {}
    for point in figures["points"]:
        for kind in ("cold", "warm"):
            for name, runs in runs_of(point, kind).items():
                result.setdefault((kind, name), []).append((point["bytes"], median(runs)))
    return result


def text_scale(figures: dict) -> str:
    rows = []
    for point in figures["points"]:
        cells = [point["size"], str(point["objects"]), format_bytes(point["bytes"])]
        for kind in ("cold", "warm"):
            runs: Runs = runs_of(point, kind)
            base, ours = runs.values()
            cells += [f"{median(base):.2f} s", time_cell(ours, base)]
        rows.append(cells)
    grown = ", ".join(
        f"{kind} {statistics.linear_regression(*zip(*points)).slope * 1e9:.2f} s ({name})"
        for (kind, name), points in curves(figures).items())
    return section(figures["title"],
                   "The corpus of `coff` at several sizes; Headstart without a profile; "
                   f"{rounds_in(figures['points'][0]['cold'])} cold and "
                   f"{rounds_in(figures['points'][0]['warm'])} warm rounds. "
                   f"Another GB of inputs takes, by least squares: {grown}."
                   + sameness(all(point["same"] for point in figures["points"])),
                   ["size", "objects", "bytes", "stock, cold", "Headstart, cold", "stock, warm",
                    "Headstart, warm"], rows)


# -- less memory than stock lld needs without reading anything twice ------------------

SHARES = (1.2, 1.0, 0.8, 0.6)
MEMORY_SAMPLES = (samples.coff_medium, samples.HELD_BACK["many"], samples.elf_objects,
                  samples.HELD_BACK["dwarf"], samples.macho_small,
                  samples.HELD_BACK["optimized"])


def measure_memory(factor: float, makers=MEMORY_SAMPLES) -> dict | None:
    if not harness.can_limit_memory():
        return None
    result = []
    for make in makers:
        sample = make()
        own, touched = links.memory_of(sample)
        for share in SHARES:
            say(f"   {sample.title}, memory for {share} of the need")
            limit = int(share * (own + touched))
            if limit < own:
                say("   omitted: stock lld allocates more")
                continue
            result.append({"share": share, **links.measure(
                Condition(lambda: sample, memory=limit, rounds=5), factor)})
    return {"links": result} if result else None


def bytes_ratios(runs: dict) -> str:
    base, *_ = runs.values()
    return " / ".join(f"{median(runs[name], 'read_bytes') / max(median(base, 'read_bytes'), 1):.2f}"
                      for name in (links.FIRST, links.NEXT))


def text_memory(figures: dict) -> str:
    rows = []
    for one in figures["links"]:
        cold = runs_of(one, "cold")
        rows.append([one["title"] + sameness(one["same"]), f"{one['share']:.1f}",
                     format_bytes(one["memory"]), *times(cold), processor_times(cold),
                     read(cold), bytes_ratios(cold)])
    rounds = rounds_in(figures["links"][0]["cold"])
    return section(
        "Little memory",
        "Memory is limited to a share of the need: what stock lld allocates, and the bytes of the "
        f"inputs that it touches. {rounds} cold rounds. The last column has the ratios of the "
        "bytes to stock's. A share that is less than stock allocates is left out.",
        ["link", "share", "memory", "stock", "first link", "next links", "processor", "read, MB",
         "read, ratios"], grouped(rows))


# Five times the memory, on a store of 1 GB/s.
HUGE_OBJECTS, HUGE_MEMORY = 12_800, 20_000_000_000
HUGE_STORE = ["--latency=0.1", "--bandwidth=1000", f"--copies={HUGE_OBJECTS}"]
HUGE_TYPES = harness.ROOT / "benchmarks" / "huge-types.s"


def huge() -> Sample:
    """100 GB of equal type records, which the linker reads, from copies of one object in the
    view."""
    root = harness.corpus_directory("coff-huge-types")
    directory = root / "obj"
    directory.mkdir(parents=True, exist_ok=True)
    subprocess.run([harness.LLVM / "llvm-mc", "-triple=x86_64-windows", "-filetype=obj",
                    HUGE_TYPES, "-o", directory / "types.obj"], check=True)
    (root / "link.rsp").write_text("".join(
        f"{directory}/{number}/types.obj\n" for number in range(HUGE_OBJECTS)))
    return Sample("COFF: equal types", "lld-link", directory, [directory],
                  samples.coff_arguments(root), "a.exe")


def measure_huge(_: float) -> dict | None:
    if not harness.can_limit_memory() or not far.has_view():
        return None
    sample = huge()
    harness.warm_up(sample.inputs)
    with harness.scratch_in(sample.directory.parent) as scratch:
        # A link that is short of memory stores no profile, so all links are first ones.
        *variants, _ = links.variants(sample, False, scratch / "profile")
        with harness.held(sample.directory.parent, memory=HUGE_MEMORY):
            runs = harness.in_turn(
                variants, 1, lambda variant: far.link(sample, variant, HUGE_STORE, scratch),
                lambda variant, run: (f"{variant.name}: {run['seconds']:.1f} s, "
                                      f"{format_bytes(run['bytes'])} read"))
    return {"objects": HUGE_OBJECTS, "bytes": HUGE_OBJECTS * sample.size(), "memory": HUGE_MEMORY,
            "runs": {name: run for name, (run,) in runs.items()}}


def text_huge(figures: dict) -> str:
    base, *_ = figures["runs"].values()
    rows = [[name, f"{run['seconds']:.0f} s ({run['seconds'] / base['seconds']:.2f})",
             format_bytes(run["bytes"])] for name, run in figures["runs"].items()]
    same = len({run["outputs"] for name, run in figures["runs"].items()
                if links.comparable(name)}) == 1
    return section(
        "Inputs of five times the memory",
        f"{figures['objects']:,} objects, {format_bytes(figures['bytes'])} of equal CodeView "
        "types, on a store of 1 GB/s (`utils/farfs`); memory of "
        f"{format_bytes(figures['memory'])}. "
        "Each link ran once; as it is short of memory, it stores no profile." + sameness(same),
        ["", "time", "read"], rows)


# Less memory than the inputs have bytes, alongside busy processes.
BUSY_SHARE, BUSY, BUSY_ROUNDS = 0.88, 2, 10


def measure_busy(factor: float) -> dict | None:
    if not harness.can_limit_memory():
        return None
    sample = samples.coff_demo()
    with contextlib.ExitStack() as stack:
        for _ in range(BUSY):
            busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
            stack.callback(busy.wait)
            stack.callback(busy.kill)
        return {"link": links.measure(Condition(
            lambda: sample, memory=int(BUSY_SHARE * sample.size()), rounds=BUSY_ROUNDS), factor)}


def text_busy(figures: dict) -> str:
    figures = figures["link"]
    cold = runs_of(figures, "cold")
    rows = [[name, f"{min(run.seconds for run in runs):.1f} s", f"{median(runs):.1f} s",
             f"{max(run.seconds for run in runs):.1f} s",
             format_bytes(median(runs, "read_bytes")),
             format_bytes(max(run.read_bytes for run in runs))] for name, runs in cold.items()]
    return section(
        "Little memory beside busy processes",
        f"{figures['title']}, {format_bytes(figures['bytes'])}; memory of "
        f"{format_bytes(figures['memory'])}; {BUSY} processes compute. "
        f"{rounds_in(cold)} cold rounds." + sameness(figures["same"]),
        ["", "fastest", "median", "slowest", "read, median", "read, most"], rows)


# -- other file systems, each in a loop image over the inputs ---------------------------
# The loop device reads its image without the page cache, so that an evicted input is cold.
# Needs root, and the programs that make the file systems.

@dataclasses.dataclass
class FileSystem:
    name: str
    make: list[str]          # the command, without the device
    options: str = "rw"
    overlaid: bool = False


FILE_SYSTEMS = [
    FileSystem("ext4", ["mkfs.ext4", "-qF"]),
    FileSystem("overlayfs on ext4", ["mkfs.ext4", "-qF"], overlaid=True),
    FileSystem("xfs", ["mkfs.xfs", "-qf"]),
    FileSystem("btrfs, zstd", ["mkfs.btrfs", "-qf"], "compress=zstd"),
]


def run(*command) -> str:
    return subprocess.check_output(command, text=True).strip()


@contextlib.contextmanager
def mounted(place: pathlib.Path, *arguments) -> Iterator[None]:
    try:
        run("mount", *arguments, place)
        yield
    finally:
        subprocess.run(["umount", "-l", place], stderr=subprocess.DEVNULL)


@contextlib.contextmanager
def covering(system: FileSystem, directory: pathlib.Path, size: int) -> Iterator[None]:
    """Mounts a copy of a directory, on another file system, over the directory."""
    with harness.scratch_in(directory.parent) as scratch, contextlib.ExitStack() as stack:
        image, place = scratch / "image", scratch / "mount"
        place.mkdir()
        with open(image, "wb") as file:
            file.truncate((3 * size >> 20) + 2048 << 20)
        run(*system.make, image)
        device = run("losetup", "--find", "--show", "--direct-io=on", image)
        try:
            stack.enter_context(mounted(place, "-o", system.options, device))
        finally:
            run("losetup", "--detach", device)  # when its file system is unmounted
        shutil.copytree(directory, place / "lower", symlinks=True)
        for name in ("upper", "work"):
            (place / name).mkdir()
        os.sync()
        if system.overlaid:
            stack.enter_context(mounted(
                directory, "-t", "overlay", "overlay", "-o", f"lowerdir={place}/lower,"
                f"upperdir={place}/upper,workdir={place}/work"))
        else:
            stack.enter_context(mounted(directory, "--bind", place / "lower"))
        yield


def measure_file_systems(factor: float) -> dict | None:
    if not harness.can_mount():
        return None
    result = []
    for sample in (samples.elf_objects(), samples.coff_small()):
        for system in FILE_SYSTEMS:
            if not shutil.which(system.make[0]):
                say(f"   {system.name} skipped: no {system.make[0]}")
                continue
            say(f"   {sample.title} on {system.name}")
            try:
                with covering(system, sample.directory, sample.size()):
                    result.append({"system": system.name, **links.measure(
                        Condition(lambda: sample, rounds=5, warm_rounds=9), factor)})
            except (subprocess.CalledProcessError, SystemExit) as problem:
                say(f"   {system.name} skipped: {problem}")
    return {"links": result} if result else None


def text_file_systems(figures: dict) -> str:
    rows = []
    for one in figures["links"]:
        cold, warm = runs_of(one, "cold"), runs_of(one, "warm")
        rows.append([one["title"] + sameness(one["same"]), one["system"], *times(cold),
                     processor_times(cold), read(cold), *times(warm)])
    return section(
        "Other file systems",
        "The inputs are on a file system in a loop image, with its own readahead unless it can be "
        f"set to 128 KiB; {rounds_in(cold)} cold and {rounds_in(warm)} warm rounds.",
        ["link", "file system", "stock, cold", "first link", "next links", "processor", "read, MB",
         "stock, warm", "first link", "next links"], grouped(rows))


# -- the programs for Windows under Wine, which is no measurement of Windows ------------
# The host evicts the inputs. A ratio includes the cost of Wine.

WINDOWS_STOCK = harness.ROOT / "build-tools" / "llvm-windows" / "build" / "bin" / "lld-link.exe"
WINDOWS_OURS = harness.ROOT / "build-windows" / "bin" / "lld-link.exe"
WINDOWS_ROUNDS = 5


def wine(name: str, program: pathlib.Path, directory: pathlib.Path, *options: str) -> Variant:
    """A variant under Wine. All variants run from one path, since a PDB contains it."""
    script = ('ln -sf "$0" "$1" && ln -sf "${0%/*}/headstart.dll" "${1%/*}" && '
              'exec "$2" "$1" "${@:3}"')
    return Variant(name, pathlib.Path("/bin/bash"),
                   ["-c", script, str(program), str(directory / "lld-link.exe"),
                    str(harness.ROOT / "utils" / "wine"), *options], argv0="bash")


def for_windows(arguments: list[str], directory: pathlib.Path) -> list[str]:
    """Converts a link's arguments for a linker that takes a leading slash for an option."""
    response = directory / "link.rsp"
    (path,) = (argument[1:] for argument in arguments if argument.startswith("@"))
    response.write_text("\n".join(f"Z:{line}" if line.startswith("/") else line
                                  for line in pathlib.Path(path).read_text().splitlines()))
    return [f"@Z:{response}" if argument.startswith("@") else argument for argument in arguments]


def measure_windows(factor: float) -> dict:
    if not WINDOWS_STOCK.exists() or not WINDOWS_OURS.exists():
        say("   skipped: the programs for Windows are not built (./dev windows)")
        return {}
    sample = samples.coff_medium()
    size = sample.size()
    with (harness.scratch_in(sample.directory) as scratch,
          harness.held(sample.directory) as readahead):
        out = scratch / "out"
        arguments = [*for_windows(sample.arguments, scratch), f"/out:Z:{out}/{sample.output}"]
        profile = f"/prefetch-profile:Z:{scratch}/profile"
        variants = [wine("lld-link 22 (stock)", WINDOWS_STOCK, scratch),
                    wine(links.PREFETCHING, WINDOWS_STOCK, scratch, "/prefetch-inputs"),
                    wine(links.FIRST, WINDOWS_OURS, scratch, "/prefetch-profile:none"),
                    wine(links.NEXT, WINDOWS_OURS, scratch, profile)]
        harness.run_rounds(variants, arguments, out, 1, called=harness.SETTLING)
        rounds = links.scaled(WINDOWS_ROUNDS, factor)
        cold = harness.run_rounds(variants, arguments, out, rounds, sample.inputs, size)
        harness.warm_up(sample.inputs)
        warm = harness.run_rounds(variants, arguments, out, rounds, called="warm round")
        same = links.all_same(cold, warm)
    return {"files": len(sample.files()), "bytes": size, "readahead": readahead, "cold": kept(cold),
            "warm": kept(warm), "same": same}


def text_windows(figures: dict) -> str:
    cold, warm = runs_of(figures, "cold"), runs_of(figures, "warm")
    return section(
        "The programs for Windows, under Wine 8",
        f"The link of `coff`, {figures['files']} files, {format_bytes(figures['bytes'])}, "
        f"by lld-link.exe; {rounds_in(cold)} cold and {rounds_in(warm)} warm rounds. Times "
        "include the costs of Wine, except that *processor* excludes Wine's server: this is no "
        "measurement of Windows." + sameness(figures["same"]),
        ["", "cold", "processor", "read from disk", "warm"], links.rows(cold, warm))
