"""A pool of compiled objects, from which the projects of all days are made.

Each shape is compiled once for each variant of its source and each version of the header. Its names
are placeholders of a fixed length, so that replacing bytes makes any number of different objects
from it within microseconds. Object N defines zzN, and calls two others.
"""

import concurrent.futures
import functools
import pathlib
import random
import shutil

from links.pool import Made, tbd

SHAPES = 40
VARIANTS = 2  # of a source
HEADERS = 2   # versions of the header
CORE = 5      # the first objects, which call each other and which others call
EXTRAS = 3    # archives that objects reference
SHARED = 4    # shared libraries, import libraries, text stubs
BITCODE = 4
OWN, CALLED, WEAK, VERSION = b"zzA000000", b"zzB000000", b"zzC000000", b"zzV0000"
IN_EXTRAS = 900000  # objects from this number on are in the extra archives

HEADER = pathlib.Path(__file__).with_name("header.h")


def symbol(number: int) -> bytes:
    return b"zz%07d" % number


def is_tiny(shape: int) -> bool:
    return shape % 10 in (3, 6, 9)


def source(flavour: str, shape: int, variant: int, header: int) -> str:
    rng = random.Random(f"{shape}")
    functions = (0 if is_tiny(shape) else int(24 ** rng.random())) + variant
    length = rng.choice([0, 0, 10, 100, 1000, 6000]) + variant
    weak = "__attribute__((weak)) " if flavour == "elf" else ""
    text = [f"#define VERSION {header}", HEADER.read_text(encoding="utf-8"), 'extern "C" {',
            "int zzB000000(int);", f"{weak}int zzC000000(int);"]
    library = {"elf": "__attribute__((weak)) ",
               "coff": "__declspec(dllimport) ", "macho": ""}[flavour]
    call = "library(X)" if shape % 4 == 0 else "VERSION"
    if not is_tiny(shape):
        call += " + shared(X)"
    if shape % 4 == 0:
        text.append(f"{library}int from_library0(int);")
        text.append("static int library(int X) { return from_library0(X); }")
    text += ['extern const char version_zzA000000[] = "zzV0000";',
             f"int zzA000000(int X) {{ return zzB000000(X) + {call}; }}",
             "int (*const table_zzA000000[])(int) = {zzA000000, zzB000000, zzC000000};", "}"]
    for at in range(functions):
        n = rng.randrange(200)
        text.append(f"int part_zzA000000_{at}(int X) {{ Table<{n}> T; int Y = X + {at};\n"
                    f"  for (int I = 0; I < X; ++I) Y += T.twice(I) * step<{n}>(I);\n"
                    f"  return Y + {variant}; }}")
    if length:
        numbers = ",".join(str(rng.randrange(1 << 32)) for _ in range(length))
        text.append('extern "C" const unsigned data_zzA000000[] = {' + numbers + "};")
    extra = f"extra{shape % EXTRAS}"
    if shape % 9 == 4:
        text.append({"elf": 'asm(".section .deplibs,\\"MS\\",@llvm_dependent_libraries,1\\n.asciz '
                            f'\\"{extra}\\"");', "coff": f'#pragma comment(lib, "{extra}")',
                     "macho": f'asm(".linker_option \\"-l{extra}\\"");'}[flavour])
    return "\n".join(text) + "\n"


START = {"elf": "_start", "coff": "main", "macho": "main"}


