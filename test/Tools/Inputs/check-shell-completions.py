#!/usr/bin/env python3
"""Compares a shell's completions of command lines, by the scripts in
tools/headstart/completions, with --help, with files and with values.

bash and zsh run at a terminal, where this script types lines and a key inserts all
completions; fish prints them by `complete -C`. Works in the current directory.
"""

import os
import pathlib
import pty
import re
import select
import shlex
import subprocess
import sys
import time

ALL = "\x1bA"  # bound below: insert all completions
SETUP = {
    "bash": r"""
        PS1='>'; unset HISTFILE
        bind 'set enable-bracketed-paste off' '"\eA": insert-completions'
        source /usr/share/bash-completion/bash_completion
        source {scripts}/headstart.bash""",
    "zsh": r"""
        PS1='>'
        fpath=({scripts} $fpath); autoload -U compinit; compinit -u -D
        bindkey -e; zle -C all-matches complete-word _generic
        bindkey '\eA' all-matches
        zstyle ':completion:all-matches:*' insert yes
        zstyle ':completion:all-matches::::' completer _all_matches _complete""",
}
COMMANDS = {"bash": ["bash", "--norc", "--noprofile", "-i"],
            "zsh": ["zsh", "-f", "-i"]}


class Terminal:
    """A shell at a terminal."""

    def __init__(self, shell, scripts, directory):
        self.shell = shell
        self.directory = directory
        self.count = 0
        self.shown = b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ["TERM"] = "xterm"
            os.execvp(shell, COMMANDS[shell])
        text = SETUP[shell].format(scripts=shlex.quote(scripts))
        (directory / "setup").write_text(text, encoding="utf-8")
        self.run(f"source {directory}/setup")

    def run(self, line):
        """Types a line and Return, and waits until the command has ended."""
        self.count += 1
        done = self.directory / f"done.{self.count}"
        os.write(self.fd, f"{line}; : >{done}\r".encode())
        end = time.monotonic() + 60
        while not done.exists():
            if time.monotonic() > end:
                sys.exit(f"{self.shell} does not answer; on its terminal: "
                         f"{self.shown!r}")
            if select.select([self.fd], [], [], 0.02)[0]:
                self.shown += os.read(self.fd, 65536)

    def typed(self, keys):
        """The arguments of the command line that these keys make."""
        # Ctrl-A and Ctrl-E move to the beginning and the end of the line.
        words = self.directory / "words"
        self.run(f"{keys}\x01printf '%s\\n' \x05>{words}")
        return words.read_text(encoding="utf-8").splitlines()

    def offered(self, line):
        before, _, word = line.rpartition(" ")
        words = self.typed(line + ALL)[len(shlex.split(before)):]
        if self.shell == "bash":
            # bash completes the part after the last of these characters.
            part = re.match(r"(.*[=:])?", word).group()
            words = words[:1] + [part + w for w in words[1:]]
        return set() if words == [word] else set(words)

    def end(self):
        os.write(self.fd, b"exit\r")
        try:
            while os.read(self.fd, 65536):
                pass
        except OSError:
            pass
        os.waitpid(self.pid, 0)


class Fish:
    def __init__(self, scripts):
        self.source = f"source {shlex.quote(scripts)}/headstart.fish"

    def offered(self, line):
        done = subprocess.run(
            ["fish", "--no-config", "-c", self.source + "; complete -C $argv[1]",
             line], check=True, stdout=subprocess.PIPE, text=True)
        return {offer.split("\t")[0] for offer in done.stdout.splitlines()}

    def end(self):
        pass


class Check:
    def __init__(self, shell):
        self.shell = shell
        self.wrong = self.count = 0

    def equal(self, line, found, wanted):
        self.count += 1
        if found == wanted:
            return
        self.wrong += 1
        if isinstance(found, set):
            print(f"'{line}': missing {sorted(wanted - found)}, "
                  f"too many {sorted(found - wanted)}")
        else:
            print(f"'{line}': {found}, not {wanted}")

    def offers(self, line, wanted):
        # Only some shells mark directories.
        found = {word.rstrip("/") for word in self.shell.offered(line)}
        self.equal(line, found, set(wanted))


