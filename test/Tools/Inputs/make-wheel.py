"""Makes a stand-in for the wheel headstart-linker: the same directories, in which each
program calls the one of the build.

    make-wheel.py DIRECTORY PROGRAMS VERSION

Prints the wheel's path. If VERSION is -, makes only the directory `prefix` in DIRECTORY.
"""
import pathlib
import sys
import zipfile

directory, programs, version = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
root = pathlib.Path(__file__).resolve().parents[3]
files = {"share/headstart/link-report.py":
         (root / "utils" / "ci" / "link-report.py").read_text(encoding="utf-8")}
names = {"bin/headstart": "headstart", "bin/ld.headstart": "ld.lld",
         "libexec/headstart/ld": "ld.lld"}
for name in ("ld.lld", "lld-link", "ld64.lld", "lld", "wasm-ld"):
    names[f"libexec/headstart/{name}"] = name
for place, name in names.items():
    files[place] = f'#!/bin/sh\nexec "{programs}/{name}" "$@"\n'
if version == "-":
    for place, text in files.items():
        path = directory / "prefix" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
    sys.exit(0)
info = f"headstart_linker-{version}.dist-info"
files = {f"headstart_linker/{place}": text for place, text in files.items()}
files["headstart_linker/__init__.py"] = (
    "import os\nprefix = os.path.dirname(os.path.abspath(__file__))\n")
files[f"{info}/METADATA"] = (
    f"Metadata-Version: 2.1\nName: headstart-linker\nVersion: {version}\n")
files[f"{info}/WHEEL"] = (
    "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\n"
    "Tag: py3-none-any\n")
files[f"{info}/RECORD"] = "".join(f"{place},,\n" for place in
                                  [*files, f"{info}/RECORD"])
directory.mkdir(parents=True, exist_ok=True)
wheel = directory / f"headstart_linker-{version}-py3-none-any.whl"
with zipfile.ZipFile(wheel, "w") as archive:
    for place, text in files.items():
        entry = zipfile.ZipInfo(place)
        entry.external_attr = 0o100755 << 16
        archive.writestr(entry, text)
print(wheel)
