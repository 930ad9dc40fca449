#!/usr/bin/env python3
"""Runs lld's own test suite with stock lld and with Headstart, and compares.

The tests are lld 19's, which utils/fetch-lld-tests.py puts into build-tools/lld-19. They run with
the programs of the LLVM that Headstart is built with, once with its linkers and once for each
variant of Headstart. A test differs if it passes on one side only, or fails at another line; it
then runs three more times on both sides, in turn. Every difference is printed with the output of
the failing line. The exit status is 1 if there is one, and 77 if the tests are not available.
"""

import argparse
import collections
import contextlib
import dataclasses
import datetime
import json
import os
import pathlib
import platform
import re
import shlex
import shutil
import signal
import subprocess
import sys

import documents
from common import LLVM, ROOT, skip
from links import residency

BIN = ROOT / "build" / "bin"
DIRECTORY = ROOT / "build-tools" / "lld-19"
TESTS = DIRECTORY / "test"
LIT = [sys.executable, DIRECTORY / "utils" / "lit" / "lit.py"]
SUITES = ("COFF", "ELF", "MachO", "MinGW")
LINKERS = ("ld.lld", "lld-link", "ld64.lld", "lld")
TIMEOUT = 300  # seconds for one link
RESULTS = DIRECTORY / "results.json"
DOCUMENT = ROOT / "docs" / "internals" / "Conformance.md"
ROUNDS = 3  # more runs of a test that differs


@dataclasses.dataclass
class Variant:
    description: str
    environment: dict = dataclasses.field(default_factory=dict)
    wrapper: str = ""    # a shell script in the linker's place
    stock: str = ""      # such a script on stock's side
    named: bool = False  # runs only if requested by name


# Evicts the inputs first. stdin is for the linker.
INPUTS = """#!/bin/bash
files=()
while IFS=$'\\t' read -r path _; do
  [ ! -f "$path" ] || files+=("$path")
done < <({headstart} inputs -- {linker} "$@" </dev/null 2>/dev/null)
[ ${{#files[@]}} -eq 0 ] ||
  EVICT </dev/null >/dev/null 2>&1
exec -a "$0" {linker} "$@"
"""
COLD = INPUTS.replace("EVICT", '{headstart} evict -- "${{files[@]}}"')
# Evicts a random half of the inputs, some only in part; the arguments are the seed.
DRAW = shlex.join([sys.executable, str(ROOT / "utils/links/residency.py"), "half"])
HALF = INPUTS.replace("EVICT", DRAW + ' "$*" "${{files[@]}}"')
RUN = '#!/bin/bash\nexec {headstart} run -- {stock} "$@"\n'
# Gives both sides the same name, since a PDB contains it.
BY_PATH = '#!/bin/bash\nexec {stock} "$@"\n'
# lld's tests set LLD_IN_TEST to 1, to link once and clean up; COFF's tests set it to 2.
TIMES = '#!/bin/bash\nLLD_IN_TEST=%s exec -a "$0" {linker} "$@"\n'

# Links twice. Freed memory is filled, so that a read of it fails on both sides.
FILLED = "2 MALLOC_PERTURB_=85"
# In these tests stock reads memory that it has freed, whose contents decide the result.
FREED = "stock reads freed memory (valgrind: reportPendingDuplicateSymbols of " \
    "ld64.lld 22 keeps a first link's symbols for the second)"
KNOWN = {"twice: MachO/abs-duplicate.s": FREED, "twice: MachO/force-load.s": FREED}

VARIANTS = {
    "plain": Variant("no change"),
    "cold": Variant("every input is evicted before each link", wrapper=COLD),
    "half": Variant("a random half of the inputs is evicted before each link, some of "
                    "them page by page; the rest is cached", wrapper=HALF),
    "jobs1": Variant("one prefetching thread", {"HEADSTART_FLAGS": "--prefetch-jobs=1"}),
    "jobs16": Variant("sixteen prefetching threads", {"HEADSTART_FLAGS": "--prefetch-jobs=16"}),
    "handover-none": Variant("inputs are fetched, but no buffer is handed over",
                             {"HEADSTART_FLAGS": "--prefetch-handover=none"}),
    "delays": Variant("the engine's threads wait at random points "
                      "(--linkers build/bin-faults --env NAME=SEED)", named=True),
    "run": Variant("stock lld under `headstart run`", wrapper=RUN, stock=BY_PATH),
    "at-work": Variant("lld exits without cleaning up, as in a build (LLD_IN_TEST=0), on both "
                       "sides", wrapper=TIMES % "0", stock=TIMES % "0"),
    "twice": Variant("each process links twice (LLD_IN_TEST=2), on both sides; "
                     "freed memory is filled (MALLOC_PERTURB_)",
                     wrapper=TIMES % FILLED, stock=TIMES % FILLED),
}