def output_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE,
                          text=True).stdout


def check_help(check, program):
    """Checks that the completions are the options that --help prints, -h and -V."""
    subcommands = re.findall(r"^  headstart (\w+)",
                             output_of(program, "--help"), re.M)
    check.offers("headstart ", {*subcommands, "help"})
    check.offers("headstart help ", subcommands)
    check.offers("headstart -", {"--help", "--version", "-h", "-V"})
    for subcommand in subcommands:
        options = set(re.findall(r"^  (-[^ <\n]+)",
                                 output_of(program, subcommand, "--help"), re.M))
        check.equal(subcommand, len(options) > 2, True)
        check.offers(f"headstart {subcommand} -", options | {"-h", "-V"})
        check.offers(f"headstart {subcommand} --",
                     {o for o in options if o.startswith("--")})


def check_values(check, program):
    files = {"a.o", "b c.o", "folder"}
    flavours = {"coff", "elf", "macho"}
    for line, beginning, wanted in (
            # Completions of headstart.
            ("headstart wa", "wa", {"lk", "rm"}),
            (f"{program} wal", "wal", {"k"}),
            ("headstart run --flavour ", "", flavours),
            ("headstart run --flavour=", "--flavour=", flavours),
            ("headstart bench --variants=on,o", "--variants=on,",
             {"off", "on", "on+profile"}),
            ("headstart walk --type=", "--type=", {"f", "d", "l"}),
            ("headstart walk --max-depth ", "", set()),
            ("headstart profile ", "", {"list", "prune", "show"}),
            ("headstart profile show ", "", files),
            ("headstart walk ", "", files),
            ("headstart walk -- ", "", files),
            ("headstart walk a.o -- --jso", "--jso", set()),
            ("headstart status --since ", "", files),
            ("headstart plan --prefetch-profile=", "--prefetch-profile=", files),
            # Completions of the command after it.
            ("headstart run zz-", "", {"zz-linker"}),
            ("headstart bench --rounds 3 -- zz-", "", {"zz-linker"}),
            ("headstart bench --stock=zz-", "--stock=", {"zz-linker"}),
            ("headstart inputs --flavour=elf -- zz-linker ", "", files),
            ("headstart run headstart wal", "wal", {"k"})):
        check.offers(line, {beginning + w for w in wanted})


def check_keys(check, terminal):
    """Checks that a space follows a complete argument, but not one that needs a value."""
    for keys, wanted in (
            ("headstart wal\t--hid\t--max\t3", "headstart walk --hidden --max-depth=3"),
            ("headstart run --flav\te\t-- zz\ta\t",
             "headstart run --flavour=elf -- zz-linker a.o")):
        check.equal(keys, " ".join(terminal.typed(keys)), wanted)


def main():
    name, program, scripts = sys.argv[1:]
    # Uses no files of the user. The completions must not have files written meanwhile.
    state = pathlib.Path("state").resolve()
    (state / "bin").mkdir(parents=True)
    for command in ("headstart", "zz-linker"):
        (state / "bin" / command).symlink_to(program)
    os.environ["PATH"] = f"{state}/bin:/usr/bin:/bin"
    os.environ["HOME"] = str(state)
    os.mkdir("inputs")
    os.chdir("inputs")
    pathlib.Path("folder").mkdir()
    pathlib.Path("a.o").touch()
    pathlib.Path("b c.o").touch()
    shell = Fish(scripts) if name == "fish" else Terminal(name, scripts, state)
    check = Check(shell)
    check_help(check, program)
    check_values(check, program)
    if name != "fish":
        check_keys(check, shell)
    shell.end()
    print(f"{check.count} lines, {check.wrong} wrong")
    sys.exit(1 if check.wrong else 0)


main()
