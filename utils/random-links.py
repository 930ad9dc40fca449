#!/usr/bin/env python3
"""Runs random links with the stock linker and with ours.

Each seed is one link: inputs from a pool (links/pool.py), some of them damaged, combined
by the methods of the flavour, with random options. Our linker runs in a random variant:
threads, memory, profiles of other links, inputs of which all, half, or some pages are evicted. The
script compares outputs, messages and exit status as same-link.py does; a link that takes longer
than --timeout is a difference. If stock differs from itself (its threads report errors in another
order; it reads past the end of a truncated input), the script compares only results that never
vary, with lines in any order, and counts the link.

--seed N repeats one link, and leaves its directory. The script shrinks a link as long as
it differs. The same seed gives the same link.

The last line of each flavour is a summary. The exit status is 1 if there was a
difference, or if hardly any links succeeded or failed, which would prove nothing.
"""

import collections
import concurrent.futures
import os
import pathlib
import shlex
import shutil
import sys
import time

from links.judge import Judge, Response, Way, parser_of, prepare, render
from links.maker import Maker
from links.pool import Pool

POOL = 1000  # seeds that share one pool


def smaller(parts):
    """Yields the command line without one of its parts, for each part."""
    for at, part in enumerate(parts):
        before, after = parts[:at], parts[at + 1:]
        yield before + after
        if isinstance(part, Response):
            yield before + part.parts + after
            for less in smaller(part.parts):
                yield before + [Response(part.name, less)] + after
        elif len(part) > 1:
            for word in range(len(part)):
                yield before + [part[:word] + part[word + 1:]] + after


def shrink(judge: Judge, parts, way: Way, status, found, seconds=120.0):
    """Returns the smallest link with one of the same differences that it finds in time."""
    judge.timeout = min(judge.timeout, 10)
    end = time.monotonic() + seconds
    what = {text.split(":")[0] for text in found}

    def differs(parts, way):
        for _ in range(2 if time.monotonic() < end else 0):
            again, found, _ = judge.judge(parts, way)
            if again == status and {f.split(":")[0] for f in found} & what:
                return True
        return False
    shrunk = True
    while shrunk:
        shrunk = False
        for less in way.smaller():
            if less != way and differs(parts, less):
                way, shrunk = less, True
                break
        for less in smaller(parts):
            if differs(less, way):
                parts, shrunk = less, True
                break
    return parts, way


def make_here(folder: pathlib.Path, pool: Pool, seed: int):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    os.chdir(folder)
    os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
    maker = Maker(pool, seed)
    return maker.make(), maker.way()


def show(arguments, flavour: str, pool: Pool, seed: int, verbose: bool):
    """Repeats a link in a directory that stays, and shrinks it if it differs."""
    folder = arguments.work / f"{flavour}-{seed}"
    parts, way = make_here(folder, pool, seed)
    judge = Judge(arguments, flavour)
    lines = [f"{flavour} {seed}: in {folder}", f"  ours: {way}"]
    if verbose:
        lines.append(f"  {judge.linker} {shlex.join(render(parts))}")
    status, found, unsteady = judge.judge(parts, way)
    for _ in range(1 if verbose else 10):
        if not found:
            status, found, unsteady = judge.judge(parts, way)
    lines.append(f"  stock's exit status {status.decode()}, {len(found)} "
                 f"differences{', stock is unsteady' if unsteady else ''}")
    if found:
        parts, way = shrink(judge, parts, way, status, found)
        words = render(parts)
        found = judge.judge(parts, way)[1] or found
        lines += [f"  smallest: cd {folder} && {judge.linker} "
                  f"{shlex.join(words)}", f"  ours: {way}"]
        lines += ["  " + text.replace("\n", "\n  ")[:3000] for text in found]
    return bool(found), "\n".join(lines)


def one_seed(arguments, flavour: str, pool: Pool, seed: int):
    folder = arguments.work / f"{flavour}-worker-{os.getpid()}"
    parts, way = make_here(folder, pool, seed)
    status, found, unsteady = Judge(arguments, flavour).judge(parts, way)
    text = ""
    if found:
        text = "\n".join(found)[:1500]
        again, told = show(arguments, flavour, pool, seed, False)
        text = told if again else f"{told}\n  was: {text}\n  not seen again"
    os.chdir("/")
    return status, text, unsteady


def worker(arguments, flavour: str, pool: Pool, seeds):
    done = [(seed, *one_seed(arguments, flavour, pool, seed)) for seed in seeds]
    shutil.rmtree(arguments.work / f"{flavour}-worker-{os.getpid()}", ignore_errors=True)
    return done


def run_flavour(arguments, flavour: str) -> bool:
    begun, used = time.monotonic(), sum(os.times()[:4])
    counts = collections.Counter()
    last = arguments.first + arguments.count
    for number in range(arguments.first // POOL, -(-last // POOL)):
        pool = Pool(flavour, number, arguments.stock, arguments.work, arguments.jobs)
        seeds = range(max(arguments.first, number * POOL), min((number + 1) * POOL, last))
        with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as executor:
            batches = [executor.submit(worker, arguments, flavour, pool, seeds[at:at + 20])
                       for at in range(0, len(seeds), 20)]
            for batch in concurrent.futures.as_completed(batches):
                for _, status, text, unsteady in batch.result():
                    counts["linked" if status == b"0" else "failed"] += 1
                    counts["unsteady"] += unsteady
                    counts["different"] += bool(text)
                    if text:
                        print(text, flush=True)
    used = sum(os.times()[:4]) - used
    print(f"{flavour}: {arguments.count} links, {counts['linked']} linked, {counts['failed']} "
          f"failed with an error, {counts['different']} different, {counts['unsteady']} in which "
          f"stock differs from itself, {time.monotonic() - begun:.0f} s, {used:.0f} s of processor",
          flush=True)
    few = min(counts["linked"], counts["failed"]) * 5 < arguments.count
    if few:
        print(f"{flavour}: too few linked or failed to prove anything")
    return not counts["different"] and (not few or arguments.count < 50)


def main() -> int:
    parser = parser_of(__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, help="show this one again")
    arguments = parser.parse_args()
    prepare(arguments)
    good = True
    for flavour in arguments.flavours:
        if arguments.seed is None:
            good &= run_flavour(arguments, flavour)
        else:
            pool = Pool(flavour, arguments.seed // POOL, arguments.stock,
                        arguments.work, arguments.jobs)
            bad, text = show(arguments, flavour, pool, arguments.seed, True)
            print(text)
            good &= not bad
    return not good


if __name__ == "__main__":
    sys.exit(main())
