#!/usr/bin/env python3
"""Binds lld's references to the seam if the linker has no --wrap.

    rename-seam.py --table FUNCTIONS.json --llvm BIN --out DIRECTORY ARCHIVE...
    rename-seam.py --table FUNCTIONS.json --llvm BIN --names HEADER ARCHIVE...

The first form copies the archives to DIRECTORY. It renames the references to each function of the
table to `headstart_wrap_<name>`, and its definition, if one of the archives has it, to
`headstart_real_<name>`. The second form changes no archive: it writes the linker's names of the
functions as macros, for --wrap, and prints them.

The script finds a function by its demangled name, so that the table serves every mangling. It
renames the references that --wrap would bind: those in members that do not define the function. In
the member that defines it, a reference is the same symbol table entry as the definition and still
calls the function itself. A symbol of the same name that is local to a member keeps its name.

A missed reference would silently switch off the prefetcher. It is therefore an error if an archive
that must refer to a function does not, if two functions match one entry of the table, if there is
no definition or more than one, and if the copies still refer to the old name.
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

WRAP = "headstart_wrap_"
REAL = "headstart_real_"


class Problem(Exception):
    """An error message for the developer who builds."""


# -- archives ----------------------------------------------------------------

def members_of(data: bytes, where: str):
    """Yields (name, bytes) of each member, in order. llvm-ar extracts by name, but names may be
    equal, and are paths in libraries for Windows."""
    if data.startswith(b"!<thin>\n"):
        raise Problem(f"{where}: a thin archive; a plain one is needed")
    if data[:4] in (b"\xca\xfe\xba\xbe", b"\xca\xfe\xba\xbf"):
        raise Problem(f"{where}: a universal file; take one architecture out of "
                      "it with llvm-lipo -thin")
    if not data.startswith(b"!<arch>\n"):
        raise Problem(f"{where}: not an archive")
    long_names = b""
    at = 8
    while at < len(data):
        header = data[at:at + 60]
        if len(header) != 60 or header[58:] != b"`\n":
            raise Problem(f"{where}: damaged at offset {at}")
        name = header[:16].decode("latin-1").rstrip()
        try:
            size = int(header[48:58])
        except ValueError:
            raise Problem(f"{where}: damaged at offset {at}") from None
        at += 60
        body = data[at:at + size]
        if len(body) != size:
            raise Problem(f"{where}: ends in the middle of a member")
        at += size + size % 2
        if name == "//":
            long_names = body
        elif name in ("/", "/SYM64/", "/<ECSYMBOLS>/"):
            pass  # indexes
        elif name.startswith("#1/"):  # BSD: the name precedes the data
            length = int(name[3:])
            name = body[:length].rstrip(b"\0").decode("utf-8", "replace")
            if not name.startswith("__.SYMDEF"):
                yield name, body[length:]
        elif name.startswith("__.SYMDEF"):
            pass
        elif re.fullmatch(r"/\d+", name):
            start = int(name[1:])
            raw = re.split(rb"/?[\n\0]", long_names[start:], maxsplit=1)[0]
            yield raw.decode("utf-8", "replace"), body
        else:
            yield name.removesuffix("/"), body


def format_of(data: bytes, where: str) -> str:
    """The object format of a member: 'elf', 'macho', 'coff', or '' for another."""
    if data.startswith(b"\x7fELF"):
        return "elf"
    if data[:4] in (b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe"):
        return "macho"
    if data[:4] in (b"BC\xc0\xde", b"\xde\xc0\x17\x0b"):
        raise Problem(f"{where}: bitcode; the seam needs an lld that was built "
                      "without link-time optimization")
    if data[:4] == b"\0\0\xff\xff":
        # An import's record, cl /GL's intermediate code, or /bigobj's header.
        version = int.from_bytes(data[4:6], "little")
        if version == 1:
            raise Problem(f"{where}: compiled by cl /GL; the seam needs an lld "
                          "that was built without link-time optimization")
        return "coff" if version >= 2 else ""
    if data[:2] in (b"\x64\x86", b"\x64\xaa", b"\x4c\x01"):
        return "coff"
    return ""


class Member:
    def __init__(self, where, name, data):
        self.where = where
        self.name = name
        self.data = data
        self.format = format_of(data, where)
        self.symbols = []  # (name, demangled, nm's letter)

    def refers_to(self, symbol):
        return any(name == symbol and kind in "Uwv" for name, _, kind in self.symbols)

    def defines(self, symbol):
        """Whether other members see its definition: local symbols have small letters."""
        return any(name == symbol and (kind.isupper() or kind == "u")
                   and kind != "U" for name, _, kind in self.symbols)


class Archive:
    def __init__(self, path: pathlib.Path):
        self.path = path
        self.name = path.name.rsplit(".", 1)[0].removeprefix("lib")  # lldELF
        try:
            data = path.read_bytes()
        except OSError as error:
            raise Problem(f"{path}: {error.strerror}") from None
        self.members = [Member(f"{path}({name})", name, body)
                        for name, body in members_of(data, str(path))]


# -- LLVM's tools ------------------------------------------------------------

class Tools:
    """LLVM's programs, and a directory for their inputs."""

    def __init__(self, directory: pathlib.Path, work: pathlib.Path):
        self.directory = directory
        self.work = work

    def run(self, tool, *args, cwd=None):
        program = shutil.which(tool, path=str(self.directory))
        if not program:
            raise Problem(f"{self.directory} has no {tool}")
        try:
            done = subprocess.run([program, *map(str, args)], cwd=cwd, capture_output=True)
        except OSError as error:
            raise Problem(f"{program}: {error.strerror}") from None
        if done.returncode != 0:
            raise Problem(f"{tool} failed: {done.stderr.decode('utf-8', 'replace').strip()}")
        return done.stdout.decode("utf-8", "replace").splitlines()

    def symbols(self, paths):
        """Returns the (name, demangled, nm's letter) of each object's symbols."""
        plain = self.run("llvm-nm", "-A", "--no-sort", "--format=posix", *paths, cwd=self.work)
        names = self.run("llvm-nm", "-A", "--no-sort", "--format=just-symbols",
                         "--demangle", *paths, cwd=self.work)
        found = {str(path): [] for path in paths}
        if len(plain) != len(names):
            raise Problem("llvm-nm does not agree with itself")
        for line, name in zip(plain, names):
            match = re.match(r"(\S+): (\S+) (\S)(?: +[0-9a-f]*)* *$", line)
            if not match or not name.startswith(match[1] + ": "):
                raise Problem(f"llvm-nm prints {line!r} and {name!r}")
            found[match[1]].append((match[2], name[len(match[1]) + 2:], match[3]))
        return [found[str(path)] for path in paths]


