"""A pool of small objects, archives and libraries for random links.

A random link must cost milliseconds, so that thousands can be compared. The pool therefore makes
everything that needs a process once, by number, and keeps it; a link picks from it, copies, cuts
and combines. The same number and LLVM give the same pool in any directory.

Object i defines f<i>, and calls others. Objects before CLEAN can be linked together without an
error, and objects call only these; later objects are odd in some way. The sizes are near those at
which LLVM and the prefetcher change their methods: 16 KiB (read to the heap, or mapped), 64 KiB
(fetched whole, or by part), whole pages (no byte follows the last one).
"""

import concurrent.futures
import contextlib
import hashlib
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
from typing import NamedTuple

# The end of each kind of object; those from ALONE to CLEAN are in archives only.
ALONE, CLEAN, ODD, DEBUG, BITCODE, OTHER = 40, 60, 120, 132, 144, 150
SIZES = [0, 0, 0, 0, 0, 4096, 8192, 16383, 16384, 16385, 20480, 65535, 65536, 65537, 81920, 90000]

# The parts of objects. {i}: the object, {c}: an object to call, {k}: a number below 6,
# {m}: one below 5, {n}: some bytes. The first is in each; the next few are harmless.
ELF = [
    '.section .text.f{i},"ax",@progbits\n.globl f{i}\nf{i}: call f{c}@PLT\nret',
    '.section .text.inl{k},"axG",@progbits,inl{k},comdat\n.weak inl{k}\n'
    'inl{k}: .fill 64,1,0x90\nret\n.text\ncall inl{k}@PLT',
    '.weak maybe{k}\n.text\ncall maybe{k}@PLT',
    '.text\n.globl h{i}\n.hidden h{i}\nh{i}: ret',
    '.section .rodata.str1.1,"aMS",@progbits,1\n.asciz "text {k}"',
    '.section .tdata,"awT",@progbits\n.quad {k}',
    '.comm c{k},{n},8',
    '.text\n.weak w{k}\nw{k}: .fill {k},1,0x90\nret',
    '.section .init_array,"aw"\n.quad f{i}',
    '.data\n.quad f{c}\n.fill {n},1,{k}',
    '.section .eh{k},"ax"\n.cfi_startproc\nret\n.cfi_endproc',
    '.section .note.x,"a",@note\n.long 4,4,{k}\n.asciz "abc"\n.long {n}',
    '.section .deplibs,"MS",@llvm_dependent_libraries,1\n.asciz "dep{m}"',
    '.addrsig\n.addrsig_sym f{i}',
    '.section .deplibs,"MS",@llvm_dependent_libraries,1\n.asciz "lib/libdep{k}.a"',
    '.text\n.globl only{i}\nonly{i}: ret',
    '.text\ncall nowhere{k}@PLT',
    '.text\n.globl twice{k}\ntwice{k}: ret',
    '.section .rodata,"a"\n.quad f{c}',
]
COFF = [
    '.text\n.globl f{i}\nf{i}: call f{c}\nret',
    '.section .text,"xr",discard,inl{k}\n.globl inl{k}\ninl{k}: .fill 64,1,0x90\n'
    'ret\n.section .xdata,"dr",associative,inl{k}\n.long {n}\n.text\ncall inl{k}',
    '.weak weak{i}\n.text\ncall weak{i}',
    '.section .rdata,"dr",largest,big{k}\n.globl big{k}\nbig{k}: .fill {n},1,{k}',
    '.section .drectve,"yn"\n.ascii " /include:f{c}"',
    '.comm c{k},{n}',
    '.text\n.weak w{i}\nw{i}: .fill {k},1,0x90\nret',
    '.data\n.quad f{c}\n.fill {n},1,{k}',
    '.section .drectve,"yn"\n.ascii " /defaultlib:dep{m}.lib"',
    '.section .foo{k},"dw"\n.long {n}',
    '.section .drectve,"yn"\n.ascii " /alternatename:other{k}=f{i}"',
    '.section .drectve,"yn"\n.ascii " /merge:.foo{k}=.data"',
    '.section .drectve,"yn"\n.ascii " /export:f{i}"',
    '.section .drectve,"yn"\n.ascii " /defaultlib:\\"dep{k}\\""',
    '.section .drectve,"yn"\n.ascii " /nosuch:{k} /export:f{i}"',
    '.text\n.globl only{i}\nonly{i}: ret',
    '.text\ncall nowhere{k}',
    '.text\n.globl twice{k}\ntwice{k}: ret',
    '.section .rdata,"dr",one_only,one{k}\n.globl one{k}\none{k}: .long 1',
    '.section .rdata,"dr",same_size,same{k}\n.globl same{k}\nsame{k}: .fill {n}',
    '.section .drectve,"yn"\n.ascii " /failifmismatch:key={k}"',
]
MACHO = [
    '.text\n.globl _f{i}\n_f{i}: callq _f{c}\nretq',
    '.text\n.globl _inl{k}\n.weak_definition _inl{k}\n_inl{k}: .fill 64,1,0x90\n'
    'retq',
    '.text\n.weak_reference _maybe{k}\ncallq _maybe{k}',
    '.text\n.globl _h{i}\n.private_extern _h{i}\n_h{i}: retq',
    '.section __TEXT,__cstring,cstring_literals\n.asciz "text {k}"',
    '.comm _c{k},{n},3',
    '.data\n.quad _f{c}\n.fill {n},1,{k}',
    '.section __TEXT,__literal8,8byte_literals\n.quad {n}',
    '.section __DATA,__mod_init_func,mod_init_funcs\n.quad _f{i}',
    '.text\n_l{k}:\n.cfi_startproc\nretq\n.cfi_endproc',
    '.linker_option "-ldep{m}"',
    '.section __DATA,__x{k}\n.long {n}',
    '.linker_option "-framework", "Frame{k}"',
    '.linker_option "-lsys{k}"',
    '.text\n.globl _only{i}\n_only{i}: retq',
    '.text\ncallq _nowhere{k}',
    '.text\n.globl _twice{k}\n_twice{k}: retq',
]


