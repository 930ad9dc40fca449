"""COFF objects made by hand: sections with any contents, plain and /bigobj."""

import pathlib
import struct

AMD64 = 0x8664
ARM64EC = 0xA641
# Section characteristics: code; .drectve (info, removed); debug information.
TEXT = 0x60500020
DIRECTIVES = 0x00100A00
DEBUG = 0x42100040
BIG_OBJECT = bytes.fromhex("c7a1bad1eebaa94baf20faf66aa4dcb8")


def symbol_table(symbols, big: bool) -> bytes:
    """A table of external symbols: (name, section number or 0) each."""
    entries, strings = b"", b""
    for name, section in symbols:
        entries += struct.pack("<II", 0, 4 + len(strings))
        strings += name.encode() + b"\0"
        entries += struct.pack("<IiHBB" if big else "<IhHBB", 0, section,
                               0x20, 2, 0)
    return entries + struct.pack("<I", 4 + len(strings)) + strings


def make_object(sections, symbols, big=False, machine=AMD64) -> bytes:
    """sections: (name, contents, characteristics) each."""
    at = (56 if big else 20) + 40 * len(sections)
    table, contents = b"", b""
    for name, data, flags in sections:
        table += struct.pack("<8sIIIIIIHHI", name.encode(), 0, 0, len(data),
                             at + len(contents) if data else 0, 0, 0, 0, 0,
                             flags)
        contents += data
    at += len(contents)
    if big:
        header = struct.pack("<HHHHI16sIIIIIII", 0, 0xFFFF, 2, machine, 0,
                             BIG_OBJECT, 0, 0, 0, 0, len(sections), at,
                             len(symbols))
    else:
        header = struct.pack("<HHIIIHH", machine, len(sections), 0, at,
                             len(symbols), 0, 0)
    return header + table + contents + symbol_table(symbols, big)


def type_record(kind: int, fields: bytes, path: str) -> bytes:
    """A .debug$T of one record that ends in a path."""
    record = struct.pack("<H", kind) + fields + path.encode() + b"\0"
    record += b"\0" * (-(len(record) + 2) % 4)
    return struct.pack("<IH", 4, len(record)) + record


def type_server(path: str):
    """The section that refers to the PDB at path (LF_TYPESERVER2)."""
    return (".debug$T",
            type_record(0x1515, b"G" * 16 + struct.pack("<I", 1), path), DEBUG)


def precompiled(path: str):
    """The section that refers to another object's types (LF_PRECOMP)."""
    return (".debug$T",
            type_record(0x1509, struct.pack("<III", 0x1000, 1, 7), path),
            DEBUG)


def directives(text):
    return (".drectve", text.encode() if isinstance(text, str) else text,
            DIRECTIVES)


def write(path, defines, says="", wants=(), sections=(), **more) -> None:
    """Writes an object that defines one function, has directives for the linker, and
    refers to symbols."""
    all_sections = [(".text", b"\xc3", TEXT)]
    if says:
        all_sections.append(directives(says))
    all_sections += sections
    symbols = [(defines, 1)] + [(name, 0) for name in wants]
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(make_object(all_sections, symbols, **more))
