#!/usr/bin/env python3
"""Writes winget's manifests of a zip that cpack made.

    winget.py ZIP URL DIRECTORY

winget will download the zip from URL.
"""

import argparse
import hashlib
import json
import pathlib
import re
import sys
import zipfile

IDENTIFIER = "Headstart.Headstart"
SCHEMA = "1.10.0"
TEXTS = {
    "PackageLocale": "en-US",
    "Publisher": "Headstart",
    "PackageName": "Headstart",
    "License": "Apache-2.0 WITH LLVM-exception",
    "ShortDescription": "lld-link, ld.lld and ld64.lld that fetch their inputs ahead "
                        "of time, and headstart for every other linker",
}


def manifests(zip_file: pathlib.Path, url: str) -> dict:
    """Returns kind of manifest -> contents."""
    version = re.search(r"-(\d+\.\d+\.\d+)-windows-", zip_file.name)
    if not version:
        sys.exit(f"{zip_file}: cpack's names are headstart-VERSION-windows-x86_64.zip")
    with zipfile.ZipFile(zip_file) as archive:
        # The linkers get no alias, since lld-link may be LLVM's on the user's machine.
        (headstart,) = (name for name in archive.namelist() if name.endswith("bin/headstart.exe"))
    parts = {
        "version": {"DefaultLocale": TEXTS["PackageLocale"]},
        "defaultLocale": TEXTS,
        "installer": {
            "InstallerType": "zip",
            "NestedInstallerType": "portable",
            # winget makes a link, and headstart.dll is not next to it.
            "ArchiveBinariesDependOnPath": True,
            "NestedInstallerFiles": [
                {"RelativeFilePath": headstart.replace("/", "\\"),
                 "PortableCommandAlias": "headstart"}],
            "Installers": [{
                "Architecture": "x64", "InstallerUrl": url,
                "InstallerSha256": hashlib.sha256(zip_file.read_bytes()).hexdigest().upper()}],
        },
    }
    return {kind: {"PackageIdentifier": IDENTIFIER, "PackageVersion": version[1], **part,
                   "ManifestType": kind, "ManifestVersion": SCHEMA} for kind, part in parts.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("zip", type=pathlib.Path)
    parser.add_argument("url")
    parser.add_argument("directory", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.directory.mkdir(parents=True, exist_ok=True)
    for kind, contents in manifests(arguments.zip, arguments.url).items():
        part = {"version": "", "installer": ".installer",
                "defaultLocale": f".locale.{TEXTS['PackageLocale']}"}[kind]
        # JSON is YAML, too.
        (arguments.directory / f"{IDENTIFIER}{part}.yaml").write_text(
            json.dumps(contents, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