class Flavour(NamedTuple):
    name: str
    linker: str
    triple: str
    other: str     # another machine's triple
    suffix: str
    parts: list
    harmless: int  # the number of harmless parts

    def archive(self, stem: str) -> str:
        return stem + ".lib" if self.name == "coff" else f"lib{stem}.a"


FLAVOURS = {f.name: f for f in (
    Flavour("coff", "lld-link", "x86_64-pc-windows-msvc",
            "aarch64-pc-windows-msvc", "obj", COFF, 10),
    Flavour("elf", "ld.lld", "x86_64-linux-gnu", "aarch64-linux-gnu", "o", ELF, 14),
    Flavour("macho", "ld64.lld", "x86_64-apple-macos11", "arm64-apple-macos11", "o", MACHO, 12))}


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
    """Yields a directory to fill, and then renames it to `whole`, which thus exists
    completely or not at all. Another run may be faster."""
    beside = whole.with_name(f"{whole.name}.{os.getpid()}")
    try:
        yield beside
        beside.rename(whole)
    except OSError:
        if not whole.exists():
            raise
    finally:
        shutil.rmtree(beside, ignore_errors=True)


class Made:
    """Files of one flavour that LLVM's tools have made in a directory of `home`. Its name
    has a digest of the scripts that make them."""

    def __init__(self, flavour: str, name: str, llvm: pathlib.Path, home: pathlib.Path, jobs: int):
        self.flavour = FLAVOURS[flavour]
        self.llvm = llvm
        scripts = (__file__, sys.modules[type(self).__module__].__file__)
        made_by = hashlib.sha256(b"".join(map(pathlib.Path.read_bytes, map(pathlib.Path, scripts)))
                                 + os.fsencode(llvm.resolve())).hexdigest()[:10]
        self.directory = whole = home / f"{name}-{made_by}"
        if not whole.exists():
            with made_whole(whole) as self.directory:
                self.fill(jobs)
            self.directory = whole

    def fill(self, jobs: int) -> None:
        raise NotImplementedError

    def run(self, words, text="") -> None:
        done = subprocess.run([self.llvm / words[0], *words[1:]], cwd=self.directory,
                              input=text.encode(), stderr=subprocess.PIPE)
        if done.returncode:
            raise SystemExit(f"{words}: {text}\n{done.stderr.decode()}")


class Pool(Made):
    def __init__(self, flavour: str, number: int, llvm: pathlib.Path,
                 home: pathlib.Path, jobs: int):
        self.random = random.Random(f"{flavour} {number}")
        super().__init__(flavour, f"pool-{flavour}-{number}", llvm, home, jobs)
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
        rng, parts = self.random, self.flavour.parts
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
        which = list(range(1, self.flavour.harmless))
        if i >= CLEAN:
            which += 2 * list(range(self.flavour.harmless, len(parts)))
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
            words = ["clang", f"--target={triple}", "-c", "-O1", "-xc", "-"]
        else:
            words = ["llvm-mc", "-filetype=obj", f"-triple={triple}"]
        if "-g" in options:
            words += ["-fdebug-compilation-dir=."]
        self.run([*words, *options, "-o", path], text)
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
        gone = self.object("gone")
        shutil.copy(self.object(3), gone)
        self.run(["llvm-ar", "rcsDT", "lib/" + self.flavour.archive("gone"),
                  f"obj/{self.object(2).name}", f"obj/{gone.name}"])
        gone.unlink()
