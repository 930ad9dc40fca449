"""The targets: the kinds of the objects, and the flags and tools that make them."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Target:
    """A kind of objects and archives."""

    flags: tuple[str, ...]
    object_suffix: str
    archive_suffix: str
    archivers: tuple[str, ...]
    archive_words: tuple[str, ...]  # "{out}" stands for the archive
    # sources.Budget estimates the sizes of COFF objects with CodeView at -O0. The corpus
    # requests its bytes times this factor from it.
    scale: float = 1.0
    # Further files for the output directory, by name.
    files: tuple[tuple[str, str], ...] = ()


# The sources use neither headers nor a library.
FREESTANDING = ("-ffreestanding", "-nostdinc", "-fno-exceptions", "-fno-rtti",
                "-fno-threadsafe-statics", "-fno-stack-protector", "-fasynchronous-unwind-tables")

# -O0 gives the most bytes of object per second of compiling (twice -O1), and
# developers link it most often. C++20: with earlier standards, clang delays
# the parsing of templates for this target, so that the precompiled header
# lacks them.
COFF = Target(flags=("--target=x86_64-pc-windows-msvc", "-std=c++20", "-O0", "-g", "-gcodeview",
                     *FREESTANDING, "-mno-stack-arg-probe", "-ffunction-sections",
                     "-fdata-sections", "-mno-incremental-linker-compatible",
                     "-fdebug-compilation-dir=.", "-gno-codeview-command-line"),
              object_suffix=".obj", archive_suffix=".lib", archivers=("llvm-lib-22", "llvm-lib"),
              archive_words=("/nologo", "/machine:x64", "/out:{out}"))

# The symbols of the system's library that the objects need, and its entry.
LIBSYSTEM = """\
--- !tapi-tbd
tbd-version:     4
targets:         [ x86_64-macos, arm64-macos ]
install-name:    '/usr/lib/libSystem.B.dylib'
exports:
  - targets:     [ x86_64-macos, arm64-macos ]
    symbols:     [ dyld_stub_binder, ___cxa_pure_virtual, ___bzero, _bzero,
                   _memcmp, _memcpy, _memmove, _memset, _memset_pattern16, _strlen ]
...
"""


def unix(triple: str, optimize: int, *flags: str) -> Target:
    """The target for ld.lld and ld64.lld."""
    return Target(flags=(f"--target={triple}", "-std=c++20", f"-O{optimize}", "-g", *flags,
                         "-fdebug-compilation-dir=."),
                  object_suffix=".o", archive_suffix=".a", archivers=("llvm-ar-22", "llvm-ar"),
                  archive_words=("rcs", "{out}"), scale=1.25)


def macho(arch: str, optimize: int, dwarf: int) -> Target:
    """The target for ld64.lld, with the given version of DWARF."""
    return dataclasses.replace(
        unix(f"{arch}-apple-macos11", optimize, f"-gdwarf-{dwarf}", *FREESTANDING),
        archive_words=("rcs", "--format=darwin", "{out}"),
        scale=1.25 if optimize == 0 else 1.45, files=(("libSystem.tbd", LIBSYSTEM),))


def elf(optimize: int, split: bool, lto: bool) -> Target:
    """The target for ld.lld; split: debug information in .dwo files, which the
    link does not read; lto: bitcode for ThinLTO."""
    return unix("x86_64-linux-gnu", optimize, *["-gsplit-dwarf"] * split,
                *["-flto=thin"] * lto, *FREESTANDING, "-ffunction-sections", "-fdata-sections")