# -- the tests with one set of linkers ---------------------------------------

SITE = """
import lit.llvm

for name, value in {settings!r}.items():
    setattr(config, name, value)
lit.llvm.initialize(lit_config, config)
lit_config.load_config(config, {config!r})
config.environment.update({environment!r})
"""


def say(text: str) -> None:
    print(f"==> {text}", file=sys.stderr, flush=True)


@dataclasses.dataclass
class Result:
    code: str   # passed, failed or unsupported
    where: str  # the line that failed
    output: str

    def same(self, other: "Result") -> bool:
        return (self.code, self.where) == (other.code, other.where)


CODES = {"PASS": "passed", "XFAIL": "passed", "FLAKYPASS": "passed", "UNSUPPORTED": "unsupported"}


def read_result(test: dict) -> Result:
    code = CODES.get(test["code"], "failed")
    if code != "failed":
        return Result(code, "", "")
    # Each RUN line is printed before it runs.
    lines = re.findall(r"RUN: at line \d+", test["output"])
    return Result(code, lines[-1][5:] if lines else test["code"].lower(), test["output"])


def llvm_has(name: str) -> bool:
    text = (LLVM.parent / "lib/cmake/llvm/LLVMConfig.cmake").read_text()
    return bool(re.search(rf"set\({name} (1|ON|TRUE)\)", text))


def settings_of(directory: pathlib.Path) -> dict:
    """The settings that CMake would write into lld's lit.site.cfg.py."""
    triple = subprocess.check_output([LLVM / "llvm-config", "--host-target"], text=True).strip()
    library = str(LLVM.parent / "lib")
    return {
        "lld_obj_root": str(directory), "lld_tools_dir": str(directory / "bin"),
        "lld_libs_dir": library, "llvm_libs_dir": library,
        "llvm_tools_dir": str(LLVM), "lit_tools_dir": "",
        "llvm_shlib_dir": library, "llvm_shlib_ext": ".so",
        "errc_messages": "", "host_triple": triple, "target_triple": triple,
        "python_executable": sys.executable, "sizeof_void_p": 8,
        "have_zlib": llvm_has("LLVM_ENABLE_ZLIB"),
        "have_zstd": llvm_has("LLVM_ENABLE_ZSTD"),
        "have_libxml2": llvm_has("LLVM_ENABLE_LIBXML2"),
        "has_plugins": llvm_has("LLVM_ENABLE_PLUGINS"),
        "enable_backtrace": True, "have_dia_sdk": False,
        "ld_lld_default_mingw": False, "build_examples": False,
        "linked_bye_extension": False,
    }


class Side:
    """The tests with one set of linkers, in their own directory."""

    def __init__(self, directory: pathlib.Path, linkers: pathlib.Path, variant: Variant, jobs: int):
        self.directory = directory
        self.jobs = jobs
        self.tests = directory / "test"
        shutil.rmtree(directory, ignore_errors=True)
        (directory / "bin").mkdir(parents=True)
        for suite in SUITES:
            (self.tests / suite).mkdir(parents=True)
        for name in LINKERS:
            self.install(name, linkers, variant)
        environment = {"XDG_CACHE_HOME": str(directory / "cache"), **variant.environment}
        (self.tests / "lit.site.cfg.py").write_text(SITE.format(
            settings=settings_of(directory), config=str(TESTS / "lit.cfg.py"),
            environment=environment))

    def install(self, name: str, linkers: pathlib.Path, variant: Variant) -> None:
        """Puts a linker, or its wrapper, into `bin`."""
        ours = self.directory / "bin" / name
        if not (linkers / name).exists():
            return  # stock's is next in PATH
        if not variant.wrapper:
            ours.symlink_to(linkers / name)
            return
        headstart = linkers / "headstart"
        programs = {"headstart": headstart if headstart.exists() else BIN / "headstart",
                    "linker": linkers / name, "stock": LLVM / name}
        ours.write_text(variant.wrapper.format(**{
            what: shlex.quote(str(path)) for what, path in programs.items()}))
        ours.chmod(0o755)

    def names(self) -> list:
        listed = subprocess.check_output(
            [*LIT, "--quiet", "--show-tests", *(self.tests / s for s in SUITES)], text=True)
        return sorted(re.findall(r"(?m)^ +lld :: (.*)$", listed))

    def run(self, names: list) -> dict:
        output = self.directory / "output.json"
        output.unlink(missing_ok=True)
        wanted = self.directory / "wanted"
        wanted.write_text("".join(f"{self.tests / n}\n" for n in names))
        lit = subprocess.Popen(
            [*LIT, "-v", "--ignore-fail", f"-j{self.jobs}", f"--output={output}", f"@{wanted}"],
            stdout=open(self.directory / "log", "w", encoding="utf-8"),
            stderr=subprocess.STDOUT, start_new_session=True)
        try:
            while lit.poll() is None:
                # lit's own timeout would need another package of Python.
                subprocess.run(["pkill", "-ABRT", "--session", str(lit.pid), "--older",
                                str(TIMEOUT), "|".join([*LINKERS, "headstart"])])
                with contextlib.suppress(subprocess.TimeoutExpired):
                    lit.wait(5)
        except KeyboardInterrupt:
            os.killpg(lit.pid, signal.SIGKILL)
            raise
        if lit.returncode != 0 or not output.exists():
            sys.exit(f"error: lit ended with {lit.returncode}: see {self.directory / 'log'}")
        tests = json.loads(output.read_text())["tests"]
        return {t["name"].split(" :: ")[1]: read_result(t) for t in tests}


