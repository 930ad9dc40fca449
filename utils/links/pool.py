"""A pool of small objects, archives and libraries for random links.

A random link must cost milliseconds, so that thousands can be compared. The pool therefore makes
everything that needs a process once, by number, and keeps it; a link picks from it, copies, cuts
and combines. The same number and LLVM give the same pool in any directory.

Object i defines f<i>, and calls others. Objects before CLEAN can be linked together without an
error, and objects call only these; later objects are odd. The sizes are near those at
which LLVM and the prefetcher change their methods: 16 KiB (read to the heap, or mapped), 64 KiB
(fetched whole, or by part), whole pages (no byte follows the last one).
"""

import concurrent.futures
import contextlib
import hashlib
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
from typing import NamedTuple

# The end of each kind of object; those from ALONE to CLEAN are in archives only.
ALONE, CLEAN, ODD, DEBUG, BITCODE, OTHER = 40, 60, 120, 132, 144, 150
SIZES = [0, 0, 0, 0, 0, 4096, 8192, 16383, 16384, 16385, 20480, 65535, 65536, 65537, 81920, 90000]


def read_parts(path: pathlib.Path) -> list[list[str]]:
    """The templates of a flavour's parts: the harmless ones, and the odd ones. {i}: the
    object, {c}: an object to call, {k}: a number below 6, {m}: one below 5, {n}: some bytes."""
    _, *kinds = re.split(r"(?m)^# \w+: .*\n", path.read_text(encoding="utf-8"))
    return [kind.strip().split("\n\n") for kind in kinds]


class Flavour(NamedTuple):
    name: str
    linker: str
    triple: str
    other: str     # another machine's triple
    suffix: str

    def archive(self, stem: str) -> str:
        return stem + ".lib" if self.name == "coff" else f"lib{stem}.a"


FLAVOURS = {f.name: f for f in (
    Flavour("coff", "lld-link", "x86_64-pc-windows-msvc", "aarch64-pc-windows-msvc", "obj"),
    Flavour("elf", "ld.lld", "x86_64-linux-gnu", "aarch64-linux-gnu", "o"),
    Flavour("macho", "ld64.lld", "x86_64-apple-macos11", "arm64-apple-macos11", "o"))}


def tbd(name: str, symbols, reexports=()) -> str:
    """A stub of a library of macOS."""
    both = "targets: [ x86_64-macos, arm64-macos ]"
    text = (f"--- !tapi-tbd\ntbd-version: 4\n{both}\n"
            f"install-name: '/usr/lib/{name}'\n")
    if reexports:
        names = ", ".join(f"'/usr/lib/{r}'" for r in reexports)
        text += f"reexported-libraries:\n  - {both}\n    libraries: [ {names} ]\n"
    return (text + f"exports:\n  - {both}\n"
            f"    symbols: [ {', '.join(symbols)} ]\n...\n")


def fat(slices) -> bytes:
    """A universal file of (cpu, subtype, bytes)."""
    head = struct.pack(">II", 0xcafebabe, len(slices))
    at, body = 4096, b""
    for cpu, subtype, data in slices:
        head += struct.pack(">IIIII", cpu, subtype, at + len(body), len(data), 12)
        body += data + bytes(-len(data) % 4096)
    return head + bytes(at - len(head)) + body


@contextlib.contextmanager
def made_whole(whole: pathlib.Path):
    """Yields a directory to fill, and renames it to `whole` unless another run was faster."""
    partial = whole.with_name(f"{whole.name}.{os.getpid()}")
    try:
        yield partial
        partial.rename(whole)
    except OSError:
        if not whole.exists():
            raise
    finally:
        shutil.rmtree(partial, ignore_errors=True)


