"""Measures the programs for Windows under Wine. This is no measurement of Windows.

The host evicts the inputs. A ratio includes the cost of Wine.
"""

import pathlib

import harness
import links
import samples
from figures import format_bytes, kept, runs_of, sameness, table
from harness import Variant, say

STOCK = harness.ROOT / "build-tools" / "llvm-windows" / "build" / "bin" / "lld-link.exe"
OURS = harness.ROOT / "build-windows" / "bin" / "lld-link.exe"
ROUNDS = 5


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


def measure(factor: float) -> dict:
    if not STOCK.exists() or not OURS.exists():
        say("   skipped: the programs for Windows are not built (./dev windows)")
        return {}
    sample = samples.coff_medium()
    size = sample.size()
    with harness.scratch_in(sample.folder) as scratch, harness.held(sample.folder) as readahead:
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
    return {"files": len(sample.files()), "bytes": size, "readahead": readahead, "cold": kept(cold),
            "warm": kept(warm), "same": same}


def text(figures: dict) -> str:
    cold, warm = runs_of(figures, "cold"), runs_of(figures, "warm")
    base = next(iter(cold))
    return "\n".join([
        "## The programs for Windows, under Wine 8",
        "", f"The link of `coff`, {figures['files']} files, {format_bytes(figures['bytes'])}, "
            f"by lld-link.exe; {len(cold[base])} cold and {len(warm[base])} warm rounds. Times "
            "include the costs of Wine, except that *processor* excludes Wine's server: this is no "
            "measurement of Windows." + sameness(figures["same"]), "",
        *table(["", "cold", "processor", "read from disk", "warm"], links.rows(cold, warm))])
