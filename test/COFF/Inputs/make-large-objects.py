"""Writes N COFF objects of about 400 kB into objects/, and objects.rsp.

Each has a section of code, a global symbol of its own and a long string table;
the first one defines main. Usage: make-large-objects.py N
"""
import os
import struct
import sys


def coff_object(name: bytes, data: bytes) -> bytes:
    headers = 20 + 40
    strings = name + b"\0" + b"\0" * 100000
    header = struct.pack("<HHIIIHH", 0x8664, 1, 0, headers + len(data), 1, 0,
                         0)
    # Code, executable and readable, aligned to one byte.
    section = struct.pack("<8sIIIIIIHHI", b".text", 0, 0, len(data), headers,
                          0, 0, 0, 0, 0x60100020)
    symbol = struct.pack("<IIIhHBB", 0, 4, 0, 1, 0x20, 2, 0)
    return (header + section + data + symbol
            + struct.pack("<I", 4 + len(strings)) + strings)


os.makedirs("objects", exist_ok=True)
with open("objects.rsp", "w", encoding="utf-8") as rsp:
    for i in range(int(sys.argv[1])):
        path = f"objects/o{i}.obj"
        symbol = b"main" if i == 0 else b"function_%d" % i
        with open(path, "wb") as out:
            out.write(coff_object(symbol, bytes([0xc3]) * 300000))
        rsp.write(path + "\n")
