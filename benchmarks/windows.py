"""Measures the programs for Windows under Wine. This is no measurement of Windows.

The host evicts the inputs. A ratio includes the cost of Wine.
"""

import pathlib
import subprocess

import coff
import harness
import links
import machine
from figures import format_bytes, kept, runs_of, sameness, start_table, table
from harness import Variant
from machine import say

STOCK = harness.ROOT / "build-tools" / "llvm-windows" / "build" / "bin" / "lld-link.exe"
BUILD = harness.ROOT / "build-windows"
OURS = BUILD / "bin" / "lld-link.exe"
ROUNDS = 5
STARTS = 15


def wine(name: str, program: pathlib.Path, folder: pathlib.Path, *options: str) -> Variant:
    """A variant under Wine. All variants run from one path, since a PDB contains it."""
    script = ('ln -sf "$0" "$1" && ln -sf "${0%/*}/headstart.dll" "${1%/*}" && '
              'exec "$2" "$1" "${@:3}"')
    return Variant(name, pathlib.Path("/bin/bash"),
                   ["-c", script, str(program), str(folder / "lld-link.exe"),
                    str(harness.ROOT / "utils" / "wine"), *options], argv0="bash")


def for_windows(words: list[str], folder: pathlib.Path) -> list[str]:
    """Converts a link's arguments for a linker that takes a leading slash for an option."""
    response = folder / "link.rsp"
    (path,) = (word[1:] for word in words if word.startswith("@"))
    response.write_text("\n".join(f"Z:{line}" if line.startswith("/") else line
                                  for line in pathlib.Path(path).read_text().splitlines()))
    return [f"@Z:{response}" if word.startswith("@") else word for word in words]


def zip_bytes() -> int:
    """The size of the zip that cpack makes."""
    with harness.scratch_in(BUILD) as folder:
        subprocess.run(["cpack", "-B", folder], cwd=BUILD, check=True, stdout=subprocess.DEVNULL)
        (made,) = folder.glob("*.zip")
        return made.stat().st_size


def measure(factor: float) -> dict:
    if not STOCK.exists() or not OURS.exists():
        say("   skipped: the programs for Windows are not built (./dev windows)")
        return {}
    sample = coff.medium()
    size = sample.size()
    with harness.scratch_in(sample.folder) as scratch, machine.held(sample.folder) as readahead:
        out = scratch / "out"
        words = [*for_windows(sample.words, scratch), f"/out:Z:{out}/{sample.output}"]
        profile = f"/prefetch-profile:Z:{scratch}/profile"
        ways = [wine("lld-link 22 (stock)", STOCK, scratch),
                wine(links.PREFETCHING, STOCK, scratch, "/prefetch-inputs"),
                wine(links.FIRST, OURS, scratch, "/prefetch-profile:none"),
                wine(links.NEXT, OURS, scratch, profile)]
        harness.run_rounds(ways, words, out, 1, called=harness.SETTLING)
        rounds = links.scaled(ROUNDS, factor)
        cold = harness.run_rounds(ways, words, out, rounds, sample.inputs, size)
        harness.warm_up(sample.inputs)
        warm = harness.run_rounds(ways, words, out, rounds, called="warm round")
        same = links.all_same(cold, warm)
        times = harness.starts([ways[0], wine("Headstart's lld-link.exe", OURS, scratch)],
                               links.scaled(STARTS, factor))
    return {"files": len(sample.files()), "bytes": size, "readahead": readahead, "cold": kept(cold),
            "warm": kept(warm), "same": same, "starts": times, "zip": zip_bytes()}


def text(figures: dict) -> str:
    cold, warm = runs_of(figures, "cold"), runs_of(figures, "warm")
    base = next(iter(cold))
    return "\n".join([
        "## The programs for Windows, under Wine 8",
        "", f"The link of `coff`, {figures['files']} files, {format_bytes(figures['bytes'])}, "
            f"by lld-link.exe; {len(cold[base])} cold and {len(warm[base])} warm rounds. Times "
            "include the costs of Wine, except that *processor* excludes Wine's server: this is no "
            "measurement of Windows. Wine does not report residency: Headstart times a few reads "
            "of each file. Linux does no more than 128 KiB of a hint, so Headstart splits its "
            "hints under Wine." + sameness(figures["same"]), "",
        *table(["", "cold", "processor", "read from disk", "warm"], links.rows(cold, warm)), "",
        f"The zip has {format_bytes(figures['zip'])}. `lld-link.exe /help`:", "",
        *start_table(figures["starts"])])