# -- comparing ----------------------------------------------------------------

def describe(name: str, stock: list, ours: list) -> str:
    """Describes a difference, with the end of a failed run's output: that of the failing line."""
    def side(results):
        codes = collections.Counter(f"{r.code} {r.where}".strip() for r in results)
        return ", ".join(f"{code} ({n} times)" for code, n in codes.items())
    failed = next((r for r in ours + stock if r.code == "failed"), None)
    lines = failed.output.strip().splitlines() if failed else []
    return "\n".join([f"{name}: stock {side(stock)}; Headstart {side(ours)}",
                      *(f"    {line}" for line in lines[-25:])])


def compare(stock: Side, ours: Side, expected: dict, got: dict):
    """Descriptions of the tests that differ, and of those whose result varies with stock alone."""
    suspects = sorted(n for n in expected if not expected[n].same(got[n]))
    all_stock = {n: [expected[n]] for n in suspects}
    all_ours = {n: [got[n]] for n in suspects}
    for _ in range(ROUNDS if suspects else 0):
        for side, results in ((stock, all_stock), (ours, all_ours)):
            for name, result in side.run(suspects).items():
                results[name].append(result)
    differences, flaky = [], []
    for name in suspects:
        steady = all(r.same(all_stock[name][0]) for r in all_stock[name])
        (differences if steady else flaky).append(describe(name, all_stock[name], all_ours[name]))
    return differences, flaky


def counts(results: dict) -> dict:
    return dict(collections.Counter(r.code for r in results.values()))


def table(records: dict, names: list) -> str:
    codes = ("passed", "failed", "unsupported")
    rows = []
    for name in names:
        about = [f"`{name}`", VARIANTS[name].description]
        if not (record := records.get(name)):
            rows.append([*about, "not run yet", *[""] * 4])
            continue
        both = [[record[side].get(code, 0) for code in codes] for side in ("stock", "ours")]
        differ = len(record["differences"])
        if both[0] == both[1]:
            rows.append([*about, "both", *both[0], differ])
            continue
        rows += [[*about, "stock", *both[0], ""], ["", "", "Headstart", *both[1], differ]]
    return "\n".join(documents.table(
        ["variant", "", "linkers", *codes, "differences"], rows, texts=(0, 1, 2)))


MARKS = ("<!-- conformance: written by ./dev conformance --write -->",
         "<!-- conformance: end -->")
RESULTS_TEXT = """
{table}
{environments}
## Differences

{differences}

## Tests whose result varies with stock lld

{flaky}

## When and where

{places}
"""


def write(records: dict) -> None:
    ran = [records[name] for name in VARIANTS if name in records]

    def found(key):
        lines = [f"{record['variant']}: {text.splitlines()[0]}"
                 for record in ran for text in record[key]]
        return "\n".join(f"- {line}" + "".join(f"; {why}" for test, why in KNOWN.items()
                                               if line.startswith(test + ":"))
                         for line in lines) or "There are none."
    environments = [f"\n`{r['variant']}` ran with {key}={value}.\n" for r in ran
                    for key, value in r.get("environment", {}).items()]
    places = sorted({f"- {r['date']}, {r['machine']}" for r in ran})
    documents.replace_section(DOCUMENT, *MARKS, RESULTS_TEXT.format(
        table=table(records, list(VARIANTS)), environments="".join(environments),
        differences=found("differences"), flaky=found("flaky"), places="\n".join(places)))
    say(f"wrote {DOCUMENT.relative_to(ROOT)}")


