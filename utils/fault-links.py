#!/usr/bin/env python3
"""Links while each system call of the prefetcher fails, and compares with stock lld.

The script records a small link of each flavour once: the prefetcher's calls, their number and the
places that make them. Then it lets each call fail with each error that its manual names
(test/Faults/SystemCalls.json), return short, return late, or never return: the first of its kind,
the second, one in the middle, the last, the first from each place, and all. Inputs are cached or
evicted, and the link has a profile or not; each fault gets one of these four conditions in turn.
Outputs, messages and exit status must be those of stock lld, and the link must end.

Prints a line for each call, and every difference with the arguments that repeat it; exits with 1 if
there was one. --write puts the total into a document between its marks.
"""

import argparse
import collections
import datetime
import json
import multiprocessing
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile

import documents
from common import LLVM, ROOT, temporary_directory
from links import residency
from links.judge import same_link
from links.pool import FLAVOURS, tbd

CALLS = ROOT / "test/Faults/SystemCalls.json"
LIMIT = 20  # seconds for a link
STUCK_LIMIT = 5
LATE = "late=50"
MANY = 60
LONGEST = 300  # characters of a difference: stack traces are long
CONDITIONS = [(cold, profile) for profile in (False, True) for cold in (True, False)]
MARKS = ("<!-- faults: written by ./dev faults --write -->", "<!-- faults: end -->")


# -- the inputs ----------------------------------------------------------------

def bytes_of(name, size):
    """The source of a variable of `size` random bytes."""
    rng = random.Random(name)
    values = ",".join(str(rng.randrange(256)) for _ in range(size))
    return f"const unsigned char {name}[] = {{{values}}};\n"


# Large objects are mapped, planned and fetched by ranges; small ones are read.
SOURCES = {
    "main": "int one(int), two(int), three(int), four(int);\n"
            "int main(void) { return one(1) + two(2) + three(3) + four(4); }\n",
    "one": bytes_of("data1", 150000) + "int one(int x) { return data1[x]; }\n",
    "two": bytes_of("data2", 90000) + "int two(int x) { return data2[x]; }\n",
    "three": "int three(int x) { return x * 3; }\n",
    "four": bytes_of("data4", 20000) + "int four(int x) { return data4[x]; }\n",
    "unused": bytes_of("data5", 80000) + "int unused(int x) { return data5[x]; }\n",
}
ELF = ("-o out/x -e main --build-id=sha1 -L none -L libraries -L . main.o one.o "
       "input.ld @rest.rsp").split() + [f"-lempty{n}" for n in range(MANY)]
COFF = ("/Brepro /debug /entry:main /subsystem:console /nodefaultlib:libcmt /libpath:none "
        "/libpath:libraries /out:out/x.exe main.obj one.obj @rest.rsp").split()
MACHO = ("-arch arm64 -platform_version macos 13.0 13.0 -o out/x -Lnone -Llibraries -L. "
         "main.o -filelist list -lparts -lfour libSystem.tbd").split()
REPORTS = ["--prefetch-stats=../stats.json", "--prefetch-trace=../trace.json"]
# kind: flavour, program, arguments, arguments for Headstart only
LINKS = {
    "elf": ("elf", "ld.lld", ELF, []),
    "elf-fails": ("elf", "ld.lld", [*ELF, "missing.o", "one.o"], []),
    "elf-reports": ("elf", "ld.lld", ELF, REPORTS),
    "coff": ("coff", "lld-link", COFF, []),
    "coff-fails": ("coff", "lld-link", [*COFF, "missing.obj"], []),
    "macho": ("macho", "ld64.lld", MACHO, []),
    "macho-fails": ("macho", "ld64.lld", [*MACHO, "-lmissing"], []),
    "run": ("elf", "headstart", ELF, []),
    "run-reports": ("elf", "headstart", ELF, REPORTS),
}
# A warning about a report, which stock cannot print.
OUR_WARNING = b": warning: cannot write '../"


def make_inputs(name, directory, llvm):
    flavour = FLAVOURS[name]
    target = flavour.other if name == "macho" else flavour.triple
    suffix, archive = flavour.suffix, flavour.archive
    (directory / "libraries").mkdir(parents=True)

    def tool(*command):
        subprocess.run([llvm / command[0], *command[1:]], cwd=directory, check=True)

    for source, text in SOURCES.items():
        if source == "main" and name != "macho":
            text = '#pragma comment(lib, "four")\n' + text
        (directory / f"{source}.c").write_text(text)
        tool("clang", f"--target={target}", "-g", "-O1", "-ffunction-sections", "-c",
             f"{source}.c", "-o", f"{source}.{suffix}")
    tool("llvm-ar", "rcs", archive("parts"), f"two.{suffix}", f"unused.{suffix}")
    tool("llvm-ar", "rcs", "libraries/" + archive("four"), f"four.{suffix}")
    for number in range(MANY):  # so that Headstart lists directories
        (directory / f"libraries/other{number}").touch()
        (directory / f"libraries/libempty{number}.a").write_text("!<arch>\n")
    if name == "macho":
        (directory / "libSystem.tbd").write_text(tbd("libSystem.B.dylib", ["dyld_stub_binder"]))
        (directory / "list").write_text("one.o\nthree.o\n")
    else:
        tool("llvm-ar", "rcs", "--thin", archive("thin"), f"three.{suffix}")
    if name == "elf":
        (directory / "input.ld").write_text("GROUP(libparts.a)\n")
        (directory / "rest.rsp").write_text("--whole-archive -lthin\n")
    if name == "coff":
        (directory / "rest.rsp").write_text("parts.lib thin.lib\n")
    for path in directory.glob("*.c"):
        path.unlink()