class Made:
    """Files of one flavour that LLVM's tools have made in a directory of `home`. Its name
    has a digest of the scripts that make them, and of the script's `source`."""

    def __init__(self, flavour: str, name: str, llvm: pathlib.Path, home: pathlib.Path, jobs: int,
                 source: pathlib.Path):
        self.flavour = FLAVOURS[flavour]
        self.llvm = llvm
        sources = (__file__, sys.modules[type(self).__module__].__file__, source)
        made_by = hashlib.sha256(b"".join(map(pathlib.Path.read_bytes, map(pathlib.Path, sources)))
                                 + os.fsencode(llvm.resolve())).hexdigest()[:10]
        self.directory = whole = home / f"{name}-{made_by}"
        if not whole.exists():
            with made_whole(whole) as self.directory:
                self.fill(jobs)
            self.directory = whole

    def fill(self, jobs: int) -> None:
        raise NotImplementedError

    def run(self, command, text="") -> None:
        done = subprocess.run([self.llvm / command[0], *command[1:]], cwd=self.directory,
                              input=text.encode(), stderr=subprocess.PIPE)
        if done.returncode:
            raise SystemExit(f"{command}: {text}\n{done.stderr.decode()}")


class Pool(Made):
    def __init__(self, flavour: str, number: int, llvm: pathlib.Path,
                 home: pathlib.Path, jobs: int):
        self.random = random.Random(f"{flavour} {number}")
        parts = pathlib.Path(__file__).with_name(f"{flavour}.s.in")
        self.harmless, self.odd = read_parts(parts)
        super().__init__(flavour, f"pool-{flavour}-{number}", llvm, home, jobs, parts)
        self.archives = sorted(p.name for p in (self.directory / "lib").iterdir()
                               if p.name.endswith((".a", ".lib")))

    def fill(self, jobs: int) -> None:
        (self.directory / "obj").mkdir(parents=True)
        (self.directory / "lib").mkdir()
        sources = [*map(self.source, range(OTHER)), ("asm", self.start(), 0, [])]
        with concurrent.futures.ThreadPoolExecutor(jobs) as threads:
            list(threads.map(self.compile, [*range(OTHER), "start"], sources))
            list(threads.map(self.run, self.libraries()))
        self.stubs()
        for path in self.directory.rglob("*"):
            if path.is_file():
                with open(path, "rb") as file:
                    os.fsync(file.fileno())  # unwritten files cannot be evicted

    def object(self, which) -> pathlib.Path:
        return self.directory / "obj" / f"o{which}.{self.flavour.suffix}"

    def start(self) -> str:
        name = {"coff": "main", "elf": "_start", "macho": "_main"}[self.flavour.name]
        call = "_f0" if self.flavour.name == "macho" else "f0"
        return f".text\n.globl {name}\n{name}: call {call}\nret\n"

    def source(self, i: int):
        """The source of object i: language, text, size, options."""
        rng, parts = self.random, self.harmless + self.odd
        callee = rng.randrange(i // 2 + 1) if i < CLEAN else rng.randrange(CLEAN)
        size = rng.choice(SIZES)
        if ODD <= i < BITCODE:
            if i < DEBUG:
                options = ["-g"] + ["-gcodeview"] * (self.flavour.name == "coff")
            else:  # no byte may follow bitcode
                size, options = 0, ["-flto" if i % 2 else "-flto=thin"]
            return ("c", f"struct S{i} {{ int a; char b[{i}]; }} s{i};\n"
                    f"struct T {{ struct T *next; }} *t{i};\nvoid f{callee}(void);\nvoid "
                    f"f{i}(void) {{ s{i}.a++; f{callee}(); }}\n", size, options)
        # Odd parts are drawn more often than their share.
        which = list(range(1, len(self.harmless)))
        if i >= CLEAN:
            which += 2 * list(range(len(self.harmless), len(parts)))
        chosen = rng.sample(which, rng.randint(0, 5))
        options = ["-g"] * (self.flavour.name == "elf" and rng.random() < 0.2)
        text = "\n".join(parts[p].format(i=i, c=callee, k=rng.randrange(6),
                                         m=rng.randrange(5), n=rng.choice([1, 8, 500, 5000]))
                         for p in [0, *sorted(set(chosen))]) + "\n"
        if i >= BITCODE:
            text = f".data\n.globl f{i}\nf{i}: .quad 1\n"
        return ("asm", text, size, options)

    def compile(self, which, source) -> None:
        language, text, size, options = source
        flavour, path = self.flavour, self.object(which)
        other = which != "start" and which >= BITCODE
        triple = flavour.other if other else flavour.triple
        if language == "c":
            command = ["clang", f"--target={triple}", "-c", "-O1", "-xc", "-"]
        else:
            command = ["llvm-mc", "-filetype=obj", f"-triple={triple}"]
        if "-g" in options:
            command += ["-fdebug-compilation-dir=."]
        self.run([*command, *options, "-o", path], text)
        with open(path, "ab") as file:
            if file.tell() < size:
                file.write(bytes(size - file.tell()))

    def libraries(self):
        """The commands that make archives and shared libraries."""
        rng, flavour = self.random, self.flavour
        suffix = flavour.suffix

        def archive(stem, members, how="rcsD"):
            return ["llvm-ar", how, "lib/" + flavour.archive(stem)] + [
                f"obj/o{m}.{suffix}" for m in members]
        yield archive("all", range(CLEAN))
        yield archive("allthin", range(CLEAN), "rcsDT")
        for k in range(5):  # those that objects reference; dep5 is missing
            yield archive(f"dep{k}", rng.sample(range(CLEAN, DEBUG), 2),
                          rng.choice(["rcsD", "rcsDT"]))
        for k in range(4):  # to be linked whole
            yield archive(f"whole{k}", range(ALONE + 5 * k, ALONE + 5 * k + 5),
                          "rcsDT" if k == 1 else "rcsD")
        for k in range(24):
            members = rng.sample(range(rng.choice([CLEAN, DEBUG])), rng.choice([1, 2, 4, 8, 12]))
            yield archive(f"a{k}", members, rng.choice(["rcsD", "rcsD", "rcsDT", "rcSD", "rcSDT"]))
        for k in range(3):
            yield archive(f"lto{k}", rng.sample(range(DEBUG, BITCODE), 3))
        yield archive("mixed", [1, BITCODE, 2])
        yield archive("none", [])
        if flavour.name == "elf":
            for k in range(4):
                yield ["ld.lld", "-shared", f"-soname=so{k}.so", "-o", f"lib/libso{k}.so",
                       "--no-dependent-libraries", f"obj/o{k}.o", f"obj/o{k + 9}.o"]
        if flavour.name == "macho":
            for k in range(2):
                yield ["ld64.lld", "-dylib", "-arch", "x86_64", "-platform_version", "macos",
                       "11", "11", "-undefined", "dynamic_lookup", "-ignore_auto_link", "-o",
                       f"lib/libdy{k}.dylib", f"obj/o{k}.o", f"obj/o{k + 9}.o"]
        if flavour.name == "coff":
            for k in range(3):
                (self.directory / f"{k}.def").write_text(
                    f"LIBRARY im{k}.dll\nEXPORTS\n  maybe{k}\n  f{k}\n")
                yield ["llvm-dlltool", "-m", "i386:x86-64", "-d", f"{k}.def",
                       "-l", f"lib/im{k}.lib"]

    def stubs(self) -> None:
        """Writes stubs, universal files, and an archive with a missing member."""
        lib, name = self.directory / "lib", self.flavour.name
        if name == "macho":
            root = self.directory / "usr/lib"
            root.mkdir(parents=True)
            maybe = [f"_maybe{k}" for k in range(6)]
            for where in (lib, root):
                (where / "libSystem.tbd").write_text(
                    tbd("libSystem.dylib", ["dyld_stub_binder"] + maybe, ["libsys0.dylib"]))
                for k in range(4):
                    (where / f"libsys{k}.tbd").write_text(
                        tbd(f"libsys{k}.dylib", maybe[k:],
                            [f"libsys{k + 1}.dylib", "libnone.dylib"][:k - 1]))
            for k in range(4):
                frame = lib / f"Frame{k}.framework"
                frame.mkdir()
                (frame / f"Frame{k}.tbd").write_text(tbd(f"F{k}", maybe[4:]))
            for k in range(4):
                one = (0x01000007, 3, self.object(k + CLEAN).read_bytes())
                two = (0x0100000c, 0, self.object(BITCODE + k).read_bytes())
                (lib / f"fat{k}.o").write_bytes(fat([[one, two], [one], [two], [two, one]][k]))
            (lib / "libfat.a").write_bytes(fat([(0x01000007, 3, (lib / "liball.a").read_bytes())]))
        missing = self.object("gone")
        shutil.copy(self.object(3), missing)
        self.run(["llvm-ar", "rcsDT", "lib/" + self.flavour.archive("gone"),
                  f"obj/{self.object(2).name}", f"obj/{missing.name}"])
        missing.unlink()