# -- names -------------------------------------------------------------------

def spelled(demangled: str) -> str:
    """Converts the names of Itanium's and Microsoft's demanglers to one spelling."""
    text = re.sub(r"\b(class|struct|enum|union) ", "", demangled)
    text = re.sub(r"\[abi:\w+\]", "", text)
    text = re.sub(r"\bstd::(__\w+|_LIBCPP\w*)::", "std::", text)
    text = text.replace("(llvm::endianness)", "")
    text = re.sub(r"\btrue\b", "1", re.sub(r"\bfalse\b", "0", text))
    text = re.sub(r"\s*([&*>])", r"\1", text)
    return text.replace("(void)", "()")


def split_function(demangled: str):
    """Returns (qualified name, parameter list) of a demangled function, or None. The name begins
    after the last space outside of all brackets (`public: static bool __cdecl NAME(`)."""
    text = spelled(demangled)
    depth = 0
    start = 0
    for at, char in enumerate(text):
        if char == "(" and depth == 0:
            return text[start:at], text[at:]
        if char in "<(":
            depth += 1
        elif char in ">)":
            depth -= 1
        elif char == " " and depth == 0:
            start = at + 1
    return None


def matches(function: str, demangled: str) -> bool:
    """Whether a symbol is the table's function, with the parameters if it has them."""
    parts = split_function(demangled)
    if not parts:
        return False
    name, parameters = parts
    return function in (name, name + parameters)


def qualified(function: str):
    """The parts of a function's name, without arguments of any kind."""
    return re.split(r"[<(]", function)[0].split("::")


def needles(function: str):
    """The end of a symbol of this function in Itanium's mangling, and in Microsoft's."""
    name = qualified(function)[-1]
    return f"{len(name)}{name}".encode(), f"{name}@".encode()


# -- the work ----------------------------------------------------------------

def read_symbols(archives, table, tools):
    """Reads the symbols of each member that may name a function of the table."""
    wanted = [n for entry in table for n in needles(entry["function"])]
    members = [member for archive in archives for member in archive.members
               if member.format and any(n in member.data for n in wanted)]
    for number, member in enumerate(members):
        (tools.work / str(number)).write_bytes(member.data)
    if members:
        for member, symbols in zip(members, tools.symbols(range(len(members)))):
            member.symbols = symbols


def symbol_of(entry, archives) -> str:
    """The one symbol by which the archives call the table's function."""
    function = entry["function"]
    found = {}  # symbol -> the archives that refer to it
    for archive in archives:
        for member in archive.members:
            for name, demangled, kind in member.symbols:
                if kind not in "Uwv":
                    continue
                # llvm-nm does not demangle imports.
                if name.startswith("__imp_") and all(part in name for part in qualified(function)):
                    raise Problem(f"{member.where} takes {function} from a DLL; "
                                  "the seam needs static libraries")
                if matches(function, demangled):
                    found.setdefault(name, set()).add(archive.name)
    if len(found) > 1:
        raise Problem(f"{function} is the name of {len(found)} functions that are "
                      f"referred to: {', '.join(sorted(found))}")
    given = {archive.name for archive in archives}
    for name in entry["referenced_in"]:
        if name not in given:
            raise Problem(f"{function}: {name} is not among the archives")
        if not any(name in users for users in found.values()):
            raise Problem(f"{name} does not refer to {function}: without that call "
                          "the seam would be dead")
    return next(iter(found))


