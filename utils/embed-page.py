#!/usr/bin/env python3
"""Puts the page of `headstart bench` into C++.

    embed-page.py --page lib/Report/Page [--d3 d3.min.js --license FILE] --out FILE.inc

The script makes one file of page.html, page.css, the scripts and the charting library, and cuts it
at the place of the report. The policy in its head allows only the two scripts with these hashes.
Without the library there is no page, and the file has two empty parts.
"""

import argparse
import base64
import hashlib
import pathlib
import re
import sys

BANNER = """\
//===- BenchPageParts.inc - The page of headstart bench, as bytes ---------===//
//
// Written by utils/embed-page.py from lib/Report/Page.
//
//===----------------------------------------------------------------------===//

"""
REPORT = "{{report}}"
SCRIPTS = ("read.js", "common.js", "results.js", "timeline.js", "inputs.js", "page.js")


def script_text(text: str, name: str) -> str:
    """Checks that a script's element ends where the script does."""
    if re.search(r"</script|<!--", text, re.IGNORECASE):
        raise SystemExit(f"embed-page.py: {name} has a tag in it that would end its element")
    return text


def with_license(d3: str, license_text: str) -> str:
    """The library, with its licence as a comment after the first line."""
    first, rest = d3.split("\n", 1)
    if not re.match(r"// https://d3js\.org v\d", first):
        raise SystemExit(f"embed-page.py: this is not d3.min.js: its first line is {first[:60]!r}")
    comment = license_text.strip().replace("*/", "* /")
    return f"{first}\n/*\n{comment}\n*/\n{rest}"


def policy(*scripts: str) -> str:
    hashes = " ".join("'sha256-%s'" % base64.b64encode(
        hashlib.sha256(text.encode()).digest()).decode() for text in scripts)
    return (f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data:; "
            "base-uri 'none'; form-action 'none'")


def make_page(directory: pathlib.Path, d3: str):
    """The parts of the page before and after the report."""
    def part(name):
        return (directory / name).read_text(encoding="utf-8")

    d3 = script_text("\n" + d3, "d3")
    code = script_text('\n(function () {\n"use strict";\n'
                       + "\n".join(map(part, SCRIPTS)) + "})();\n", "the page")
    values = {"css": part("page.css"), "d3": d3, "js": code, "policy": policy(d3, code)}
    before, after = part("page.html").split(REPORT)

    def fill(text):
        return re.sub(r"\{\{(\w+)\}\}", lambda match: values[match[1]], text)

    return fill(before), fill(after)


def literals(text: str):
    """String literals, each short enough for every compiler (MSVC: 16 kB)."""
    def escaped(byte):
        if byte in b'"\\':
            return "\\" + chr(byte)
        # Three digits, so that no following digit joins them; "?" could be a trigraph.
        return chr(byte) if 32 <= byte < 127 and byte != 63 else f"\\{byte:03o}"

    data = text.encode()
    for start in range(0, len(data), 8000):
        piece = data[start:start + 8000]
        yield "\n".join('    "%s"' % "".join(map(escaped, piece[at:at + 100]))
                        for at in range(0, len(piece), 100))


def make_source(parts) -> str:
    """Two functions with the parts, which are empty without a library."""
    out = [BANNER]
    for name, text in zip(("Before", "After"), parts):
        pieces = list(literals(text))
        if pieces:
            out.append(f"\nstatic constexpr llvm::StringLiteral {name}[] = {{\n"
                       + ",\n".join(pieces) + "};\n")
        value = name if pieces else "{}"
        out.append(f"\nstatic llvm::ArrayRef<llvm::StringLiteral> page{name}Report() "
                   f"{{ return {value}; }}\n")
    return "".join(out)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--page", type=pathlib.Path, required=True)
    parser.add_argument("--d3", type=pathlib.Path)
    parser.add_argument("--license", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    args = parser.parse_args()
    parts = ("", "")
    if args.d3:
        parts = make_page(args.page, with_license(args.d3.read_text(encoding="utf-8"),
                                                  args.license.read_text(encoding="utf-8")))
    args.out.write_text(make_source(parts), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
