#!/usr/bin/env python3
"""Compares the completions of headstart --autocomplete with stock lld: it must offer
every option that lld's help shows, with all values that it shows, and lld must accept
every offered value. Works in the current directory.
"""

import pathlib
import re
import subprocess
import sys

HELP = {"ld.lld": "--help", "ld64.lld": "--help", "lld-link": "/?"}
# Enough of a command line for lld to check the option.
LINK = {"ld.lld": ["-m", "elf_x86_64", "a.o"],
        "ld64.lld": ["-arch", "x86_64", "-platform_version", "macos", "11", "11",
                     "a.o"],
        "lld-link": ["a.o"]}
# The messages of the drivers about an unknown value.
COMPLAINT = re.compile(r"unknown|invalid|unexpected|illegal|expected|cannot open")
OF_NAMES = re.compile(r"unknown -z value: \S+$|unknown option")
UNKNOWN = {"ld.lld": [["-z", "nonsense"], ["-z", "nonsense="],
                      ["--hash-style=nonsense"]],
           "ld64.lld": [["-undefined", "nonsense"]],
           "lld-link": [["/opt:nonsense"], ["/opt:nonsense="],
                        ["/machine:nonsense"]]}


class Linker:
    def __init__(self, program, stock):
        self.program = program
        self.stock = pathlib.Path(stock)
        self.name = self.stock.name
        self.wrong = 0
        self.names = self.offered("-") | self.offered("/")
        self.without = self.said(*LINK[self.name]).splitlines()

    def offered(self, *args):
        """The completions of the last argument."""
        lines = subprocess.run(
            [self.program, "--autocomplete", self.name, *args], check=True,
            stdout=subprocess.PIPE, text=True).stdout.splitlines()
        fields = [line.split("\t") for line in lines]
        return {f[1] for f in fields if f[0] in ("word", "open")}

    def said(self, *args):
        text = subprocess.run(
            [self.stock, *args], stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True).stdout
        return re.sub("\x1b\\[.*?m", "", text)

    def complain(self, text):
        print(f"{self.name}: {text}")
        self.wrong += 1

    def check_names(self):
        """Checks that the help's options are offered. Returns their number and values."""
        values = {}
        shown = re.findall(r"^  ([-/].*?)(?:  |$)", self.said(HELP[self.name]),
                           re.M)
        for option in shown:
            spelled = re.match(r"[^ <\[]+", option).group()
            name = re.match(r"[^=:]+[=:]?", spelled).group()
            if not {spelled, name, name + "="} & self.names:
                self.complain(f"{option} is not offered")
            if closed := re.search(r"=\[(.*?)\]", option):
                values[spelled] = {value for value in closed.group(1).split(",")
                                   if "<" not in value}
        return len(shown), values

    def check_values(self, name, shown):
        """Checks the values of an option. Returns their number."""
        if name.endswith(("=", ":")):
            prefix, args = name, []
            offered = self.offered(name)
        else:
            prefix, args = "", [name]
            offered = self.offered(name, "")
        values = {word[len(prefix):] for word in offered - self.names}
        if shown - values:
            self.complain(f"{name}: {shown - values} are not offered")
        for value in values:
            if problem := self.problem(args + [prefix + value]):
                self.complain(problem)
        return len(values)

    def problem(self, args):
        """lld's message about an unknown value, or None."""
        # If the value itself takes a value, that one may be wrong as well.
        complaint = (OF_NAMES if args[-1].endswith("=") else COMPLAINT)
        for line in self.said(*args, *LINK[self.name]).splitlines():
            if line not in self.without and complaint.search(line):
                return f"{args}: {line}"
        return None

    def check(self):
        options, shown = self.check_names()
        values = 0
        for name in sorted(self.names):
            if "prefetch-" not in name:
                values += self.check_values(name, shown.pop(name, set()))
        if shown:
            self.complain(f"values without an option: {shown}")
        for args in UNKNOWN[self.name]:
            if not self.problem(args):
                self.complain(f"stock lld printed no message for {args}")
        print(f"{self.name}: {options} options in the help, {values} values")


def main():
    pathlib.Path("a.o").touch()
    linkers = [Linker(sys.argv[1], stock) for stock in sys.argv[2:]]
    for linker in linkers:
        linker.check()
    sys.exit(1 if any(linker.wrong for linker in linkers) else 0)


main()
