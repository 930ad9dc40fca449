#!/usr/bin/env python3
"""Record the layout of a link's inputs for the simulation (unittests/Simulation).

    record-layout.py --out elf-objects.txt -- ld.lld -o a.out @objects.rsp

The file has a line for each input, in the order of the link: its kind, its size,
and its parts in the order of the file. Names are not recorded.

    o 61208 h64 g16 c8192 c-4096 r6144 y2400 t1800 h3200
    a 812340 i6000
    m+ 61208 h64 c8192 ...

An archive (`a`) is followed by its members: `m+` if the linker links the member,
`m-` otherwise. A part is a letter and a number of bytes; `-` marks a COMDAT copy
that the linker drops, since an earlier input has the first one. The letters:

    h headers          y symbols            t strings of the symbols
    g section groups   n other small data that is read while parsing
    i archive index    c contents           p contents read while parsing
    r relocations      d DWARF              s mergeable debug strings
    e relocations of debug information      x never read
    T type records     D debug symbols      F the first section of those
    H type hashes
    I, A, S, O Mach-O: __debug_info, _abbrev, _str, _str_offs

Runs of less than a page are joined with their neighbours, and an input has at
most MAX_PARTS parts: the simulation needs the pattern, not each section.
"""

import argparse
import json
import pathlib
import struct
import subprocess
import sys
from typing import Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

MAX_PARTS = 14
SMALL_RUN = 2048
#: Parts that are never joined with parts of other kinds.
FIXED = "hytgniIASOF"
ARCHIVE_MAGIC = b"!<arch>\n"
MEMBER_HEADER = 60


class Part(NamedTuple):
    offset: int
    size: int
    kind: str
    dropped: bool = False


def joined(parts: Sequence[Part]) -> List[Part]:
    """Returns the parts in the order of the file, with neighbours of one kind joined."""
    result: List[Part] = []
    for part in sorted(parts):
        if part.size == 0:
            continue
        last = result[-1] if result else None
        if last and last[2:] == part[2:] and part.kind not in "F":
            result[-1] = last._replace(size=last.size + part.size)
        else:
            result.append(part)
    return result


def reduced(parts: Sequence[Part]) -> List[Part]:
    """Reduces the number of parts: the smallest joins its larger neighbour."""
    result = joined(parts)
    while True:
        candidates = [(part.size, index) for index, part in enumerate(result)
                      if part.kind not in FIXED and
                      (part.size < SMALL_RUN or len(result) > MAX_PARTS)]
        for _, index in sorted(candidates):
            near = [n for n in (index - 1, index + 1)
                    if 0 <= n < len(result) and result[n].kind not in FIXED]
            if near:
                break
        else:
            return result
        into = max(near, key=lambda n: result[n].size)
        result[into] = result[into]._replace(
            offset=min(result[into].offset, result[index].offset),
            size=result[into].size + result[index].size)
        del result[index]
        result = joined(result)


def text_at(data: bytes, offset: int) -> bytes:
    return data[offset:data.index(b"\0", offset)]


