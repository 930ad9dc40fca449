"""Links of the large corpus under known conditions, against stock.

2,000 objects, 2.3 GB, with CodeView, in 120 folders; and the same objects in
archives, of which a link takes an eighth. Each condition (the disk as it is,
held to a speed, memory held to a size) is one benchmark: cold, four ways in
turn, and for one of them warm.
"""

import dataclasses
import json
import pathlib
import shutil
import tempfile
from typing import Dict, List

import harness
from demo import variants
from harness import Run, say

CORPUS = ["--objects", "2000", "--bytes", "2.2G", "--folders", "120",
          "--archive"]


@dataclasses.dataclass
class Condition:
    """What one benchmark holds fixed."""
    title: str
    options: List[str] = dataclasses.field(
        default_factory=lambda: ["/debug"])
    response: str = "link.rsp"
    folders: List[str] = dataclasses.field(default_factory=lambda: ["obj"])
    megabytes_per_second: int = 0   # of the disk; 0: as it is
    reads_per_second: int = 0
    short_memory: bool = False
    rounds: int = 3
    warm_rounds: int = 0


CONDITIONS: Dict[str, Condition] = {
    "debug": Condition("/debug, disk as it is", rounds=5, warm_rounds=7),
    "debug-400": Condition("/debug, disk held to 400 MB/s",
                           megabytes_per_second=400),
    "debug-100": Condition("/debug, disk held to 100 MB/s",
                           megabytes_per_second=100),
    "debug-2000": Condition("/debug, disk held to 2,000 reads/s",
                            reads_per_second=2000),
    "image": Condition("no /debug, disk as it is", options=[],
                       warm_rounds=5),
    "archives": Condition("/debug, archives of which 1/8 is used",
                          response="link-archives.rsp",
                          folders=["obj/launch", "lib"], rounds=5,
                          warm_rounds=5),
    "memory": Condition("/debug, memory for the linker's own data and half of "
                        "the inputs", short_memory=True),
}


def arguments_for(condition: Condition, corpus: pathlib.Path,
                  out: pathlib.Path) -> List[str]:
    return ["/Brepro", *condition.options, "/entry:main",
            "/subsystem:console", "/nodefaultlib", f"/out:{out}/a.exe",
            f"@{corpus}/{condition.response}"]


def statistics_of(condition: Condition, corpus: pathlib.Path,
                  out: pathlib.Path, size: int) -> List[dict]:
    """What the prefetcher says of a first link and of the next. Not throttled:
    bytes do not depend on the disk's speed."""
    report = out.parent / "stats.json"
    result = []
    for way in variants(out.parent / "profile")[2:]:
        # The first has no record and leaves one; the next has it.
        way.options = [f"--prefetch-profile={out.parent / 'profile'}",
                       f"--prefetch-stats={report}"]
        harness.make_cold([corpus / folder for folder in condition.folders],
                          size)
        harness.link(way, arguments_for(condition, corpus, out), out)
        result.append(json.loads(report.read_text()))
    return result


def measure(name: str, factor: float) -> dict:
    """Measures one condition; `factor` scales the number of rounds."""
    condition = CONDITIONS[name]
    if ((condition.megabytes_per_second or condition.reads_per_second)
            and not harness.can_throttle()):
        say("   left out: holding the disk needs root and a blkio cgroup (v1)")
        return {}
    if condition.short_memory and not harness.can_limit_memory():
        say("   left out: holding memory needs root and a memory cgroup (v1)")
        return {}
    corpus = harness.make_corpus("large", CORPUS)
    inputs = [file for folder in condition.folders
              for file in (corpus / folder).rglob("*")
              if file.suffix in (".obj", ".lib")]
    size = sum(file.stat().st_size for file in inputs)
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="headstart-bench-",
                                            dir=corpus))
    out = scratch / "out"
    rounds = max(1, round(condition.rounds * factor))
    warm_rounds = max(1, round(condition.warm_rounds * factor)) \
        if condition.warm_rounds else 0
    ways = variants(scratch / "profile")
    arguments = arguments_for(condition, corpus, out)
    try:
        stats = statistics_of(condition, corpus, out, size)
        memory = own = None
        if condition.short_memory:
            own = harness.own_memory(harness.LLVM / "lld-link", arguments)
            memory = own + size // 2
        with harness.held(corpus, condition.megabytes_per_second,
                          condition.reads_per_second, memory):
            cold = harness.run_rounds(
                ways, arguments, out, rounds,
                [corpus / folder for folder in condition.folders], size)
        warm: Dict[str, List[Run]] = {}
        if warm_rounds:
            harness.warm_up([corpus / folder for folder in condition.folders])
            # The first only settles which pages are mapped in large ones.
            harness.run_rounds(ways, arguments, out, 1)
            warm = harness.run_rounds(ways, arguments, out, warm_rounds)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    names = [run.outputs for runs in (cold, warm) for way, several in
             runs.items() for run in several if "/prefetch" not in way]
    return {
        "title": f"Large: {condition.title}", "inputs": len(inputs), "bytes": size,
        "memory": memory, "own_memory": own, "stats": stats,
        "same": len(set(names)) == 1,
        "cold": {n: [vars(r) for r in runs] for n, runs in cold.items()},
        "warm": {n: [vars(r) for r in runs] for n, runs in warm.items()},
    }


def text(figures: dict) -> str:
    cold, warm = harness.runs_of(figures, "cold"), harness.runs_of(figures, "warm")
    base = next(iter(cold))
    lines = [
        f"## {figures['title']}", "",
        f"{figures['inputs']} files, "
        f"{harness.format_bytes(figures['bytes'])}; {len(cold[base])} cold"
        + (f" and {len(warm[base])} warm" if warm else "") + " rounds."
        + (f" Memory held to {harness.format_bytes(figures['memory'])}, of "
           f"which the linker allocates "
           f"{harness.format_bytes(figures['own_memory'])}."
           if figures["memory"] else ""), "",
        "| | cold | ratio | read from disk |"
        + (" warm | ratio | system time |" if warm else ""),
        "| --- | --- | --- | --- |" + (" --- | --- | --- |" if warm else ""),
    ]
    for name in cold:
        read = harness.format_bytes(harness.median(cold[name], "read_bytes"))
        line = (f"| {name} | {harness.median(cold[name], 'seconds'):.2f} s "
                f"| {harness.ratio(cold[name], cold[base]):.2f} | {read} |")
        if warm:
            line += (f" {harness.median(warm[name], 'seconds'):.2f} s "
                     f"| {harness.ratio(warm[name], warm[base]):.2f} "
                     f"| {harness.ratio(warm[name], warm[base], 'system'):.2f}"
                     " |")
        lines.append(line)
    first, following = figures["stats"]
    lines += ["", "With the disk as it is, a first link fetched "
              + fetched(first) + "; the next one " + fetched(following)
              + ". The outputs of stock and Headstart are "
              + ("the same to the byte." if figures["same"]
                 else "DIFFERENT.")]
    return "\n".join(lines)


def fetched(stats: dict) -> str:
    touched = stats["touched_bytes"]
    return (f"{harness.format_bytes(stats['hinted_bytes'])} ahead of the "
            f"linker, which touched {harness.format_bytes(touched)} "
            f"({stats['hinted_bytes'] / touched:.2f} of it)")
