#!/usr/bin/env python3
"""Runs random links with the stock linker and with ours.

Each seed is one link: inputs from a pool (links/pool.py), some of them damaged, combined
by the methods of the flavour, with random options. Our linker runs in a random variant: threads,
memory, profiles of other links, inputs of which all, half, or some pages are evicted. The script
compares outputs, messages and exit status as same-link.py does; a link that takes longer than
--timeout is a difference. If stock differs from itself (its threads report errors in another order;
it reads past the end of a truncated input), the script compares only results that never vary, with
lines in any order, and counts the link.

The same seed gives the same link; --seed N repeats one, and leaves its directory. If a link
differs, the script shrinks it.

The last line of each flavour is a summary. The exit status is 1 if there was a difference, or if
hardly any links succeeded or failed, which would prove nothing.
"""

import collections
import dataclasses
import functools
import os
import pathlib
import random
import shlex
import shutil
import sys
import time
import tomllib

from common import ROOT, temporary_directory
from links.judge import Judge, Response, Variant, fewer, in_processes, parser_of, prepare, render
from links.pool import ALONE, BITCODE, CLEAN, DEBUG, FLAVOURS, ODD, OTHER, Pool, fat, tbd

POOL = 1000  # seeds that share one pool
SHRINK_SECONDS = 120
OPTIONS = tomllib.loads((ROOT / "utils/links/options.toml").read_text(encoding="utf-8"))