# -- the command ---------------------------------------------------------------

def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--variant", action="append", choices=list(VARIANTS),
                        metavar="NAME", help="one of: " + ", ".join(VARIANTS))
    parser.add_argument("--linkers", type=pathlib.Path, metavar="DIRECTORY", default=BIN)
    parser.add_argument("--env", action="append", default=[], metavar="NAME=VALUE",
                        help="for Headstart only")
    parser.add_argument("--sample", type=int, metavar="N", help="N tests, always the same ones")
    parser.add_argument("--filter", default="", metavar="REGEX",
                        help="only tests whose names match")
    parser.add_argument("--out", type=pathlib.Path, default=DIRECTORY / "runs",
                        help="where the tests run (default: %(default)s)")
    parser.add_argument("-j", type=int, default=os.cpu_count(), dest="jobs")
    parser.add_argument("--no-fetch", action="store_true",
                        help="run only if the tests are already here")
    parser.add_argument("--write", action="store_true", help="docs/internals/Conformance.md")
    options = parser.parse_args()
    options.out = options.out.resolve()
    options.linkers = options.linkers.resolve()
    options.env = dict(setting.split("=", 1) for setting in options.env)
    options.variant = options.variant or [
        name for name, variant in VARIANTS.items() if not variant.named]
    # Otherwise the tests would run stock's linker in place of a missing one.
    for name in ("ld.lld", "lld-link", "ld64.lld"):
        if not (options.linkers / name).exists():
            parser.error(f"no {name} in {options.linkers}")
    if not options.env and any(VARIANTS[n].named for n in options.variant):
        parser.error("delays needs --env")
    return options


def choose(names: list, options) -> list:
    names = [n for n in names if re.search(options.filter, n)]
    if not names:
        sys.exit(f"error: no test matches {options.filter}")
    if options.sample and options.sample < len(names):
        names = [names[i * len(names) // options.sample] for i in range(options.sample)]
    return names


def run_variant(name: str, options, stocks: dict) -> dict:
    """`stocks` keeps stock's results, which all variants with the same stock share."""
    variant = VARIANTS[name]
    if variant.stock not in stocks:
        side = Side(options.out / name / "stock", LLVM,
                    Variant("stock", wrapper=variant.stock), options.jobs)
        names = choose(side.names(), options)
        say(f"{len(names)} tests with stock")
        stocks[variant.stock] = (side, side.run(names))
    stock, expected = stocks[variant.stock]
    # "other" is as long as "stock", since outputs contain paths.
    ours = Side(options.out / name / "other", options.linkers,
                dataclasses.replace(variant, environment={
                    **variant.environment, **options.env}), options.jobs)
    say(f"{len(expected)} tests with Headstart: {name}")
    got = ours.run(list(expected))
    differences, flaky = compare(stock, ours, expected, got)
    for title, found in (("different", differences), ("flaky", flaky)):
        for text in found:
            print(f"{title}: {name}: {text}", flush=True)
    # The tests' files take gigabytes, and are useful only to inspect a difference.
    if not differences:
        shutil.rmtree(ours.tests)
    lld = subprocess.check_output([LLVM / "ld.lld", "--version"], text=True).split("(")[0].strip()
    return {"variant": name, "stock": counts(expected), "ours": counts(got),
            "differences": differences, "flaky": flaky, "environment": options.env,
            "machine": f"{os.cpu_count()} processors, Linux {platform.release()}, {lld}",
            "date": datetime.date.today().isoformat()}


def main() -> int:
    options = parse()
    if options.no_fetch and not (DIRECTORY / "version").exists():
        skip("lld's tests are not here (./dev setup fetches them)")
    fetched = subprocess.run([sys.executable, ROOT / "utils" / "fetch-lld-tests.py", DIRECTORY])
    if fetched.returncode != 0:
        return fetched.returncode
    whole = not options.sample and not options.filter
    as_built = options.linkers == BIN and not options.env
    records = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    stocks, done = {}, []
    for name in options.variant:
        if VARIANTS[name].wrapper in (COLD, HALF) and not residency.can_evict(options.out):
            print(f"skipped: {name}: files in {options.out} cannot be evicted")
            continue
        done.append(run_variant(name, options, stocks))
        if whole and (as_built or VARIANTS[name].named):
            records[name] = done[-1]
            RESULTS.write_text(json.dumps(records, indent=1))
    latest = {record["variant"]: record for record in done}
    print(table(latest, list(latest)))
    if options.write:
        write(records)
    if not done:
        skip("no variant ran")
    if any(record["differences"] for record in done):
        return 1
    shutil.rmtree(options.out, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
