#!/usr/bin/env python3
"""The demonstration: one real cold link, four ways.

Makes some 450 COFF objects (about 770 MB, with CodeView) once, puts them out
of memory before each link, links them in turn with stock lld-link, with stock
lld-link /prefetch-inputs and with Headstart's (without and with the record of
an earlier link), and prints the comparison.
"""

import argparse
import json
import pathlib
import shutil
import sys
import tempfile
from typing import Dict, List

import harness
from harness import Run, Variant, say


STOCK_PREFETCH = "lld-link 22 /prefetch-inputs"


def variants(profile: pathlib.Path) -> List[Variant]:
    """The ways to link. The last one has the record of an earlier link."""
    stock = harness.LLVM / "lld-link"
    ours = harness.BIN / "lld-link"
    return [
        Variant("lld-link 22 (stock)", stock),
        Variant(STOCK_PREFETCH, stock, ["/prefetch-inputs"]),
        Variant("Headstart, first link", ours, ["--prefetch-profile=none"]),
        Variant("Headstart, next links", ours,
                [f"--prefetch-profile={profile}"]),
    ]


def arguments_for(corpus: pathlib.Path, out: pathlib.Path) -> List[str]:
    return ["/Brepro", "/debug", "/entry:main", "/subsystem:console",
            "/nodefaultlib", f"/out:{out}/demo.exe", f"@{corpus}/link.rsp"]


def statistics_of(corpus: pathlib.Path, out: pathlib.Path, size: int) -> dict:
    """One cold link, for its record and what the prefetcher says of itself."""
    harness.make_cold([corpus / "obj"], size)
    report = out.parent / "stats.json"
    ours = variants(out.parent / "profile")[-1]
    ours.options.append(f"--prefetch-stats={report}")
    harness.link(ours, arguments_for(corpus, out), out)
    return json.loads(report.read_text())


def table(cold: Dict[str, List[Run]], warm: Dict[str, List[Run]]) -> str:
    names = list(cold)
    base = cold[names[0]]
    lines = [f"{'':31}{'cold':>8} {'ratio':>7} {'read':>9}"
             f" {'warm':>8} {'ratio':>7}"]
    for name in names:
        lines.append(
            f"{name:31}"
            f"{harness.median(cold[name], 'seconds'):6.2f} s"
            f" {harness.ratio(cold[name], base):7.2f}"
            f" {harness.format_bytes(harness.median(cold[name], 'read_bytes')):>9}"
            f" {harness.median(warm[name], 'seconds'):6.2f} s"
            f" {harness.ratio(warm[name], warm[names[0]]):7.2f}")
    return "\n".join(lines)


def all_outputs(*groups: Dict[str, List[Run]]) -> set:
    """One hash for each different set of outputs. Without the second variant:
    stock lld writes its /prefetch-inputs into the PDB's command line."""
    return {run.outputs for group in groups for name, runs in group.items()
            for run in runs if name != STOCK_PREFETCH}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--warm-rounds", type=int, default=3)
    parser.add_argument("--quick", action="store_true",
                        help="60 objects: seconds instead of minutes")
    parser.add_argument("--throttle", type=int, default=0, metavar="MB/S",
                        help="hold the disk to that speed (root, cgroup v1)")
    parser.add_argument("--json", metavar="FILE", type=pathlib.Path,
                        help="also write the figures there")
    options = parser.parse_args()
    harness.signals_as_exceptions()

    say("1. Sample inputs (made once, about two minutes on two cores)")
    corpus = (harness.make_corpus("quick", ["--objects", "60",
                                            "--bytes", "100M"])
              if options.quick else harness.make_corpus("demo", []))
    objects = [p for p in (corpus / "obj").rglob("*.obj")]
    size = sum(p.stat().st_size for p in objects)
    say(f"   {len(objects)} objects, {harness.format_bytes(size)}, "
        f"in {corpus / 'obj'}")

    scratch = pathlib.Path(tempfile.mkdtemp(prefix="headstart-demo-",
                                            dir=corpus))
    out = scratch / "out"
    try:
        with harness.readahead(128, corpus) as note:
            say(f"2. Cold links, in turn; {note}")
            with harness.throttle(options.throttle, corpus) as held:
                if held:
                    say(f"   {held}")
                stats = statistics_of(corpus, out, size)
                ways = variants(out.parent / "profile")
                arguments = arguments_for(corpus, out)
                cold = harness.run_rounds(ways, arguments, out, options.rounds,
                                          [corpus / "obj"], size)
            say("3. Warm links, in turn")
            harness.warm_up([corpus / "obj"])
            warm = harness.run_rounds(ways, arguments, out,
                                      options.warm_rounds)
    except KeyboardInterrupt:
        say("\nstopped; everything is as it was")
        return 130
    finally:
        shutil.rmtree(scratch, ignore_errors=True)

    say()
    say(f"{len(objects)} objects, {harness.format_bytes(size)}, /debug; "
        f"{harness.machine()}")
    say(f"medians of {options.rounds} cold and {options.warm_rounds} warm "
        "rounds, ratios to stock pair by pair")
    say()
    say(table(cold, warm))
    say()
    say(f"Of {stats['inputs']} inputs {stats['handed_over']} were handed to "
        f"the linker ready-made; "
        f"{harness.format_bytes(stats['hinted_bytes'])} were fetched ahead of "
        f"it, the first after {stats['first_hint_ms']:.0f} ms.")
    hashes = all_outputs(cold, warm)
    same = len(hashes) == 1
    say("Outputs (.exe and .pdb) of stock and Headstart, cold and warm: "
        + ("identical to the byte." if same else "DIFFERENT!"))
    if options.json:
        options.json.write_text(json.dumps({
            "machine": harness.machine(), "objects": len(objects),
            "bytes": size, "stats": stats, "throttle": options.throttle,
            "cold": {n: [vars(r) for r in runs] for n, runs in cold.items()},
            "warm": {n: [vars(r) for r in runs] for n, runs in warm.items()},
        }, indent=1) + "\n")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
