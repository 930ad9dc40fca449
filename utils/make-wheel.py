#!/usr/bin/env python3
"""Makes PyPI's wheel of an installed program.

    make-wheel.py PREFIX VERSION DIRECTORY

PREFIX is the prefix of `cmake --install --component Programs`. Wheels cannot contain links: every
name other than bin/headstart is a script, which runs `headstart NAME ...`. SOURCE_DATE_EPOCH is the
time of every file, so two wheels of one program are identical. Prints the wheel's name.
"""

import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import time
import zipfile

# pip installs these to the environment's bin, libexec and share.
SCRIPTS, DATA = ".data/scripts", ".data/data"
LAUNCHER = '#!/bin/sh\nexec "${0%%/*}/%sheadstart" %s "$@"\n'
# Templates of the wheel's own files, and its module.
FILES = pathlib.Path(__file__).resolve().parent / "wheel"


def filled(template: str, **values: str) -> bytes:
    return (FILES / template).read_text(encoding="utf-8").format(**values).encode()


def glibc(program: pathlib.Path) -> str:
    """The version of the C library that the program needs: "2_36"."""
    symbols = subprocess.check_output(["readelf", "--version-info", "--wide", program], text=True)
    newest = max([int(part) for part in version.split(".")]
                 for version in re.findall(r"\bGLIBC_(2\.[\d.]+)", symbols))
    # Packed relocations (GLIBC_ABI_DT_RELR) need 2.36.
    if "GLIBC_ABI_DT_RELR" in symbols:
        newest = max(newest, [2, 36])
    return f"{newest[0]}_{newest[1]}"


def machine(program: pathlib.Path) -> str:
    """The processor that the program is for, as wheels name it."""
    with program.open("rb") as file:
        code = int.from_bytes(file.read(20)[18:], "little")
    return {62: "x86_64", 183: "aarch64"}[code]  # e_machine of ELF


def contents(prefix: pathlib.Path, base: str, version: str, tag: str):
    """Yields (name in the wheel, bytes, whether it is a program)."""
    yield f"{base}{SCRIPTS}/headstart", (prefix / "bin/headstart").read_bytes(), True
    for link in sorted((prefix / "bin").glob("*.headstart")):
        text = LAUNCHER % ("", link.name)
        yield f"{base}{SCRIPTS}/{link.name}", text.encode(), True
    for link in sorted((prefix / "libexec/headstart").iterdir()):
        # `ld` is lld's for ELF.
        text = LAUNCHER % ("../../bin/", link.name if link.name != "ld" else "ld.lld")
        yield f"{base}{DATA}/libexec/headstart/{link.name}", text.encode(), True
    for file in sorted((prefix / "share").rglob("*")):
        if file.is_file() and "doc" not in file.parts:
            yield (f"{base}{DATA}/{file.relative_to(prefix).as_posix()}", file.read_bytes(), False)
    yield "headstart_linker/__init__.py", (FILES / "__init__.py").read_bytes(), False
    documents = prefix / "share/doc/headstart"
    for name in ("copyright", "THIRD-PARTY.md", "headstart.spdx.json"):
        yield (f"{base}.dist-info/licenses/{name}", (documents / name).read_bytes(), False)
    # PyPI's page cannot resolve relative links.
    readme = re.sub(r"!?\[([^][]*)\]\((?!https?:)[^()]*\)", r"\1",
                    (documents / "README.md").read_text(encoding="utf-8"))
    yield (f"{base}.dist-info/METADATA",
           filled("METADATA.in", version=version, description=readme), False)
    yield f"{base}.dist-info/WHEEL", filled("WHEEL.in", tag=tag), False


def main() -> int:
    prefix, version, directory = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    program = prefix / "bin/headstart"
    tag = f"py3-none-manylinux_{glibc(program)}_{machine(program)}"
    base = f"headstart_linker-{version}"
    wheel = pathlib.Path(directory) / f"{base}-{tag}.whl"
    when = time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))[:6]
    record = f"{base}.dist-info/RECORD"
    lines = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
        def add(name: str, data: bytes, program: bool) -> None:
            entry = zipfile.ZipInfo(name, when)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if program else 0o100644) << 16
            out.writestr(entry, data)
        for name, data, program in contents(prefix, base, version, tag):
            add(name, data, program)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
            lines.append(f"{name},sha256={digest.decode().rstrip('=')},{len(data)}\n")
        add(record, ("".join(lines) + f"{record},,\n").encode(), False)
    print(wheel)
    return 0


if __name__ == "__main__":
    sys.exit(main())