def check_definition(entry, symbol, archives):
    """Checks that there is only the definition that the table names."""
    where = [(archive, member) for archive in archives
             for member in archive.members if member.defines(symbol)]
    expected = entry.get("defined_in")
    function = entry["function"]
    if expected is None:
        if where:
            raise Problem(f"{where[0][1].where} defines {function}, which "
                          "is not lld's by the table")
        return
    if len(where) != 1:
        listed = ", ".join(member.where for _, member in where) or "none"
        # Each copy of a template would bind the references in its own member.
        raise Problem(f"{function} must be defined once, not {len(where)} times: {listed}")
    if where[0][0].name != expected:
        raise Problem(f"{where[0][1].where} defines {function}, not {expected}")


def changes_of(member, names):
    """Returns old name -> new name for one member."""
    prefix = "_" if member.format == "macho" else ""
    changes = {}
    for short, symbol in names.items():
        if member.defines(symbol):
            changes[symbol] = prefix + REAL + short
        elif member.refers_to(symbol):
            changes[symbol] = prefix + WRAP + short
    return changes


def check_copies(copies, tools):
    """Checks that renamed symbols have the new name and their kind, and no old name."""
    for (member, changes, _), symbols in zip(
            copies, tools.symbols([path for _, _, path in copies])):
        after = {(name, kind in "Uwv") for name, _, kind in symbols}
        for old, new in changes.items():
            is_reference = WRAP in new
            if (old, is_reference) in after or (new, is_reference) not in after:
                raise Problem(f"{member.where}: llvm-objcopy left {old}")


def write_archive(archive, names, tools, out):
    """Writes the copy of an archive, its members in the same order."""
    directory = pathlib.Path(f"copy-{archive.name}")
    paths = []
    copies = []
    for number, member in enumerate(archive.members):
        base = re.split(r"[/\\]", member.name)[-1]
        path = directory / str(number) / (re.sub(r"[^\w.+-]", "_", base) or "_")
        (tools.work / path).parent.mkdir(parents=True)
        (tools.work / path).write_bytes(member.data)
        paths.append(path.as_posix())
        changes = changes_of(member, names)
        if changes:
            tools.run("llvm-objcopy", *(f"--redefine-sym={o}={n}" for o, n in changes.items()),
                      path, cwd=tools.work)
            copies.append((member, changes, path.as_posix()))
    if copies:
        check_copies(copies, tools)
    target = (out / archive.path.name).resolve()
    partial = target.with_name(target.name + ".partial")
    partial.unlink(missing_ok=True)
    listing = tools.work / "list"
    if any(member.format == "coff" for member in archive.members):
        # llvm-lib reverses the order, as lib.exe does.
        listing.write_text("\n".join(reversed(paths)), encoding="utf-8")
        tools.run("llvm-lib", "/nologo", f"/out:{partial}", "@list", cwd=tools.work)
    else:
        listing.write_text("\n".join(paths), encoding="utf-8")
        tools.run("llvm-ar", "qcsD", partial, "@list", cwd=tools.work)
    os.replace(partial, target)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--table", type=pathlib.Path, required=True)
    parser.add_argument("--llvm", type=pathlib.Path, required=True,
                        help="the directory with LLVM's programs")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--out", type=pathlib.Path, help="the directory for the copies")
    what.add_argument("--names", type=pathlib.Path, help="the header for the names")
    parser.add_argument("archives", nargs="+", type=pathlib.Path)
    args = parser.parse_args()
    try:
        table = json.loads(args.table.read_text(encoding="utf-8"))
        archives = [Archive(path) for path in args.archives]
        with tempfile.TemporaryDirectory() as work:
            tools = Tools(args.llvm, pathlib.Path(work))
            read_symbols(archives, table, tools)
            names = {}
            for entry in table:
                symbol = names[entry["name"]] = symbol_of(entry, archives)
                check_definition(entry, symbol, archives)
            if args.out:
                args.out.mkdir(parents=True, exist_ok=True)
                for archive in archives:
                    write_archive(archive, names, tools, args.out)
    except Problem as problem:
        print(f"rename-seam.py: error: {problem}", file=sys.stderr)
        return 1
    if args.names:
        text = "// Written by rename-seam.py.\n" + "".join(
            f'#define HEADSTART_SYMBOL_{short} "{symbol}"\n' for short, symbol in names.items())
        if not args.names.exists() or args.names.read_text(encoding="utf-8") != text:
            args.names.write_text(text, encoding="utf-8")
        print("\n".join(names.values()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
