#!/usr/bin/env python3
"""Writes winget's manifests of a zip that cpack made, from the templates in utils/winget.

    winget.py ZIP URL DIRECTORY

winget will download the zip from URL.
"""

import argparse
import hashlib
import pathlib
import re
import sys
import zipfile

TEMPLATES = pathlib.Path(__file__).resolve().parent / "winget"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("zip", type=pathlib.Path)
    parser.add_argument("url")
    parser.add_argument("directory", type=pathlib.Path)
    arguments = parser.parse_args()
    version = re.search(r"-(\d+\.\d+\.\d+)-windows-", arguments.zip.name)
    if not version:
        sys.exit(f"{arguments.zip}: cpack's names are headstart-VERSION-windows-x86_64.zip")
    with zipfile.ZipFile(arguments.zip) as archive:
        (program,) = (name for name in archive.namelist() if name.endswith("bin/headstart.exe"))
    digest = hashlib.sha256(arguments.zip.read_bytes()).hexdigest().upper()
    arguments.directory.mkdir(parents=True, exist_ok=True)
    for template in TEMPLATES.glob("*.in"):
        (arguments.directory / template.stem).write_text(
            template.read_text(encoding="utf-8").format(
                version=version[1], program=program.replace("/", "\\"), url=arguments.url,
                sha256=digest), encoding="utf-8")


if __name__ == "__main__":
    main()