class Objects(Made):
    """The pool of one flavour, which is made if it does not exist."""

    def __init__(self, flavour: str, llvm: pathlib.Path, home: pathlib.Path, jobs: int):
        super().__init__(flavour, f"objects-{flavour}", llvm, home, jobs, HEADER)

    def compile(self, output: str, text: str, *options: str) -> None:
        self.run(["clang", f"--target={self.flavour.triple}", "-xc++", "-std=c++17", "-c", "-O0",
                  "-ffreestanding", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics",
                  "-fno-stack-protector", "-fdebug-compilation-dir=.", "-w",
                  *["-fPIC"] * (self.flavour.name != "coff"), *options, "-", "-o", output], text)

    def fill(self, jobs: int) -> None:
        for name in ("shapes", "lib"):
            (self.directory / name).mkdir(parents=True)
        flavour = self.flavour.name
        jobs_to_do = []
        for shape in range(SHAPES):
            options = [] if is_tiny(shape) else ["-g"] + ["-gcodeview"] * (flavour == "coff")
            jobs_to_do += [(f"shapes/{shape}-{variant}-{header}",
                            source(flavour, shape, variant, header), *options)
                           for variant in range(VARIANTS) for header in range(HEADERS)]
        jobs_to_do.append(("shapes/start", (
            'extern "C" { int zzB000000(int); int zzC000000(int);\n'
            f"int {START[flavour]}() {{ return zzB000000(1) + zzC000000(2); }} }}\n")))
        for k in range(BITCODE if flavour == "elf" else 0):
            for variant in range(VARIANTS):
                jobs_to_do.append((
                    f"shapes/bitcode{k}-{variant}", 'extern "C" { int zz0000000(int);\n'
                    f"int bitcode{k}(int X) {{ return zz0000000(X + {variant}); }} }}\n",
                    "-flto" if k % 2 else "-flto=thin"))
        for k in range(SHARED if flavour == "elf" else 0):
            for variant in range(VARIANTS):
                more = "".join(f" int more{k}_{n}(int X) {{ return X; }}"
                               for n in range(3 + 40 * variant))
                jobs_to_do.append((f"shapes/shared{k}-{variant}", 'extern "C" { '
                                   f"int from_library{k}(int X) {{ return X; }}{more} }}\n"))
        with concurrent.futures.ThreadPoolExecutor(jobs) as threads:
            list(threads.map(lambda job: self.compile(*job), jobs_to_do))
        self.libraries()

    def libraries(self) -> None:
        flavour, lib = self.flavour.name, self.directory / "lib"
        for k in range(EXTRAS):
            names = []
            for n in range(4):
                number = IN_EXTRAS + 10 * k + n
                names.append(f"extra{number}.{self.flavour.suffix}")
                (self.directory / names[-1]).write_bytes(self.content(
                    number, 0, 0, 0, callees=(0, 1)))
            self.run(["llvm-ar", "rcsD", "lib/" + self.flavour.archive(f"extra{k}"), *names])
            for name in names:
                (self.directory / name).unlink()
        for k in range(SHARED):
            if flavour == "elf":
                for variant in range(VARIANTS):
                    self.run(["ld.lld", "-shared", f"-soname=libshared{k}.so", "-o",
                              f"lib/libshared{k}-{variant}.so", f"shapes/shared{k}-{variant}"])
            elif flavour == "coff":
                (self.directory / "exports.def").write_text(
                    f"LIBRARY shared{k}.dll\nEXPORTS\n  from_library{k}\n" + "".join(
                        f"  more{k}_{n}\n" for n in range(20 * k)))
                self.run(["llvm-dlltool", "-m", "i386:x86-64", "-d", "exports.def",
                          "-l", f"lib/shared{k}.lib"])
            else:
                (lib / f"libshared{k}.tbd").write_text(tbd(
                    f"libshared{k}.dylib", [f"_from_library{k}"] + [
                        f"_more{k}_{n}" for n in range(20 * k)]))
        if flavour == "macho":
            (lib / "libSystem.tbd").write_text(tbd(
                "libSystem.dylib", ["dyld_stub_binder"], ["libshared3.dylib"]))
            (self.directory / "usr/lib").mkdir(parents=True)
            for stub in ("libSystem.tbd", "libshared3.tbd"):
                shutil.copy(lib / stub, self.directory / "usr/lib" / stub)
            for k in range(3):
                frame = lib / f"Frame{k}.framework"
                frame.mkdir()
                (frame / f"Frame{k}.tbd").write_text(tbd(f"F{k}", [f"_frame{k}"]))

    @functools.lru_cache(maxsize=None)
    def shape(self, name: str) -> bytes:
        return (self.directory / "shapes" / name).read_bytes()

    def content(self, number: int, variant: int, header: int, version: int, callees=None) -> bytes:
        data = self.shape(f"{number * 7 % SHAPES}-{variant}-{header}")
        called, weak = callees or calls(number, self.flavour.name)
        return data.replace(OWN, symbol(number)).replace(
            CALLED, symbol(called)).replace(WEAK, symbol(weak)).replace(
            VERSION, b"zzV%04d" % version)

    def start(self) -> bytes:
        return self.shape("start").replace(CALLED, symbol(0)).replace(WEAK, symbol(1))


def is_member(number: int) -> bool:
    """Whether an object is a member of an archive."""
    return number % 8 == 7


def calls(number: int, flavour: str):
    """The two objects that an object calls. They do not depend on the size of
    the project, so that one tree serves for projects of all sizes."""
    if number < CORE:
        return (number + 1) % CORE, (number + 2) % CORE
    called = number % CORE
    member = number // 16 * 8 + 7
    if not is_member(number) and number % 3 == 0 and member < number:
        called = member
    # In ELF it is a weak reference, which does not need a definition.
    weak = (number * 13 + 5) % 5000 if flavour == "elf" else (number + 3) % CORE
    return called, weak
