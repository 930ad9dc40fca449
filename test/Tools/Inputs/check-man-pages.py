#!/usr/bin/env python3
"""Compares the man pages with the programs: each subcommand of `headstart` must have a
page, each page the options that --help prints, and the fields of the JSON that the
command prints. The page of the drop-in linkers must have their options.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

wrong = 0


def compare(page, what, found, real):
    global wrong
    if set(found) != set(real):
        print(f"{page}: {what}: missing {sorted(set(real) - set(found))}, "
              f"too many {sorted(set(found) - set(real))}")
        wrong += 1


def output_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True).stdout


def described_options(text):
    # ".It Fl -glob Ns = Ns Ar GLOB", ".It Fl h , Fl -help"; --help omits short forms.
    found = set()
    for line in re.findall(r"^\.It (Fl .*)$", text, re.M):
        found |= set(re.findall(r"Fl (\S+)", line))
    return found - {"h", "V"}


def synopsis_options(text):
    synopsis = text.split(".Sh SYNOPSIS")[1].split(".Sh DESCRIPTION")[0]
    return set(re.findall(r"Fl (\S+)", synopsis)) - {"-"}


def printed_options(summary):
    return set(re.findall(r"^  -(-?[^ =\n]+)", summary, re.M))


def described_fields(text, option):
    """The fields that the page describes for an option that prints JSON."""
    item = re.search(r"^\.It Fl %s\n(.*?)^\.(?:It Fl|Sh) " % option, text,
                     re.M | re.S)
    fields = set()
    for line in re.findall(r"^\.(?:It )?Li (.*)$", item.group(1) if item else "",
                           re.M):
        fields |= set(re.findall(r"\b[a-z][a-z0-9_]+\b", line))
    return fields


def fields_of(value):
    if isinstance(value, list):
        return set().union(*map(fields_of, value))
    if isinstance(value, dict):
        # The fields of these vary, or another page describes them.
        return set(value).union(*(
            fields_of(v) for k, v in value.items()
            if k not in ("environment", "stats", "decisions")))
    return set()


class Samples:
    """Runs the commands that print JSON, in a temporary directory."""

    def __init__(self, program, linker):
        self.program = program
        self.linker = linker
        pathlib.Path("tree").mkdir()
        pathlib.Path("tree/file").write_text("one")
        output_of(program, "walk", "--manifest=manifest", "tree")
        pathlib.Path("tree/file").write_text("other" * 4000)
        self.odd = os.fsdecode(b"\xff")
        self.inputs = ["tree/file"]
        try:
            pathlib.Path("tree/" + self.odd).write_text("odd" * 8000)
            self.inputs.append("tree/" + self.odd)
        except OSError:  # file systems that take UTF-8 only
            self.odd = ""
        # A link without objects, which stores the profile for `profile show`.
        subprocess.run([linker, "-m", "elf_x86_64", "--format=binary",
                        *self.inputs, "-o", "out" + self.odd,
                        "--prefetch-profile=record" + self.odd,
                        "--prefetch-stats=stats"],
                       check=True, stderr=subprocess.DEVNULL)
        # Another link for `build`, below the directory that it builds.
        os.environ["XDG_CACHE_HOME"] = os.path.abspath("cache")
        pathlib.Path("build").mkdir()
        subprocess.run([linker, "-m", "elf_x86_64", "--format=binary",
                        self.inputs[0], "-o", "build/out" + self.odd],
                       check=True, stderr=subprocess.DEVNULL)

        # A link that `queue` lists, until its input is there.
        shutil.copy(shutil.which("sleep"), "held")
        self.link = subprocess.Popen(
            [program, "run", "--prefetch-queue=1", "--flavour=elf", "--", "./held", "600"])
        while self.link.poll() is None and not self.fields("queue") > {"links"}:
            time.sleep(0.05)

    def commands(self, subcommand):
        link = ["--", self.linker, "-m", "elf_x86_64", "tree/file"]
        return {
            # Not every machine can make a cold link.
            "bench": [["--cold-rounds=0", "--warm-rounds=1", "--no-html", "--",
                       self.linker, "-m", "elf_x86_64", "--format=binary",
                       "tree/file", "-o", "out"]],
            "doctor": [["tree"]],
            # A running program remains cached, which the output explains. Headstart's own
            # would be evicted in part, and tests beside this one count its pages.
            "evict": [["tree", "held"]],
            "inputs": [link],
            "plan": [link],
            "profile": [["show", "record" + self.odd], ["list"]],
            "queue": [[]],
            "residency": [["tree"]],
            "status": [["--since=manifest"]],
            "walk": [["--stat", "tree"]],
            "warm": [["tree"]],
        }[subcommand]

    def fields(self, subcommand):
        if subcommand == "build":  # the status of a running build
            step = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "build-step.py")
            return fields_of(json.loads(output_of(
                self.program, "build", "--directory=build", sys.executable, step,
                self.program, "build", "--json")))
        result = set()
        for args in self.commands(subcommand):
            result |= fields_of(json.loads(output_of(
                self.program, subcommand, "--json", *args)))
        return result

    def always_printed(self, fields):
        """Removes the fields of paths that are not UTF-8 if the file system has none."""
        return {f for f in fields if self.odd or not f.endswith("_base64")}


def check_subcommand(program, page, samples):
    subcommand = page.stem.split("-", 1)[1]
    text = page.read_text(encoding="utf-8")
    real = printed_options(output_of(program, subcommand, "--help"))
    compare(page.name, "described", described_options(text), real)
    compare(page.name, "in the synopsis",
            synopsis_options(text) | {"-help", "-version"}, real)
    if "-json" in real:
        compare(page.name, "fields",
                samples.always_printed(described_fields(text, "-json")),
                samples.fields(subcommand))
    print(f"{page.stem}: {len(real)} options")


def check_overview(program, page, subcommands):
    text = page.read_text(encoding="utf-8")
    compare(page.name, "subcommands", re.findall(r"^\.It Cm (\S+)", text, re.M),
            subcommands)
    # --help does not list them.
    compare(page.name, "described", described_options(text),
            {"-help", "-version"})
    compare(page.name, "in the synopsis", synopsis_options(text),
            {"-help", "-version"})
    for option in ("-h", "--help", "-V", "--version", "version"):
        output_of(program, option)
    also = text.split(".Sh SEE ALSO")[1]
    compare(page.name, "pages", re.findall(r"^\.Xr (\S+) 1", also, re.M),
            [f"headstart-{name}" for name in subcommands])
    print(f"{page.stem}: {len(subcommands)} subcommands")


def check_linkers(page, helps):
    text = page.read_text(encoding="utf-8")
    described = described_options(text)
    compare(page.name, "in the synopsis", synopsis_options(text), described)
    for linker, printed in helps.items():
        real = set(re.findall(r"^  [-/]-?((?:no-)?prefetch-\w+)",
                              printed.split("\nHEADSTART:\n")[1], re.M))
        if linker == "lld-link":  # it has /prefetch-inputs:no
            real.add("no-prefetch-inputs")
        compare(page.name, f"described of {linker}", described,
                {f"-{name}" for name in real})
    stats = json.loads(pathlib.Path("stats").read_text(encoding="utf-8"))
    # Without problems, this link prints no fields of a problem.
    compare(page.name, "fields", described_fields(text, r"-prefetch-stats Ns [^\n]*"),
            fields_of(stats) | {"message", "count"})
    print(f"{page.stem}: {len(described)} options, {len(stats)} fields")


def check_format(page):
    """Runs the formatters that this machine has."""
    global wrong
    for command in (["mandoc", "-T", "lint", "-W", "warning"],
                    ["groff", "-mdoc", "-ww", "-z", "-T", "utf8"],
                    ["lexgrog"]):
        if not shutil.which(command[0]):
            continue
        done = subprocess.run(command + [str(page)], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        # lexgrog prints the line for apropos(1).
        is_quiet = not done.stdout or command[0] == "lexgrog"
        if done.returncode != 0 or not is_quiet:
            print(f"{page.name}: {command[0]}: {done.stdout}")
            wrong += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("directory", type=pathlib.Path)
    options = parser.parse_args()
    program = options.program.resolve()
    directory = options.directory.resolve()
    helps = {name: output_of(str(program.with_name(name)), "-help")
             for name in ("lld-link", "ld.lld", "ld64.lld")}
    subcommands = re.findall(r"^  headstart (\w+)",
                             output_of(program, "--help"), re.M)
    pages = sorted(directory.glob("*.[1-9]"))
    compare(directory.name, "pages", [page.name for page in pages],
            [f"headstart-{name}.1" for name in subcommands]
            + ["headstart.1", "headstart-linkers.7"])
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        os.environ["XDG_CACHE_HOME"] = os.path.join(place, "cache")
        samples = Samples(str(program), str(program.with_name("ld.lld")))
        for page in pages:
            if page.name == "headstart.1":
                check_overview(program, page, subcommands)
            elif page.name == "headstart-linkers.7":
                check_linkers(page, helps)
            elif page.stem.split("-")[1] in subcommands:
                check_subcommand(program, page, samples)
            check_format(page)
        samples.link.kill()
        samples.link.wait()
        os.chdir(directory)
    sys.exit(1 if wrong else 0)


main()
