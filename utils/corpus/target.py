"""The targets: of which kind the objects are, and what makes them."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Target:
    """A kind of objects and archives."""

    flags: tuple[str, ...]
    object_suffix: str
    archive_suffix: str
    archivers: tuple[str, ...]
    archive_words: tuple[str, ...]  # "{out}" stands for the archive
    # The sizes of budget.py are those of COFF objects with CodeView at -O0:
    # how many times these are to be asked for.
    scale: float = 1.0
    # Further files for the output folder, by name.
    files: tuple[tuple[str, str], ...] = ()


# Neither headers nor a library.
FREESTANDING = (
    "-ffreestanding",
    "-nostdinc",
    "-fno-exceptions",
    "-fno-rtti",
    "-fno-threadsafe-statics",
    "-fno-stack-protector",
    "-fasynchronous-unwind-tables",
)

# -O0: the most bytes of object per second of compiling (twice -O1), and
# what a developer links most often.  C++20: before it clang delays the
# parsing of templates for this target, which leaves the precompiled header
# without them.
COFF = Target(
    flags=(
        "--target=x86_64-pc-windows-msvc",
        "-std=c++20",
        "-O0",
        "-g",
        "-gcodeview",
        *FREESTANDING,
        "-mno-stack-arg-probe",
        "-ffunction-sections",
        "-fdata-sections",
        "-mno-incremental-linker-compatible",
        "-fdebug-compilation-dir=.",
        "-gno-codeview-command-line",
    ),
    object_suffix=".obj",
    archive_suffix=".lib",
    archivers=("llvm-lib-22", "llvm-lib"),
    archive_words=("/nologo", "/machine:x64", "/out:{out}"),
)

# What the objects want of the system's library, and its entry.
LIBSYSTEM = """\
--- !tapi-tbd
tbd-version:     4
targets:         [ x86_64-macos, arm64-macos ]
install-name:    '/usr/lib/libSystem.B.dylib'
exports:
  - targets:     [ x86_64-macos, arm64-macos ]
    symbols:     [ dyld_stub_binder, ___cxa_pure_virtual, ___bzero, _bzero,
                   _memcmp, _memmove, _memset_pattern16, _strlen ]
...
"""


def macho(arch: str, optimize: int, dwarf: int) -> Target:
    """Gives the target for ld64.lld, with DWARF of a version."""
    return Target(
        flags=(
            f"--target={arch}-apple-macos11",
            "-std=c++20",
            f"-O{optimize}",
            "-g",
            f"-gdwarf-{dwarf}",
            *FREESTANDING,
            "-fdebug-compilation-dir=.",
        ),
        object_suffix=".o",
        archive_suffix=".a",
        archivers=("llvm-ar-22", "llvm-ar"),
        archive_words=("rcs", "--format=darwin", "{out}"),
        scale=1.25 if optimize == 0 else 1.45,
        files=(("libSystem.tbd", LIBSYSTEM),),
    )


def elf(optimize: int, split: bool, lto: bool) -> Target:
    """Gives the target for ld.lld; split: debug information in .dwo files, which the
    link does not read; lto: bitcode for ThinLTO."""
    return Target(
        flags=(
            "--target=x86_64-linux-gnu",
            "-std=c++20",
            f"-O{optimize}",
            "-g",
            *(("-gsplit-dwarf",) if split else ()),
            *(("-flto=thin",) if lto else ()),
            *FREESTANDING,
            "-ffunction-sections",
            "-fdata-sections",
            "-fdebug-compilation-dir=.",
        ),
        object_suffix=".o",
        archive_suffix=".a",
        archivers=("llvm-ar-22", "llvm-ar"),
        archive_words=("rcs", "{out}"),
        scale=1.25,
    )