class Layouts:
    """Reads objects in the order of the link, and remembers their COMDATs."""

    def __init__(self) -> None:
        self.seen: Set[bytes] = set()

    def drops(self, name: bytes) -> bool:
        known = name in self.seen
        self.seen.add(name)
        return known

    def read(self, data: bytes) -> Optional[List[Part]]:
        if data[:4] == b"\x7fELF":
            return self.elf(data)
        if data[:4] == b"\xcf\xfa\xed\xfe":
            return self.macho(data)
        if data[:2] in (b"\x64\x86", b"\x64\xaa") or data[:4] == b"\0\0\xff\xff":
            return self.coff(data)
        return None

    def elf(self, data: bytes) -> Optional[List[Part]]:
        if data[4:6] != b"\2\1" or struct.unpack_from("<H", data, 16)[0] != 1:
            return None
        table, = struct.unpack_from("<Q", data, 40)
        count, = struct.unpack_from("<H", data, 60)
        sections = [struct.unpack_from("<IIQQQQIIQQ", data, table + 64 * i)
                    for i in range(count)]
        strings = {s[6] for s in sections if s[1] == 2}
        dropped = self.elf_dropped(data, sections)
        parts = [Part(0, 64, "h"), Part(table, 64 * count, "h")]
        for number, (_, kind, flags, _, at, size, link, info, *_) in \
                enumerate(sections):
            if kind in (0, 8):
                continue
            target = info if kind in (4, 9, 19, 0x40000014) else number
            letter = self.elf_kind(kind, flags,
                                   kind in (4, 9) and info < count and
                                   not sections[info][2] & 2, number in strings)
            parts.append(Part(at, size, letter, target in dropped))
        return parts

    def elf_dropped(self, data: bytes, sections: Sequence[Tuple]) -> Set[int]:
        dropped: Set[int] = set()
        for _, kind, _, _, at, size, link, info, *_ in sections:
            if kind != 17 or not struct.unpack_from("<I", data, at)[0] & 1:
                continue
            symbols = sections[link]
            name, = struct.unpack_from("<I", data, symbols[4] + 24 * info)
            if self.drops(text_at(data, sections[symbols[6]][4] + name)):
                dropped.update(struct.unpack_from(f"<{size // 4 - 1}I", data,
                                                  at + 4))
        return dropped

    @staticmethod
    def elf_kind(kind: int, flags: int, for_debug: bool,
                 holds_names: bool) -> str:
        fixed = {2: "y", 17: "g", 18: "n", 7: "n" if flags & 2 else "x",
                 3: "t" if holds_names else "n"}
        if kind in fixed:
            return fixed[kind]
        if kind in (4, 9, 19, 0x40000014):
            return "e" if for_debug else "r"
        if flags & 2 or kind in (0x6fff4c03, 0x6fff4c09):
            return "c"
        if flags & 0x80000000:
            return "x"
        return "s" if flags & 0x10 else "d"

    def coff(self, data: bytes) -> List[Part]:
        is_big = data[:4] == b"\0\0\xff\xff"
        if is_big:
            count, symbols, names = struct.unpack_from("<III", data, 44)
            first, width = 56, 20
        else:
            count, _, symbols, names, extra = struct.unpack_from("<HIIIH", data,
                                                                 2)
            first, width = 20 + extra, 18
        dropped = self.coff_dropped(data, count, symbols, names, width)
        parts = [Part(0, first + 40 * count, "h"),
                 Part(symbols, len(data) - symbols, "y")]
        seen_symbols = False
        for number in range(count):
            name, _, _, size, at, relocations, _, many, _, flags = \
                struct.unpack_from("<8sIIIIIIHHI", data, first + 40 * number)
            name = name.rstrip(b"\0")
            kind, relocation_kind = self.coff_kind(name, flags)
            if kind == "D" and not seen_symbols:
                seen_symbols, kind = True, "F"
            if not flags & 0x80:
                parts.append(Part(at, size, kind, number + 1 in dropped))
            parts.append(Part(relocations, 10 * many, relocation_kind,
                              number + 1 in dropped))
        return parts

    @staticmethod
    def coff_kind(name: bytes, flags: int) -> Tuple[str, str]:
        known = {b".debug$S": ("D", "e"), b".debug$F": ("D", "e"),
                 b".debug$T": ("T", "e"), b".debug$P": ("T", "e"),
                 b".debug$H": ("H", "e"), b".drectve": ("n", "x")}
        if name in known:
            return known[name]
        if flags & 0x800 or name.startswith(b".llvm"):
            return "x", "x"
        if flags & 0x2000000 and name.startswith(b"/"):
            return "d", "d"
        return "c", "r"

    def coff_dropped(self, data: bytes, count: int, symbols: int, names: int,
                     width: int) -> Set[int]:
        """The COMDAT sections that the linker drops. The first symbol of a COMDAT section
        defines it, the next is its leader."""
        strings = symbols + names * width
        progress: Dict[int, int] = {}
        dropped: Set[int] = set()
        parents: List[Tuple[int, int]] = []
        index = 0
        while index < names:
            at = symbols + index * width
            section, = struct.unpack_from("<h" if width == 18 else "<i", data,
                                          at + 12)
            storage, aux = data[at + width - 2], data[at + width - 1]
            if 0 < section <= count:
                if storage == 3 and aux and section not in progress:
                    selection = data[at + width + 14]
                    if selection == 5:
                        parents.append((section, struct.unpack_from(
                            "<H", data, at + width + 12)[0]))
                    progress[section] = 1 if selection not in (0, 5) else 2
                elif progress.get(section) == 1:
                    progress[section] = 2
                    zero, offset = struct.unpack_from("<II", data, at)
                    name = data[at:at + 8] if zero else text_at(
                        data, strings + offset)
                    if storage == 2 and self.drops(name):
                        dropped.add(section)
            index += 1 + aux
        dropped.update(s for s, parent in parents if parent in dropped)
        return dropped

    @staticmethod
    def macho(data: bytes) -> List[Part]:
        cpu, = struct.unpack_from("<I", data, 4)
        count, size = struct.unpack_from("<II", data, 16)
        parts = [Part(0, 32 + size, "h")]
        at = 32
        for _ in range(count):
            kind, length = struct.unpack_from("<II", data, at)
            if kind == 0x19:
                sections, = struct.unpack_from("<I", data, at + 64)
                for number in range(sections):
                    parts += Layouts.macho_section(data, at + 72 + 80 * number,
                                                   cpu)
            elif kind == 2:
                where, many, strings, bytes_ = struct.unpack_from("<IIII", data,
                                                                  at + 8)
                parts += [Part(where, 16 * many, "y"), Part(strings, bytes_, "t")]
            elif kind in (0x29, 0x2e):
                where, bytes_ = struct.unpack_from("<II", data, at + 8)
                parts.append(Part(where, bytes_, "c"))
            at += length
        return parts

    @staticmethod
    def macho_section(data: bytes, at: int, cpu: int) -> List[Part]:
        name, segment = (column.rstrip(b"\0") for column in
                         struct.unpack_from("16s16s", data, at))
        size, where, _, relocations, many, flags = struct.unpack_from(
            "<QIIIII", data, at + 40)
        kind = flags & 0xff
        if kind in (1, 0xc, 0x12):
            return []
        if segment == b"__DWARF":
            letter = {b"__debug_info": "I", b"__debug_abbrev": "A",
                      b"__debug_str": "S", b"__debug_str_offs": "O"}.get(name,
                                                                        "x")
            return [Part(where, size, letter), Part(relocations, 8 * many, "x")]
        is_code = flags & 0x80000400
        parsed = name in (b"__compact_unwind", b"__eh_frame") or \
            kind in (2, 3, 4, 0xe) or \
            (many and not (is_code and cpu == 0x100000c))
        return [Part(where, size, "p" if parsed else "c"),
                Part(relocations, 8 * many, "n")]