# -- one link ------------------------------------------------------------------

Counted = collections.namedtuple("Counted", "calls off_main faults sites")


def read_record(path):
    """Returns {name: Counted} from the file that Faults.cpp writes (its struct Call)."""
    layout = struct.Struct("=16s3Q32Q")
    found = {}
    for name, calls, off_main, faults, *sites in layout.iter_unpack(path.read_bytes()):
        if name := name.rstrip(b"\0").decode():
            firsts = [first for address, first in zip(sites[::2], sites[1::2]) if address]
            found[name] = Counted(calls, off_main, faults, firsts)
    return found


class Worker:
    """Links in its own directory; each process has one worker."""

    def __init__(self, work, options):
        self.directory = pathlib.Path(tempfile.mkdtemp(dir=work))
        self.work = work
        self.options = options
        self.expected = {}
        self.cache = self.directory / "cache"
        os.environ["XDG_CACHE_HOME"] = str(self.cache)
        os.environ.pop("HEADSTART_FAULT", None)

    def prepare(self, kind):
        """Stores the result of stock lld, and the profile of a Headstart link."""
        flavour, program, arguments, _ = LINKS[kind]
        place = self.directory / flavour
        if not place.exists():
            shutil.copytree(self.work / flavour, place, symlinks=True)
        os.chdir(place)
        runs = program == "headstart"  # it runs a linker by its path
        stock = str(self.options.stock / ("ld.lld" if runs else program))
        self.expected[kind] = same_link.link(stock, stock if runs else program, arguments, LIMIT)
        shutil.rmtree(self.cache, ignore_errors=True)
        self.link(kind)
        self.cache.mkdir(exist_ok=True)
        self.cache.rename(self.directory / f"cache.{kind}")

    def link(self, kind, limit=LIMIT, **environment):
        _, program, arguments, ours = LINKS[kind]
        if program == "headstart":
            arguments = ["run", *ours, "--", str(self.options.stock / "ld.lld"), *arguments]
        else:
            arguments = [*ours, *arguments]
        result = same_link.link(str(self.options.faults / program), program, arguments, limit,
                                **environment)
        if ours:
            result["standard error"] = b"".join(
                line for line in result["standard error"].splitlines(keepends=True)
                if OUR_WARNING not in line)
        return result

    def try_fault(self, kind, condition, fault):
        """Returns (the differences from stock, the counted calls)."""
        if kind not in self.expected:
            self.prepare(kind)
        cold, profile = condition
        shutil.rmtree(self.cache, ignore_errors=True)
        if profile:
            shutil.copytree(self.directory / f"cache.{kind}", self.cache)
        else:
            self.cache.mkdir()
        os.chdir(self.directory / LINKS[kind][0])
        if cold:
            residency.apply({str(path): residency.EVICTED for path in pathlib.Path(".").rglob("*")
                             if path.is_file() and "out" not in path.parts}, random)
        record = self.directory / "record"
        limit = STUCK_LIMIT if fault.endswith("stuck") else LIMIT
        try:
            got = self.link(kind, limit, HEADSTART_FAULT=",".join(
                filter(None, [f"record={record}", fault])))
            found = list(same_link.differences(self.expected[kind], got))
        except subprocess.TimeoutExpired:
            found = [f"does not end in {limit} s"]
        return found, read_record(record)


def start_worker(work, options):
    global worker
    worker = Worker(work, options)


def try_one(task):
    return task, *worker.try_fault(*task)


# -- the faults ----------------------------------------------------------------

