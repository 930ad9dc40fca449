"""Writes N tiny COFF objects into objects/, and objects.rsp; the first one
defines main. Usage: make-many-objects.py N"""
import os
import struct
import sys


def coff_object(name: bytes) -> bytes:
    data = b"\xc3"
    headers = 20 + 40
    header = struct.pack("<HHIIIHH", 0x8664, 1, 0, headers + len(data), 1, 0,
                         0)
    section = struct.pack("<8sIIIIIIHHI", b".text", 0, 0, len(data), headers,
                          0, 0, 0, 0, 0x60100020)
    symbol = struct.pack("<8sIhHBB", name, 0, 1, 0x20, 2, 0)
    return header + section + data + symbol + struct.pack("<I", 4)


count = int(sys.argv[1])
os.makedirs("objects")
for directory in range((count + 999) // 1000):
    os.mkdir(f"objects/{directory}")
with open("objects.rsp", "w", encoding="utf-8") as rsp:
    for i in range(count):
        path = f"objects/{i // 1000}/o{i}.obj"
        symbol = b"main" if i == 0 else b"f%d" % i
        with open(path, "wb") as out:
            out.write(coff_object(symbol))
        rsp.write(path + "\n")
