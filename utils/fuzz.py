#!/usr/bin/env python3
"""Runs the fuzzers of unittests/Fuzzers, two at a time, and prints a table:
each for SECONDS (60), or all together N times (--runs N), shared among them by
the cost of an execution. Fails if a fuzzer found anything."""

import argparse
import concurrent.futures
import os
import pathlib
import random
import re
import subprocess
import sys
import time

# Each fuzzer's share of a hundred executions, and its largest input in bytes.
FUZZERS = {
    "InputScanner": (8, 6144),
    "CommandLine": (3, 2048),
    "Ignore": (8, 2048),
    "Planner": (10, 6144),
    "Layout": (18, 6144),
    "Text": (11, 4096),
    "Manifest": (12, 4096),
    "Profile": (12, 4096),
    "DirectoryRecords": (18, 4096),
}

# libLLVM is not instrumented, so annotations that cross into it are false. The
# other options make allocations cheaper.
ASAN = "detect_container_overflow=0:quarantine_size_mb=8:malloc_context_size=4"
MOST_FINDINGS = 5  # of one fuzzer


def run_once(build, name, limit, seed):
    """Runs a fuzzer. Returns the executions, their costs, whether it failed, its log."""
    corpus = build / "corpus" / name
    corpus.mkdir(parents=True, exist_ok=True)
    log = build / f"{name}.log"
    with open(log, "wb") as out:
        status = subprocess.run(
            [build / "fuzzers" / f"{name}Fuzzer", limit, f"-seed={seed}",
             f"-max_len={FUZZERS[name][1]}", "-timeout=10", "-print_final_stats=1",
             f"-artifact_prefix={build}/{name}-", corpus],
            stdout=out, stderr=subprocess.STDOUT,
            env={**os.environ, "ASAN_OPTIONS": ASAN}).returncode
    text = log.read_text(errors="replace")
    runs = re.findall(r"^stat::number_of_executed_units: *(\d+)", text, re.M)
    costs = re.findall(r"^cost: at most (\d+)%.* (\d+)%.* (\d+)%", text, re.M)
    return (int(runs[-1]) if runs else 0, costs[-1] if costs else "???",
            status != 0, log)


def fuzz(build, name, runs, seconds):
    begin = time.monotonic()
    done, findings, cost = 0, 0, "???"
    while findings < MOST_FINDINGS:
        limit = (f"-runs={runs - done}" if runs else
                 f"-max_total_time={max(1, seconds - int(time.monotonic() - begin))}")
        count, cost, failed, log = run_once(build, name, limit,
                                            random.randrange(1, 1 << 31))
        done += count
        if failed:
            findings += 1
            log.rename(build / f"{name}-finding-{findings}.log")
        if not failed or (done >= runs if runs else
                          time.monotonic() - begin >= seconds):
            break
    rate = done / (time.monotonic() - begin)
    print(f"{name:<17}{done:>12,}{rate:>10,.0f}{findings:>10}   "
          + " ".join(f"{c:>4}%" for c in cost), flush=True)
    return done, findings


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("seconds", type=int, nargs="?", default=60)
    parser.add_argument("--runs", type=int, default=0)
    options = parser.parse_args()
    build = options.build.resolve()
    here = pathlib.Path(__file__).parent
    subprocess.run([sys.executable, here / "make-fuzz-seeds.py", build / "corpus"],
                   check=True)
    print(f"{'fuzzer':<17}{'executions':>12}{'exec/s':>10}{'findings':>10}   "
          "read, allocated, steps: the highest, of what they may be", flush=True)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(
            lambda name: fuzz(build, name, options.runs * FUZZERS[name][0] // 100,
                              options.seconds), FUZZERS))
    done, findings = (sum(column) for column in zip(*results))
    print(f"{'all':<17}{done:>12,}{'':>10}{findings:>10}")
    if findings:
        print(f"what was found: {build}/*-finding-*.log, and the inputs beside")
    return findings != 0


if __name__ == "__main__":
    sys.exit(main())