def line(head: str, size: int, parts: Sequence[Part]) -> str:
    return " ".join([f"{head} {size}"] + [
        f"{p.kind}{'-' if p.dropped else ''}{p.size}" for p in reduced(parts)])


def members(data: bytes) -> List[Tuple[str, bytes]]:
    """The name and bytes of each member; the index is first, with the name `/`."""
    result, at, names = [], len(ARCHIVE_MAGIC), b""
    while at + MEMBER_HEADER <= len(data):
        name = data[at:at + 16].decode().rstrip()
        size = int(data[at + 48:at + 58])
        at += MEMBER_HEADER
        body = data[at:at + size]
        at += size + size % 2
        if name == "//":
            names = body
            continue
        if name not in ("/", "/SYM64/"):
            name = names[int(name[1:]):].split(b"/\n")[0].decode() \
                if name[0] == "/" else name.rstrip("/")
        else:
            name = "/"
        result.append((name, body))
    return result


def evenly(items: List, most: int) -> List:
    if len(items) <= most:
        return items
    return [items[i * len(items) // most] for i in range(most)]


class Recorder:
    def __init__(self, linked: Set[str], keep: int, keep_members: int) -> None:
        self.linked, self.keep = linked, keep
        self.keep_members = keep_members
        self.layouts = Layouts()

    def record(self, paths: Sequence[str]) -> List[str]:
        inputs = [lines for path in paths if (lines := self.input(path))]
        return [one for lines in evenly(inputs, self.keep) for one in lines]

    def input(self, path: str) -> List[str]:
        data = pathlib.Path(path).read_bytes()
        if data.startswith(ARCHIVE_MAGIC):
            return self.archive(path, data)
        parts = self.layouts.read(data)
        return [line("o", len(data), parts)] if parts else []

    def archive(self, path: str, data: bytes) -> List[str]:
        index = sum(len(body) for name, body in members(data) if name == "/")
        lines = []
        for name, body in members(data):
            is_linked = f"{path}({name})" in self.linked
            known = set(self.layouts.seen)
            parts = None if name == "/" else self.layouts.read(body)
            if not is_linked:
                self.layouts.seen = known
            if parts:
                lines.append(line("m+" if is_linked else "m-", len(body), parts))
        return [f"a {len(data)} i{index}"] + evenly(lines, self.keep_members)


def linked_members(command: Sequence[str]) -> Set[str]:
    """The members that the linker links, by its --trace. Only ld.lld names members."""
    if "ld.lld" not in pathlib.Path(command[0]).name:
        return set()
    done = subprocess.run([*command, "--trace"], stdout=subprocess.PIPE,
                          text=True, check=True)
    return set(done.stdout.split("\n"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--keep", type=int, default=400,
                        help="the most inputs; sampled evenly (default: 400)")
    parser.add_argument("--keep-members", type=int, default=16,
                        help="the most members of an archive (default: 16)")
    parser.add_argument("--headstart", default="build/bin/headstart")
    parser.add_argument("command", nargs="+", help="-- LINKER ARGUMENTS")
    asked = parser.parse_args()
    found = subprocess.run([asked.headstart, "inputs", "--json", "--",
                            *asked.command], stdout=subprocess.PIPE, check=True)
    described = json.loads(found.stdout)
    paths = [one["path"] for one in described["inputs"] if one["exists"]]
    recorder = Recorder(linked_members(asked.command), asked.keep,
                        asked.keep_members)
    lines = recorder.record(paths)
    head = [f"# {len(paths)} inputs of a link by {described['flavour']}; "
            "utils/record-layout.py", f"flavour {described['flavour']}"]
    asked.out.write_text("\n".join(head + lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
