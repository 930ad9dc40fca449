#!/usr/bin/env python3
"""Checks the documents, the manual pages, the help texts and ./dev's list of commands.
Checks the names and comments of the public headers.

- Every relative link leads to a file, and to a heading if it has an anchor; every path
  in backquotes that looks like one of the tree's exists.
- No text has a word of the terms to avoid, no sentence begins with one of the starts, and
  no sentence has only one or two words.
- No comment of a public header has such a term, and no name in one a word of the names.
- A number that appears in several places is the same in all of them.

check-docs.toml has the words and the numbers."""

import argparse
import pathlib
import re
import subprocess
import sys
import tomllib

from common import ROOT

LINK = re.compile(r"\]\(([^)#:\s]*)(?:#([^)\s]*))?\)")
PATH = re.compile(r"`((?:lib|include|tools|test|unittests|benchmarks|utils|"
                  r"cmake|docs)/[\w./-]+)`")

RULES = tomllib.loads(pathlib.Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def listed(*patterns):
    done = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard",
                           *patterns], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    return [ROOT / name for name in done.stdout.splitlines() if (ROOT / name).exists()]


def anchors(path):
    """The anchors that GitHub and the site give to a page's headings."""
    found = set()
    for line in path.read_text(encoding="utf-8").splitlines():
        heading = re.match(r"#+ +(.*)", line)
        if heading:
            text = re.sub(r"[^\w\- ]", "", heading[1].lower())
            found.add(text.strip().replace(" ", "-"))
    return found


def links(path):
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        for target, anchor in LINK.findall(line):
            there = path.parent / target if target else path
            if not there.exists():
                yield number, f"nothing at {target}"
            elif anchor and there.suffix == ".md" and anchor not in anchors(there):
                yield number, f"{there.name} has no heading #{anchor}"
        for name in PATH.findall(line):
            if not (ROOT / name.rstrip(".")).exists():
                yield number, f"nothing at {name}"


def markdown(lines):
    """The prose: (line, text) for each paragraph, list item or cell."""
    fenced, paragraph, begin = False, "", 0
    for number, line in enumerate([*lines, ""], 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
            line = ""
        if fenced or line.startswith(("    ", "<", "|", "#")) or not line.strip() or \
                re.match(r" *(?:[-*]|\d+\.) ", line):
            if paragraph:
                yield begin, paragraph
            paragraph = ""
            if fenced or line.startswith(("    ", "<")) or not line.strip():
                continue
            if line.startswith("|"):
                yield from ((number, cell) for cell in line.split("|"))
                continue
            if line.startswith("#"):
                yield number, line.lstrip("# ")
                continue
            line = re.sub(r"^ *(?:[-*]|\d+\.) ", "", line)
        begin = begin if paragraph else number
        paragraph += line.strip() + " "


def manual(lines):
    """The prose of an mdoc page; a macro's arguments are names."""
    paragraph, begin = "", 0
    for number, line in enumerate([*lines, "."], 1):
        if line.startswith((".Sh", ".Ss", ".Pp", ".It", ".El", ".Bl", ".Dl", ".Ed", ".Bd")) \
                or line == ".":
            if paragraph:
                yield begin, paragraph
            paragraph = ""
        elif line.startswith(".\\\""):
            continue
        else:
            begin = begin if paragraph else number
            if line.startswith("."):
                line = "`x`" + (line[-1] if line[-2:-1] == " " else "")
            paragraph += line + " "


def options(lines):
    text = "\n".join(lines)
    for found in re.finditer(r"(?:HelpText<|Valued<\[.*\], \"[^\"]*\", \"[^\"]*\",)"
                             r"((?:\s*\"(?:[^\"\\]|\\.)*\")+)", text):
        yield (text.count("\n", 0, found.start()) + 1,
               "".join(re.findall(r"\"((?:[^\"\\]|\\.)*)\"", found[1])))


def usage(lines):
    """The text that ./dev prints about its commands."""
    inside = False
    for number, line in enumerate(lines, 1):
        inside = (inside or line.startswith("usage()")) and line != "}"
        if inside:
            yield number, re.sub(r"^\./dev .*?  ", "", line)


def prose(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    if path.suffix == ".md":
        return markdown(lines)
    if path.suffix == ".td":
        return options(lines)
    return usage(lines) if path.name == "dev" else manual(lines)


def avoided(text):
    for term, instead in RULES["terms"].items():
        if found := re.search(rf"\b{term}\b", text, re.I):
            yield f"'{found[0]}': write {instead}"


def sentences(path):
    for number, text in prose(path):
        text = re.sub(r"`[^`]*`", "`x`", text)
        text = re.sub(r"\]\([^)]*\)", "]", text)
        yield from ((number, problem) for problem in avoided(text))
        for sentence in re.split(r"(?<=[.!?:]) +(?=[A-Z\"'(\[*])", text):
            for start in RULES["starts"]:
                if re.match(rf"\W*{start}\b", sentence) and \
                        not sentence.rstrip("\"'*) ").endswith("?"):
                    yield number, f"a sentence begins with '{start}': {sentence[:50]}"
            # "See NAME." and "Test it." are sentences.
            if re.fullmatch(r"(?!(?:See|It|They) )[A-Z]\w+( \w+)?\. *", sentence) and \
                    sentence.split()[-1] not in ("it.", "them."):
                yield number, f"a fragment: {sentence}"


def comments(lines):
    """The comments of a header, a block of lines at a time."""
    block, begin = "", 0
    for number, line in enumerate([*lines, ""], 1):
        # The // of an address (https://) begins no comment.
        found = re.search(r"(?<!:)//[/!]?<?(.*)", line)
        if found:
            begin = begin if block else number
            block += found[1].strip() + " "
        elif block:
            yield begin, block
            block = ""


def header(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    for number, text in comments(lines):
        yield from ((number, problem) for problem in avoided(text))
    for number, line in enumerate(lines, 1):
        code = re.sub(r'"(?:[^"\\]|\\.)*"|//.*', "", line)
        for name in re.findall(r"[A-Za-z_]\w*", code):
            for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name):
                if instead := RULES["names"].get(word.lower()):
                    yield number, f"{name}: write {instead}"


def numbers():
    for name, places in RULES["numbers"].items():
        values = {}
        for file, pattern in places:
            found = re.search(pattern, (ROOT / file).read_text(encoding="utf-8"), re.S)
            if not found:
                yield f"{file}: {name} is not there any more: /{pattern}/"
                continue
            values.setdefault(found[1].replace(",", ""), []).append(file)
        if len(values) > 1:
            yield f"{name}: " + "; ".join(
                f"{value} in {', '.join(files)}" for value, files in values.items())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="*", type=pathlib.Path, help="only the words of these")
    given = parser.parse_args()
    pages = listed("*.md")
    files = given.file or [*pages, *listed("docs/man/*", "*Options.td",
                                           "include/headstart/*.h"), ROOT / "dev"]
    problems = [] if given.file else [*numbers()]
    for path in files:
        found = [*(header if path.suffix == ".h" else sentences)(path)]
        if path in pages:
            found += links(path)
        name = path.relative_to(ROOT) if ROOT in path.parents else path
        problems += [f"{name}:{number}: {what}" for number, what in sorted(found)]
    print("\n".join([*problems, f"{len(files)} files, {len(problems)} problems"]))
    return 1 if problems or not files else 0


if __name__ == "__main__":
    sys.exit(main())
