#!/usr/bin/env python3
"""Writes the list of the program's parts as SPDX 2.3 (JSON).

The parts and their licenses are those of THIRD-PARTY.md; the test of the packages
compares. The date is that of SOURCE_DATE_EPOCH, or now.
"""

import argparse
import json
import os
import pathlib
import time

# The parts that are linked into the program for Linux: name, license, origin.
PARTS = {
    "LLVM and lld": ("Apache-2.0 WITH LLVM-exception", "https://llvm.org"),
    "zlib": ("Zlib", "https://zlib.net"),
    "Zstandard": ("BSD-3-Clause", "https://facebook.github.io/zstd"),
    "libstdc++ and libgcc": ("GPL-3.0-or-later WITH GCC-exception-3.1",
                             "https://gcc.gnu.org"),
    "D3": ("BSD-3-Clause", "https://d3js.org"),
}


def package(identifier: str, name: str, version: str, licence: str, home: str) -> dict:
    return {"SPDXID": identifier, "name": name, "versionInfo": version,
            "downloadLocation": "NOASSERTION", "homepage": home or "NOASSERTION",
            "filesAnalyzed": False, "licenseConcluded": licence,
            "licenseDeclared": licence, "copyrightText": "NOASSERTION"}


def document(version: str, versions: dict) -> dict:
    when = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())))
    own = "SPDXRef-headstart"
    packages = [package(own, "headstart", version, "Apache-2.0 WITH LLVM-exception", "")]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", own)]
    for name, (licence, home) in PARTS.items():
        identifier = "SPDXRef-" + "".join(c if c.isalnum() else "-" for c in name)
        packages.append(package(identifier, name,
                                versions.get(name) or "NOASSERTION", licence, home))
        relations.append((own, "STATIC_LINK", identifier))
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT", "name": f"headstart-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/headstart-{version}",
        "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ", when),
                         "creators": ["Tool: headstart-make-sbom"]},
        "packages": packages,
        "relationships": [
            {"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b}
            for a, kind, b in relations],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--version", required=True)
    parser.add_argument("--llvm", required=True)
    parser.add_argument("--part", action="append", default=[], metavar="NAME=VERSION")
    parser.add_argument("file", type=pathlib.Path)
    arguments = parser.parse_args()
    versions = dict(part.split("=", 1) for part in arguments.part)
    versions["LLVM and lld"] = arguments.llvm
    unknown = set(versions) - set(PARTS)
    if unknown:
        parser.error(f"no part of the program: {', '.join(sorted(unknown))}")
    text = json.dumps(document(arguments.version, versions), indent=2)
    arguments.file.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
