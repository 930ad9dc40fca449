"""Measures links on other file systems, each in a loop image over the inputs.

The loop device reads its image without the page cache, so that an evicted input is cold.
Needs root, and the programs that make the file systems.
"""

import contextlib
import dataclasses
import os
import pathlib
import shutil
import subprocess
from typing import Iterator

import harness
import links
import samples
from figures import grouped, runs_of, sameness, table
from links import Condition, processor_times, read, times
from harness import say


@dataclasses.dataclass
class FileSystem:
    name: str
    make: list[str]          # the command, without the device
    options: str = "rw"
    overlaid: bool = False

    def missing(self) -> str:
        return "" if shutil.which(self.make[0]) else f"no {self.make[0]}"


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
def covering(system: FileSystem, folder: pathlib.Path, size: int) -> Iterator[None]:
    """Mounts a copy of a directory, on another file system, over the directory."""
    with harness.scratch_in(folder.parent) as scratch, contextlib.ExitStack() as stack:
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
        shutil.copytree(folder, place / "lower", symlinks=True)
        for name in ("upper", "work"):
            (place / name).mkdir()
        os.sync()
        if system.overlaid:
            stack.enter_context(mounted(
                folder, "-t", "overlay", "overlay", "-o", f"lowerdir={place}/lower,"
                f"upperdir={place}/upper,workdir={place}/work"))
        else:
            stack.enter_context(mounted(folder, "--bind", place / "lower"))
        yield


def measure(factor: float) -> dict | None:
    if os.geteuid() != 0:
        say("   skipped: mounting needs root")
        return None
    result = []
    for sample in (samples.elf_objects(), samples.coff_small()):
        for system in FILE_SYSTEMS:
            if missing := system.missing():
                say(f"   {system.name} skipped: {missing}")
                continue
            say(f"   {sample.title} on {system.name}")
            try:
                with covering(system, sample.folder, sample.size()):
                    result.append({"system": system.name, **links.measure(
                        Condition(lambda: sample, rounds=5, warm_rounds=9), factor)})
            except (subprocess.CalledProcessError, SystemExit) as problem:
                say(f"   {system.name} skipped: {problem}")
    return {"links": result} if result else None


def text(figures: dict) -> str:
    rows = []
    for one in figures["links"]:
        cold, warm = runs_of(one, "cold"), runs_of(one, "warm")
        rows.append([one["title"] + sameness(one["same"]), one["system"], *times(cold),
                     processor_times(cold), read(cold), *times(warm)])
    rounds = [str(len(next(iter(figures["links"][0][kind].values())))) for kind in ("cold", "warm")]
    return "\n".join([
        "## Other file systems", "",
        "The inputs are on a file system in a loop image, with its own readahead unless it can be "
        f"set to 128 KiB; {rounds[0]} cold and {rounds[1]} warm rounds.", "",
        *table(["link", "file system", "stock, cold", "first link", "next links",
                "processor", "read, MB", "stock, warm", "first link", "next links"],
               grouped(rows))])
