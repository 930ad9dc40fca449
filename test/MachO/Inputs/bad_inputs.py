"""Makes misleading inputs of ld64.lld in the current directory."""

import os
import pathlib
import struct

OBJECT = pathlib.Path("main.o").read_bytes()
ARM64, X86 = 0x0100000C, 0x01000007


def fat(name: str, slices, count=None, magic=0xCAFEBABE) -> None:
    """A universal file of (processor, offset, size), followed by our object."""
    data = struct.pack(">II", magic, len(slices) if count is None else count)
    for cpu, offset, size in slices:
        subtype = 3 if cpu == X86 else 0
        data += struct.pack(">IIIII", cpu, subtype, offset, size, 2)
    pathlib.Path(name).write_bytes(data.ljust(4096, b"\0") + OBJECT)


def stub(name: str, text: str) -> None:
    pathlib.Path(name).write_text(text)


size = len(OBJECT)
fat("overlap.o", [(X86, 4096, size), (ARM64, 4096, size)])
fat("twice.o", [(ARM64, 4096, size), (ARM64, 0, 8)])
fat("inside-out.o", [(ARM64, 0, 4096 + size)])
fat("nothing.o", [(ARM64, 4096, 0)])
fat("endless.o", [(X86, 4096, size)], count=0xFFFFFFFF)
fat("none.o", [])
fat("large.o", [(ARM64, 4096, size)], magic=0xCAFEBABF)
pathlib.Path("cut-table.o").write_bytes(struct.pack(">III", 0xCAFEBABE, 2, 7))
# If a file ended after the magic, stock lld would read past its end.

for name in ("whole", "thin"):
    archive = pathlib.Path(name + ".a").read_bytes()
    for cut, part in (("magic", 8), ("header", 20), ("most", -1)):
        pathlib.Path(f"{name}-{cut}.a").write_bytes(archive[:part])
    # Stock lld crashes on these.
    for part in (68, len(archive) // 2):
        pathlib.Path(f"crash-{name}-{part}.a").write_bytes(archive[:part])
    pathlib.Path(name + "-lost.a").write_bytes(
        archive.replace(b"other", b"oTher"))

stub("empty.tbd", "")
stub("tag.tbd", "--- !tapi-tbd\n")
stub("garbage.tbd", "--- !tapi-tbd\ntbd-version: 4\n]]]'\"{: [\n\t&*!|>%@`\n")
stub("cut.tbd", "--- !tapi-tbd\ntbd-version: 4\ntargets: [ arm64-macos ]\n"
     "install-name: '/usr/lib/cut.dylib'\nreexported-libraries:\n"
     "  - targets: [ arm64-macos ]\n    libraries: [ '/usr/lib/x")
stub("version.tbd", "--- !tapi-tbd\ntbd-version: 99\ninstall-name: x\n...\n")
stub("json.tbd", '{"tapi_tbd_version": 5, "main_library": [1, {}')
stub("types.tbd", '{"tapi_tbd_version": 5, "main_library": {"target_info": 1,'
     ' "install_names": {"name": []}, "reexported_libraries": [[], {}]}}')
stub("lost.tbd", "--- !tapi-tbd\ntbd-version: 4\ntargets: [ arm64-macos ]\n"
     "install-name: '/usr/lib/lost.dylib'\nreexported-libraries:\n"
     "  - targets: [ arm64-macos ]\n    libraries: [ '/usr/lib/nowhere.dylib' ]"
     "\n...\n")

os.mkdir("folder.o")
os.makedirs("lib/libfolder.a")
os.makedirs("fw/Directory.framework/Directory")
os.symlink("loop.o", "loop.o")
os.symlink("nowhere", "dangling.o")
os.symlink("lib", "lib/libself")
pathlib.Path("nothing-in-it.o").touch()
pathlib.Path("name.rsp").write_text("x" * 5000 + ".o -l" + "y" * 5000)
pathlib.Path("directories.rsp").write_text(
    "\n".join(f"-Lno/{i} -Flib" for i in range(10000)))
os.makedirs("no")
for i in range(0, 10000, 100):
    os.mkdir(f"no/{i}")
pathlib.Path("same.list").write_text("main.o\n" * 1000000)
pathlib.Path("missing.list").write_text(
    "".join(f"missing/{i}.o\n" for i in range(1000000)))
pathlib.Path("nul.list").write_bytes(b"main.o\0x\n\0\n" + b"z" * 100000)