class Maker:
    def __init__(self, pool: Pool, seed: int):
        self.pool = pool
        self.flavour = pool.flavour
        self.random = random.Random(f"{self.flavour.name} link {seed}")
        self.chance = lambda p: self.random.random() < p
        self.pick = self.random.choice
        self.made = 0
        self.left = self.random.sample(range(DEBUG), DEBUG)  # not linked yet
        self.whole = self.random.sample(range(4), 4)
        os.symlink(pool.directory, "p")
        for directory in ("d1", "d2", "a b"):
            os.mkdir(directory)

    def name(self, stem: str) -> str:
        """A new name in a random directory."""
        self.made += 1
        directory = self.pick(["", "", "", "", "", "d1/", "d2/", "a b/"])
        return f"{directory}{stem}{self.made}.{self.flavour.suffix}"

    def write(self, text, stem="x") -> str:
        name = self.name(stem)
        pathlib.Path(name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return name

    def text(self, text: str) -> str:
        return self.write(text, "list")

    def object(self, which: int | None = None) -> str:
        if which is None:
            which = self.random.randrange(CLEAN)
        path = self.pool.object(which)
        draw = self.random.random()
        if draw < 0.4:
            return f"p/obj/{path.name}"
        name = self.name(path.stem + "_")
        (os.symlink if draw < 0.5 else os.link)(path, name)
        return f"./{name}" if draw > 0.95 else name

    def new(self, first: int, last: int):
        """An object that the link does not have yet."""
        which = next((o for o in self.left if first <= o < last), first)
        if which in self.left and self.chance(0.99):
            self.left.remove(which)
        return [self.object(which)]

    def whole_archive(self) -> str:
        if self.whole and self.chance(0.9):
            return "p/lib/" + self.flavour.archive(f"whole{self.whole.pop()}")
        return self.archive()

    def archive(self) -> str:
        return "p/lib/" + self.pick(self.pool.archives)

    def any_file(self) -> bytes:
        path = (self.pool.directory / "lib" / self.pick(self.pool.archives)
                if self.chance(0.4) else self.pool.object(self.random.randrange(OTHER)))
        return path.read_bytes()

    def wrong(self) -> str:
        """The name of a bad input."""
        kind = self.random.randrange(14)
        if kind == 0:
            return self.write("")
        if kind in (1, 2, 3):
            data = self.any_file()
            return self.write(data[:self.random.randrange(len(data))], "cut")
        if kind in (4, 5, 6):
            data = bytearray(self.any_file())
            for _ in range(self.pick([1, 2, 10])):
                limit = min(self.pick([64, 512, len(data)]), len(data))
                data[self.random.randrange(limit)] ^= 1 << self.random.randrange(8)
            return self.write(bytes(data), "flip")
        if kind == 7:
            return self.write(self.pick(["text\n", "!<arch>\n", "!<thin>\n", "INPUT(", "\x7fELF",
                                         "BC\xc0", "--- !tapi-tbd\n", "MZ", "\0" * 5000]))
        if kind == 8:
            return self.pick(["d1", ".", "p/obj", "d2/"])
        if kind == 9:
            return self.object(self.random.randrange(BITCODE, OTHER))
        if kind == 10:
            name = self.object()  # an input twice, by two names
            return self.pick([name, "./" + name, os.path.abspath(name)])
        if kind == 11:
            name = self.name("bad")
            if self.chance(0.5):
                os.symlink(self.pick([os.path.basename(name), "gone"]), name)
            else:
                os.link(self.pool.object(5), name)
                os.chmod(self.write("x"), 0)
            return self.pick([name, name + "/x.o", f"x/../{name}"])
        if kind == 12:
            return self.pick(["x" * 300, "caf\udce9.o", "nowhere.o", "no/where.a",
                              "p/lib/" + self.flavour.archive("gone")])
        other = self.pick([f for f in FLAVOURS if f != self.flavour.name])
        return self.write(self.pick(
            [b"\x4c\x01\x01\0" + bytes(60), b"\x7fELF\x01\x01\x01" + bytes(60),
             b"\xcf\xfa\xed\xfe" + bytes(60), fat([]), other.encode()]))

    def make(self):
        """The command line, as parts that `shrink` can omit one by one."""
        rng = self.random
        parts = [self.new(0, ALONE) for _ in range(self.pick([1, 2, 3, 5, 8, 13, 25]))]
        if self.chance(0.96):
            parts.append(["p/obj/" + self.pool.object("start").name])
        if self.chance(0.2):
            parts += [self.new(CLEAN, ODD) for _ in range(self.pick([1, 1, 2, 4]))]
        if self.chance(0.25):
            parts += [self.new(ODD, DEBUG) for _ in range(self.pick([1, 2, 4]))]
        if self.chance(0.04):
            parts += [[self.object(rng.randrange(DEBUG, BITCODE))]
                      for _ in range(self.pick([1, 2]))]
        parts += [[self.archive()] for _ in range(self.pick([0, 0, 0, 0, 1, 2]))]
        if self.chance(0.17):
            parts += [[self.wrong()] for _ in range(self.pick([1, 1, 2]))]
        fixed, kinds, options = getattr(self, self.flavour.name)()
        parts += [self.pick(kinds)() for _ in range(self.pick([0, 0, 1, 2, 4]))]
        parts += rng.sample(options, min(len(options), self.pick([0, 0, 1, 1, 2, 4])))
        rng.shuffle(parts)
        if self.chance(0.95):
            parts.append(["p/lib/" + self.flavour.archive(self.pick(["all", "all", "allthin"]))])
        parts = fixed + parts
        for _ in range(self.pick([0, 0, 1, 1, 2, 3])):
            first = rng.randrange(len(parts))
            last = min(len(parts), first + rng.randrange(1, 9))
            self.made += 1
            parts[first:last] = [Response(f"r{self.made}.rsp", parts[first:last])]
        return parts

    def objects(self, most=4) -> list[str]:
        return [self.object() for _ in range(self.random.randint(1, most))]

    def library(self) -> str:
        """A name for -l, which it may find or not."""
        names = [a[3:-2] for a in self.pool.archives if a.endswith(".a")]
        return self.pick(names + ["so0", "so1", "System", "sys1", "dy0", "none2"])

    def script(self) -> str:
        """Writes a linker script, and inputs of one name in two directories."""
        os.makedirs("d1/sub", exist_ok=True)
        os.makedirs("d2/sub", exist_ok=True)
        for directory in ("d1", "d2"):
            path = f"{directory}/sub/rel.o"
            if not os.path.exists(path) and self.chance(0.8):
                os.link(self.pool.object(self.random.randrange(CLEAN)), path)
        inside = self.pick(["INPUT(sub/rel.o)", "GROUP(sub/rel.o {l})", "INPUT(-l{n})",
                            "INPUT({o} AS_NEEDED({l}))", "GROUP({l} {o})", "INPUT(\"{o}\" gone.o)",
                            "OUTPUT_FORMAT(elf64-x86-64) INPUT({o})", "INPUT({s})",
                            "SEARCH_DIR(d1) INPUT(-l:sub/rel.o)", "EXTERN(f3) INPUT({l})"])
        text = inside.format(l=self.archive(), o=self.object(), n=self.library(),
                             s=self.script() if "{s}" in inside else "")
        self.made += 1
        path = f"{self.pick(['d1', 'd2'])}/s{self.made}.ld"
        pathlib.Path(path).write_text(text + "\n")
        return path

    def elf(self):
        kinds = [lambda: ["--whole-archive", self.whole_archive(), "--no-whole-archive"],
                 lambda: ["--start-group", self.archive(), *self.objects(),
                          self.archive(), "--end-group"],
                 lambda: ["--start-lib", *self.objects(), "--end-lib"],
                 lambda: ["-Lp/lib", "-l" + self.library()],
                 lambda: ["-Ld1", "-L", "p/lib", "-l:" + self.pick(self.pool.archives)],
                 lambda: [self.script()], lambda: [self.script()], lambda: ["-Ld2", self.script()],
                 lambda: [f"p/lib/libso{self.pick([0, 1, 2, 3])}.so"],
                 lambda: ["--as-needed", "p/lib/libso0.so", "--no-as-needed"],
                 lambda: ["--just-symbols=" + self.object()],
                 lambda: ["--format=binary", self.wrong(), "--format=default"],
                 lambda: ["--remap-inputs=" + self.object() + "=" + self.object()],
                 lambda: ["-T", self.text("SECTIONS { .text : { *(.text*) } }")],
                 lambda: ["--version-script=" + self.text("V1 { global: f*; local: *; };")],
                 lambda: ["--dynamic-list=" + self.text("{ f1; f2; };")],
                 lambda: ["--symbol-ordering-file=" + self.text("f3\nf1\nnothing\n")],
                 lambda: ["--retain-symbols-file=" + self.text("f1\n")],
                 lambda: [self.pick(["--no-such-option", "-lnowhere", "--icf=what", "-m"])]]
        options = [[option] for option in OPTIONS["elf"].split()]
        fixed = [["-o", "out/a"]] + [["--threads=1"]] * self.chance(0.7)
        fixed += [["-Lp/lib"]] * self.chance(0.7)
        return fixed, kinds, options

    def coff(self):
        kinds = [
            lambda: ["/wholearchive:" + self.whole_archive()],
            lambda: ["/start-lib", *self.objects(), "/end-lib"],
            lambda: ["/libpath:p/lib", self.pick(self.pool.archives)],
            lambda: ["/libpath:d1", "/defaultlib:" + self.archive()],
            lambda: ["-libpath:p/lib", "-defaultlib:" + self.pick(
                ["dep1", "im0", "im1.lib", "dep5", "a3"])],
            lambda: [f"p/lib/im{self.pick([0, 1, 2])}.lib"],
            lambda: [self.archive(), self.archive()],
            lambda: ["/def:" + self.text("EXPORTS\n  f1\n  f2\n"), "/dll"],
            lambda: ["/order:@" + self.text("f3\nf1\nnothing\n")],
            lambda: ["/natvis:" + self.wrong()],
            lambda: ["/manifest:embed", "/manifestinput:" + self.wrong()],
            lambda: ["/delayload:im0.dll", "p/lib/im0.lib"],
            lambda: [self.pick(["/nosuch:option", "nowhere.lib", "/noentry",
                                "/machine:arm64", "/kernel", "/opt:what"])]]
        options = [[option] for option in OPTIONS["coff"].split()]
        fixed = [["/out:out/a.exe"], ["/Brepro"], ["/subsystem:console"]]
        fixed += [["/entry:main"]] * self.chance(0.98)
        fixed += [["/libpath:p/lib"]] * self.chance(0.85)
        fixed += [["/threads:1"]] * self.chance(0.7)
        return fixed, kinds, options

    def macho(self):
        kinds = [
            lambda: ["-force_load", self.whole_archive()],
            lambda: ["-load_hidden", self.whole_archive()],
            lambda: ["--start-lib", *self.objects(), "--end-lib"],
            lambda: ["-Lp/lib", self.pick(["-l", "-weak-l", "-needed-l", "-hidden-l",
                                           "-reexport-l"]) + self.library()],
            lambda: [self.pick(["-framework", "-weak_framework"]),
                     f"Frame{self.pick([0, 1, 2, 3, 4])}"],
            lambda: [f"p/lib/fat{self.pick([0, 1, 2, 3])}.o"],
            lambda: ["p/lib/libfat.a"],
            lambda: [f"p/lib/libdy{self.pick([0, 1])}.dylib"],
            lambda: [f"p/lib/libsys{self.pick([0, 1, 2, 3])}.tbd"],
            lambda: [self.write(tbd("x", ["_maybe3"], ["libsys1.dylib"]), "t")],
            lambda: ["-filelist", self.text("\n".join(self.objects() + [""]))],
            lambda: ["-sectcreate", "__DATA", "__made", self.wrong()],
            lambda: ["-exported_symbols_list", self.text("_f1\n_f2*\n")],
            lambda: ["-order_file", self.text("_f3\n_f1\n_nothing\n")],
            lambda: ["-weak_library", self.archive()],
            lambda: [self.pick(["-nosuch", "-lnowhere", "-framework", "-arch"])]]
        options = [option.split("=", 1) if option.startswith(("-u", "-m")) else [option]
                   for option in OPTIONS["macho"].split()]
        options += [["-dependency_info", "out/dep"]]
        fixed = [["-arch", "x86_64"], ["-o", "out/a"], ["-platform_version", "macos", "11", "11"]]
        fixed += [["-Lp/lib"]] * self.chance(0.85) + [["-Fp/lib"]] * self.chance(0.85)
        fixed += [["-syslibroot", "p"]] * self.chance(0.9)
        fixed += [["p/lib/libSystem.tbd"]] * self.chance(0.95)
        fixed += [["--threads=1"]] * self.chance(0.7)
        return fixed, kinds, options

    def variant(self) -> Variant:
        variant = Variant(draw="all evicted" if self.chance(0.2) else "",
                          by_environment=self.chance(0.2))
        for odds, values in (
                (0.7, ["jobs=1", "jobs=2", "jobs=8", "jobs=16"]),
                (0.3, ["handover=all", "handover=none"]),
                (0.2, ["memory=1", "memory=64k", "memory=1%"]),
                (0.2, ["stats=stats.json"]), (0.05, ["trace=trace.json"])):
            if self.chance(odds):
                variant.options.append("--prefetch-" + self.pick(values))
        if self.chance(0.3):
            variant.profile = self.pick(["first", "other", "damaged"])
            if self.chance(0.5):
                variant.options.append("--prefetch-profile=profile")
        else:
            variant.options.append("--prefetch-profile=none")
        if not variant.draw and self.chance(0.3):
            variant.draw = self.pick(["half", "half", "by page", "by kind", "by runs"])
        if self.chance(0.05):
            return Variant(runs="stock", draw=variant.draw)
        return variant


def flat(parts) -> list:
    """The parts of a command line, without response files."""
    return [inner for part in parts
            for inner in (flat(part.parts) if isinstance(part, Response) else [part])]


def shrink(judge: Judge, parts, variant: Variant, status, found):
    """Returns the smallest link with one of the same differences that it finds in time."""
    judge.timeout = min(judge.timeout, 10)
    end = time.monotonic() + SHRINK_SECONDS

    def kinds(found):
        return {text.split(":")[0] for text in found}
    wanted = kinds(found)

    def differs(parts, variant):
        for _ in range(2 if time.monotonic() < end else 0):
            again, found, _ = judge.judge(parts, variant)
            if again == status and kinds(found) & wanted:
                return True
        return False
    if differs(parts, Variant()):
        variant = Variant()
    if differs(flat(parts), variant):
        parts = flat(parts)
    parts = fewer(parts, lambda less: differs(less, variant))
    return parts, dataclasses.replace(variant, options=fewer(
        variant.options, lambda less: differs(parts, dataclasses.replace(variant, options=less))))


def pool_of(arguments, flavour: str, seed: int) -> Pool:
    return Pool(flavour, seed // POOL, arguments.stock, arguments.work, arguments.jobs)


def make_here(arguments, flavour: str, seed: int, directory: pathlib.Path):
    """Makes the link of a seed in a directory, and enters the directory."""
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    os.chdir(directory)
    os.environ["XDG_CACHE_HOME"] = str(directory / "cache")
    maker = Maker(pool_of(arguments, flavour, seed), seed)
    return maker.make(), maker.variant()


def show(arguments, flavour: str, seed: int, tries: int):
    """Repeats a link in a directory that stays, and shrinks it if it differs."""
    parts, variant = make_here(arguments, flavour, seed, arguments.work / f"{flavour}-{seed}")
    judge = Judge(arguments, flavour)
    lines = [f"{flavour} {seed}: in {os.getcwd()}", f"  ours: {variant}",
             f"  {judge.linker} {shlex.join(render(parts))}"]
    for _ in range(tries):
        status, found, unsteady = judge.judge(parts, variant)
        if found:
            break
    lines.append(f"  stock's exit status {status.decode()}, {len(found)} "
                 f"differences{', stock is unsteady' if unsteady else ''}")
    if found:
        parts, variant = shrink(judge, parts, variant, status, found)
        lines += [f"  smallest: {judge.linker} {shlex.join(render(parts))}", f"  ours: {variant}"]
        found = judge.judge(parts, variant)[1] or found
        lines += ["  " + text.replace("\n", "\n  ")[:3000] for text in found]
    return bool(found), "\n".join(lines)


def one_seed(arguments, flavour: str, directory: pathlib.Path, seed: int):
    parts, variant = make_here(arguments, flavour, seed, directory / str(os.getpid()))
    status, found, unsteady = Judge(arguments, flavour).judge(parts, variant)
    text = ""
    if found:
        again, text = show(arguments, flavour, seed, tries=11)
        if not again:
            text += "\n  once only: " + "\n".join(found)[:1500]
    return status, text, unsteady


def run_flavour(arguments, flavour: str) -> bool:
    begun = time.monotonic()
    seeds = range(arguments.first, arguments.first + arguments.count)
    for seed in [*seeds[::POOL], *seeds[-1:]]:
        pool_of(arguments, flavour, seed)
    counts = collections.Counter()
    with temporary_directory(dir=arguments.work) as directory:
        for status, text, unsteady in in_processes(
                arguments, functools.partial(one_seed, arguments, flavour, directory), seeds, 5):
            counts["linked" if status == b"0" else "failed"] += 1
            counts["unsteady"] += unsteady
            counts["different"] += bool(text)
            if text:
                print(text, flush=True)
    print(f"{flavour}: {arguments.count} links, {counts['linked']} linked, {counts['failed']} "
          f"failed with an error, {counts['different']} different, {counts['unsteady']} in which "
          f"stock differs from itself, {time.monotonic() - begun:.0f} s", flush=True)
    few = min(counts["linked"], counts["failed"]) * 5 < arguments.count
    if few:
        print(f"{flavour}: too few linked or failed to prove anything")
    return not counts["different"] and (not few or arguments.count < 50)


def main() -> int:
    parser = parser_of(__doc__)
    parser.add_argument("--count", type=int, default=100)
    arguments = parser.parse_args()
    prepare(arguments)
    good = True
    for flavour in arguments.flavours:
        if arguments.seed is None:
            good &= run_flavour(arguments, flavour)
        else:
            different, text = show(arguments, flavour, arguments.seed, tries=2)
            print(text)
            good &= not different
    return not good


if __name__ == "__main__":
    sys.exit(main())