def numbers_of(kind, call, counted, effect, quick):
    if effect == "stuck":
        # Headstart waits for a report that the user has requested.
        if kind.endswith("reports"):
            return []
        return [(counted.off_main + 1) // 2] if counted.off_main else []
    if effect == LATE:
        return [(counted.calls + 1) // 2]
    # No system interrupts a call forever or always returns EAGAIN, for which LLVM's streams retry.
    everything = [] if effect == "EINTR" or (call, effect) == ("write", "EAGAIN") else ["*"]
    if quick:
        return [1, *everything]
    some = {1, counted.calls}
    if "-" not in kind:  # otherwise it is a variant of another kind
        some |= {2, (counted.calls + 1) // 2, *counted.sites}
    return [n for n in sorted(some) if n <= counted.calls] + everything


def effects_of(call, table, options):
    effects = [*table["faulted"][call][0].split(), LATE, "stuck"]
    # With --quick, the first error represents all errors.
    return [e for e in effects if not options.quick or e == effects[0] or e[0] != "E"]


def faults_of(kind, records, table, options):
    for call in table["faulted"]:
        if options.calls and call not in options.calls:
            continue
        met = [(c, records[kind, c][call]) for c in CONDITIONS
               if call in records[kind, c] and records[kind, c][call].calls]
        for effect in effects_of(call, table, options) if met else []:
            # With a fixed start, "all fail" would always have the same condition.
            turn = random.Random(kind + call + effect).randrange(len(met))
            numbers = {c: numbers_of(kind, call, counted, effect, options.quick)
                       for c, counted in met}
            for which in range(max(map(len, numbers.values()))):
                condition = met[(turn + which) % len(met)][0]
                if mine := numbers[condition]:
                    number = mine[min(which, len(mine) - 1)]
                    yield kind, condition, f"{call}:{number}:{effect}"


def report(result):
    """Prints the differences of a link. Returns its result."""
    kind, (cold, profile), fault = result[0]
    how = f"--fault {fault}" if fault else "without a fault"
    for difference in result[1]:
        print(f"--flavour {kind} {how} (inputs {'evicted' if cold else 'cached'}, "
              f"{'a' if profile else 'no'} profile): {difference[:LONGEST]}", flush=True)
    return result


# -- the table -----------------------------------------------------------------

def table_of(results, table):
    """Returns the sums, and the lines of a table with a row for each call that was made."""
    rows = []
    for call, (_, then) in table["faulted"].items():
        if mine := [r for r in results if r[0][2].startswith(call + ":")]:
            tried = {task[2].split(":")[2] for task, _, _ in mine}
            rows.append([call, " ".join(sorted(tried)), then, len(mine),
                         sum(record[call].faults != 0 for *_, record in mine if call in record),
                         sum(bool(found) for _, found, _ in mine)])
    sums = [sum(row[at] for row in rows) for at in (3, 4, 5)]
    return sums, documents.table(["call", "tried", "consequence", "links", "faults", "different"],
                                 rows, texts=(0, 1, 2))


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--faults", type=pathlib.Path, default=ROOT / "build/bin-faults")
    parser.add_argument("--stock", type=pathlib.Path, default=LLVM)
    parser.add_argument("--flavour", dest="kinds", action="append", choices=LINKS)
    parser.add_argument("--call", dest="calls", action="append", metavar="NAME")
    parser.add_argument("--fault", metavar="CALL:N:EFFECT", help="only this fault")
    parser.add_argument("--quick", action="store_true",
                        help="one error for each call, in the first call and in all")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--write", type=pathlib.Path, metavar="FILE")
    options = parser.parse_args()
    options.faults, options.stock = options.faults.resolve(), options.stock.resolve()
    options.kinds = options.kinds or list(LINKS)
    return options


def main() -> int:
    options = parse_arguments()
    table = json.loads(CALLS.read_text(encoding="utf-8"))
    results = []
    with temporary_directory(prefix="faults") as work:
        for flavour in {LINKS[kind][0] for kind in options.kinds}:
            make_inputs(flavour, work / flavour, options.stock)
        tasks = [(kind, condition, "") for kind in options.kinds for condition in CONDITIONS]
        with multiprocessing.Pool(options.jobs, start_worker, (work, options)) as pool:
            results += map(report, pool.imap(try_one, tasks))
            records = {task[:2]: record for task, _, record in results}
            if options.fault:
                faults = [(*task[:2], options.fault) for task in tasks]
            else:
                faults = [fault for kind in options.kinds
                          for fault in faults_of(kind, records, table, options)]
            results += map(report, pool.imap_unordered(try_one, faults, chunksize=4))
        os.chdir(ROOT)
    wrong = [found for _, found, _ in results if found]
    (links, faults, different), lines = table_of(results, table)
    print("\n".join(lines))
    met = {call for record in records.values() for call in record}
    print("made by none of these links:", *sorted(set(table["faulted"]) - met))
    print(f"{len(results)} links, {len(wrong)} different")
    if not any(record[call].faults for _, _, record in results for call in record):
        sys.exit("fault-links.py: no call failed: these are not the faulty programs")
    if options.write:
        documents.replace_section(options.write, *MARKS,
                                  f"\n{links:,} links with {faults:,} faults in {len(lines) - 2} "
                                  f"calls, {different:,} different ({datetime.date.today()}).\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
