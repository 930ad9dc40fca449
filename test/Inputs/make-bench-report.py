#!/usr/bin/env python3
"""Writes an invented report of `headstart bench`, for the tests of its page.

    make-bench-report.py KIND

Kinds: normal (all five variants), old (from before Headstart off was a variant), many
(4,000 inputs), one (a variant, an input), nulls (every optional value is unknown), few
(too few rounds for a verdict), noisy (rounds too noisy to show a difference), empty (no
round, no input), hostile (names with markup). The same kind gives the same bytes. The
figures are consistent: medians are those of the rounds, and the bytes of the inputs add
up to the last sample.
"""

import json
import random
import statistics
import sys

MB = 1_000_000
PHASES = [("parse", 0.38), ("symbols", 0.12), ("sections", 0.08),
          ("types", 0.24), ("write", 0.13), ("PDB", 0.05)]


def make_files(count, total, rng):
    """Inputs in the order of a link: objects by directory, then archives."""
    directories = ["obj/core", "obj/core/memory", "obj/render", "obj/render/shaders",
               "obj/physics", "obj/audio", "obj/net", "obj/ui",
               "obj/ui/widgets", "obj/scripting"]
    archives = ["third_party/zlib/zlib.lib", "third_party/png/libpng16.lib",
                "third_party/physx/physx.lib", "third_party/v8/v8_monolith.lib",
                "sdk/lib/um/x64/kernel32.lib", "sdk/lib/um/x64/user32.lib",
                "sdk/lib/ucrt/x64/libucrt.lib", "sdk/lib/msvcrt.lib"]
    archives = archives if count > 20 else []
    files = []
    for number in range(count - len(archives)):
        directory = directories[number * len(directories) // max(count, 1)]
        files.append({"path": f"{directory}/unit_{number:04}.obj",
                      "bytes": int(rng.lognormvariate(0, 1.1) * 1e6),
                      "why": "response file"})
    for number, path in enumerate(archives):
        files.append({"path": path,
                      "bytes": int((8 if "v8" in path else 1) * 4e6
                                   * count / 450),
                      "why": "default library" if "sdk" in path
                      else "command line"})
    scale = total / sum(file["bytes"] for file in files)
    for file in files:
        file["bytes"] = max(1, int(file["bytes"] * scale))
    return files


def make_series(median, spread, rounds, rng, figures, base=None):
    """Rounds around a median; cold variants have one more, which is discarded."""
    cold = figures["read_bytes"] > 0
    entries = []
    for number in range(rounds):
        seconds = median * (1 + rng.uniform(-spread, spread))
        outlier = cold and base is None and number == 2
        if outlier:
            seconds *= 1.22
        entries.append({
            "seconds": round(seconds, 4),
            "user_seconds": round(median * 0.3, 4),
            "system_seconds": round(median * 0.12, 4),
            "major_faults": int(figures["major_faults"]
                                * (1 + rng.uniform(-0.02, 0.02))),
            "read_bytes": int(figures["read_bytes"]
                              * (1 + rng.uniform(-0.01, 0.01))),
            "peak_memory_bytes": figures["peak_memory_bytes"],
            "resident_before_bytes": 0 if cold else figures["inputs_bytes"],
            "kept": True, "outlier": outlier,
            "note": "1.22 of the median" if outlier else None})
    if cold and base is not None:
        again = dict(entries[1], kept=False,
                     seconds=round(entries[1]["seconds"] * 0.86, 4),
                     resident_before_bytes=figures["inputs_bytes"] // 8,
                     note="12% of the inputs stayed cached")
        entries.insert(2, again)
    kept = [entry["seconds"] for entry in entries if entry["kept"]]
    middle = statistics.median(kept)
    series = {
        "rounds": entries, "median_seconds": middle,
        "min_seconds": min(kept), "max_seconds": max(kept),
        "deviation_seconds": statistics.median(abs(s - middle) for s in kept),
        "median_read_bytes": statistics.median_low(
            e["read_bytes"] for e in entries if e["kept"]),
        "median_major_faults": statistics.median_low(
            e["major_faults"] for e in entries if e["kept"]),
        "ratio": None, "verdict": "base"}
    if base is not None:
        series.update(compare(series, base))
    return series


def compare(series, base):
    """The ratio to another series, and its verdict."""
    kept, before = ([e["seconds"] for e in one["rounds"] if e["kept"]]
                    for one in (series, base))
    ratios = sorted(a / b for a, b in zip(kept, before))
    return {"ratio": {"median": statistics.median(ratios),
                      "low": ratios[0], "high": ratios[-1]},
            "verdict": ("faster" if ratios[-1] < 0.99 else
                        "slower" if ratios[0] > 1.01 else "no difference")}


def curve(steps, power):
    """A curve from 0 to 1."""
    return [(step / (steps - 1)) ** power for step in range(steps)]


def make_link(seconds, files, is_cold, knows_fetches, waste, rng):
    """An observed link: samples about every 10 ms, phases, inputs."""
    steps = max(12, int(seconds * 100))
    times = [0.0]
    for _ in range(steps - 1):
        times.append(round(times[-1] + rng.uniform(0.7, 1.3)
                           * seconds * 1000 / (steps - 1), 2))
    end = times[-1]
    shares = {id(file): 0.12 if file["path"].endswith(".lib")
              else rng.uniform(0.62, 0.97) for file in files}
    inputs = {"resident_before_bytes": [0 if is_cold else file["bytes"]
                                        for file in files],
              "touched_bytes": [int(file["bytes"] * shares[id(file)])
                                for file in files],
              "fetched_bytes": None, "wasted_bytes": None}
    if knows_fetches:
        fetched, wasted = [], []
        for file, touched in zip(files, inputs["touched_bytes"]):
            in_vain = min(file["bytes"] - touched,
                          int(file["bytes"] * waste * rng.uniform(0.3, 1.7)))
            fetched.append(int(touched * 0.97) + in_vain if is_cold else 0)
            wasted.append(in_vain if is_cold else 0)
        inputs["fetched_bytes"], inputs["wasted_bytes"] = fetched, wasted
    touched = sum(inputs["touched_bytes"])
    # The touched bytes grow with the phases: parsing, sections, types.
    touching = [(0.42 * min(1, x / 0.38) + 0.33 * min(1, max(0, x - 0.5) / 0.1)
                 + 0.25 * min(1, max(0, x - 0.6) / 0.25)) for x in curve(steps, 1)]
    samples = {"ms": times, "fetched_bytes": None,
               "touched_bytes": [int(touched * t) for t in touching],
               "major_faults": [], "read_bytes": [], "memory_bytes": []}
    total_fetched = sum(inputs["fetched_bytes"] or [0])
    ahead = [min(1, x / 0.72) for x in curve(steps, 0.9)]
    if knows_fetches:
        samples["fetched_bytes"] = [int(total_fetched * a) for a in ahead]
    for step in range(steps):
        came = total_fetched * ahead[step] + max(
            0, touched - total_fetched) * touching[step]
        samples["read_bytes"].append(int(came * 1.04) if is_cold else 0)
        faults = (touched - min(touched, total_fetched)) / 90_000 + 140
        samples["major_faults"].append(
            int(faults * touching[step]) if is_cold else 0)
        samples["memory_bytes"].append(int(
            60 * MB + 240 * MB * min(1, step / steps / 0.4)
            + (180 * MB if step / steps > 0.62 else 0)))
    phases, begin = [], 0.0
    for name, share in PHASES:
        phases.append({"name": name, "begin_ms": round(begin, 1),
                       "end_ms": round(begin + share * end, 1)})
        begin += share * end
    return {"seconds": round(end / 1000, 4), "samples": samples,
            "phases": phases, "inputs": inputs, "stats": {
                "version": 1, "tool": "lld-link", "mode": "on",
                "inputs": len(files), "hinted_bytes": total_fetched,
                "jobs": 8, "profile": "used", "errors": [],
                "stores": [{"request_us": 12.5, "byte_ns": 0.71,
                            "latency_ms": 0.105, "name_ms": 0,
                            "at_once": 14, "samples": 26}],
                "decisions": {"not cached": len(files), "handed over": len(files),
                              "whole cheaper": len(files) // 3,
                              "by layout": len(files) - len(files) // 3,
                              "large pages": 1},
            } if knows_fetches else None}


def make_report(count=450, total=769 * MB, variants=5, seed=1):
    rng = random.Random(seed)
    files = make_files(count, total, rng)
    size = sum(file["bytes"] for file in files)
    report = {
        "version": 1, "program": "headstart 0.1.0 (LLVM 22.1.8)",
        "date": "2026-11-22T03:00:00Z",
        "machine": {"system": "Linux 6.18.44",
                    "processor": "AMD EPYC 9R14 (2 threads)", "cores": 2,
                    "memory_bytes": 8_256_000_000, "disk": "vda",
                    "file_system": "ext4", "readahead_bytes": 131_072},
        "folder": "/home/me/project",
        "command": ["build/bin/lld-link", "@game.rsp"],
        "linker": {"name": "lld-link", "flavour": "coff", "kind": "headstart",
                   "stock": "/usr/lib/llvm-22/bin/lld-link"},
        "rounds": {"cold": 5, "warm": 5}, "notes": [
            "The first round of each variant was a warm-up and is not counted."],
        "inputs": {"count": len(files), "bytes": size, "files": files},
        "variants": [],
        "outputs": {"same": True, "note": None,
                    "files": [{"name": "game.exe", "bytes": 92_340_224},
                              {"name": "game.pdb", "bytes": 241_172_480}]}}
    scale = size / (769 * MB)
    plan = [("stock", "lld-link 22.1.8 (stock)", 3.84, 1.52, 6900, 0),
            ("stock-prefetch", "lld-link 22.1.8 (stock) /prefetch-inputs", 3.55,
             1.53, 5100, 0),
            ("off", "Headstart off (HEADSTART=off)", 3.70, 1.41, 6850, 0),
            ("on", "Headstart, first link (no profile)", 2.31, 1.42, 420, 0.06),
            ("on+profile", "Headstart, next link (profile of the first)", 2.02,
             1.42, 160, 0.01)]
    bases, offs = {}, {}
    for name, title, cold, warm, faults, waste in plan[:variants]:
        variant = {"name": name, "title": title,
                   "command": ["/tmp/bench-8f2a/lld-link", "@game.rsp",
                               "/out:/tmp/bench-8f2a/game.exe"],
                   "environment": {"HEADSTART": "off"} if name == "off"
                   else {}, "observed": {}}
        if name == "stock-prefetch":
            variant["command"].append("/prefetch-inputs")
        for state, median in (("cold", cold), ("warm", warm)):
            is_cold = state == "cold"
            figures = {"major_faults": faults if is_cold else 0,
                       "read_bytes": int(size * 0.83) if is_cold else 0,
                       "peak_memory_bytes": 1_420 * MB, "inputs_bytes": size}
            variant[state] = make_series(median * scale,
                                         0.03 if is_cold else 0.015, 5, rng,
                                         figures, bases.get(state))
            bases.setdefault(state, variant[state])
            if name == "off":
                offs[state] = variant[state]
            variant[state]["to_off"] = compare(variant[state], offs[state]) \
                if name.startswith("on") and offs else None
            variant["observed"][state] = make_link(
                median * scale * 1.03, files, is_cold, name.startswith("on"),
                waste, rng)
        report["variants"].append(variant)
    return report


def old(report):
    """Changes a report to the format in which stock was called off."""
    report["variants"] = [v for v in report["variants"] if v["name"] != "off"]
    report["variants"][0]["name"] = "off"
    for variant in report["variants"]:
        for state in ("cold", "warm"):
            del variant[state]["to_off"]
    return report


def without(report):
    """Removes every value that the format lets be unknown from a report."""
    machine = report["machine"]
    for key in ("disk", "file_system", "readahead_bytes"):
        machine[key] = None
    report["linker"].update(stock=None, kind="other")
    report["notes"] = []
    report["outputs"] = {"same": None, "files": [],
                         "note": "the linker writes the time into its output"}
    for number, variant in enumerate(report["variants"]):
        variant["warm"] = None
        series = variant["cold"]
        for entry in series["rounds"]:
            for key in ("major_faults", "read_bytes", "peak_memory_bytes",
                        "resident_before_bytes", "note"):
                entry[key] = None
        series.update(median_read_bytes=None, median_major_faults=None,
                      ratio=None, verdict="unknown" if number else "base")
        variant["observed"]["warm"] = None
        link = variant["observed"]["cold"]
        if number == 0:
            for key in link["samples"]:
                if key != "ms":
                    link["samples"][key] = None
            link.update(phases=None, stats=None, inputs={
                "resident_before_bytes": None, "fetched_bytes": None,
                "touched_bytes": None, "wasted_bytes": None})
        elif number == 1:
            variant["observed"]["cold"] = None
            for entry in series["rounds"]:
                entry["kept"] = False
            series.update(median_seconds=None, min_seconds=None,
                          max_seconds=None, deviation_seconds=None)
        else:
            # Some values are known.
            link["samples"].update(major_faults=None, read_bytes=None)
            link["inputs"].update(touched_bytes=None, wasted_bytes=None)
            link["phases"] = None
    return report


def few(report):
    """Gives ratios an unknown verdict, and unsets a variable."""
    for variant in report["variants"]:
        variant["environment"] = {"HEADSTART": None, "HEADSTART_FLAGS": "-a 'b'"}
        for state in ("cold", "warm"):
            series = variant[state]
            if series["ratio"]:
                series["verdict"] = "unknown"
            if series["to_off"]:
                series["to_off"]["verdict"] = "unknown"
    return report


def noisy(report):
    """Gives cold ratios a wide range, and warm ones a narrow range."""
    for variant in report["variants"]:
        for state, low, high in (("cold", 0.84, 1.12), ("warm", 0.98, 1.01)):
            series = variant[state]
            for one in filter(None, (series, series["to_off"])):
                if one["ratio"]:
                    one.update(ratio={"median": 0.99, "low": low, "high": high},
                               verdict="no difference")
    return report


def hostile(report):
    bad = "</script><!--<script>document.hacked=1</script>"
    image = "\"'><img src=https://example.invalid/x onerror=document.hacked=2>"
    report["command"] = ["ld", bad, image, "&lt;b&gt;", "x" * 300]
    report["folder"] = "/tmp/" + bad
    report["notes"] = [bad + image, "line\u2028separator \u202eright to left",
                       "]]> --> */ ` ${document.hacked=3} \\"]
    report["program"] = image
    report["machine"].update(disk=bad, processor=image, system=bad)
    report["outputs"]["files"][0]["name"] = bad
    report["outputs"]["note"] = image
    names = [bad, image, "obj/" + "very_long_name_" * 24 + ".obj",
             "C:\\sdk\\lib\\é中文🚀.lib", "__proto__", "constructor/toString",
             "a//b/../c.obj", "/", "obj", "obj/under a file.obj", "",
             "W" * 120 + "/m.obj", "W" * 120 + "/w.obj", "obj/WWWWMMMM.obj"]
    for file, name in zip(report["inputs"]["files"], names):
        file["path"] = name
        file["why"] = bad
    for variant in report["variants"]:
        variant["title"] += " " + image
        variant["command"] = report["command"]
        variant["environment"] = {bad: image}
        for state in ("cold", "warm"):
            for entry in variant[state]["rounds"]:
                entry["note"] = bad
            for phase in variant["observed"][state]["phases"]:
                phase["name"] = bad if phase["name"] == "parse" else phase["name"]
    report["variants"][1]["name"] = "constructor"
    return report


def make(kind):
    if kind == "normal":
        return make_report()
    if kind == "old":
        return old(make_report())
    if kind == "many":
        return make_report(4000, 3400 * MB, seed=2)
    if kind == "one":
        report = make_report(1, 40 * MB, variants=1, seed=3)
        report["rounds"] = {"cold": 5, "warm": 5}
        return report
    if kind == "nulls":
        return without(make_report(60, 90 * MB, variants=4, seed=4))
    if kind == "empty":
        report = without(make_report(5, 5 * MB, variants=1, seed=5))
        report["inputs"] = {"count": 0, "bytes": 0, "files": []}
        report["variants"][0].update(cold=None,
                                     observed={"cold": None, "warm": None})
        return report
    if kind == "few":
        return few(make_report(30, 40 * MB, variants=4, seed=7))
    if kind == "noisy":
        return noisy(make_report(30, 40 * MB, seed=8))
    if kind == "hostile":
        return hostile(make_report(40, 60 * MB, seed=6))
    raise SystemExit(f"make-bench-report.py: no kind '{kind}'")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    json.dump(make(sys.argv[1]), sys.stdout)
    sys.stdout.write("\n")
