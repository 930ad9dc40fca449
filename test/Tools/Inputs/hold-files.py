#!/usr/bin/env python3
"""Maps a file, locks another in memory, keeps one in a tmpfs, and evicts them;
then releases the first two and evicts them again."""

import ctypes
import mmap
import os
import subprocess
import sys
import tempfile

PROGRAM = sys.argv[1]
LIBC = ctypes.CDLL(None, use_errno=True)


def evict(*names):
    done = subprocess.run([PROGRAM, "evict", *names], stdout=subprocess.PIPE,
                          text=True)
    print(done.stdout, end="")
    print("status", done.returncode, flush=True)


def mapped(name, size):
    """Returns the address of a shared mapping of a new file, which is on the disk and
    has been read completely."""
    with open(name, "wb") as file:
        file.write(os.urandom(size))
        os.fsync(file.fileno())
    LIBC.mmap.restype = ctypes.c_void_p
    LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int,
                          ctypes.c_int, ctypes.c_int, ctypes.c_long]
    with open(name, "rb") as file:
        address = LIBC.mmap(None, size, mmap.PROT_READ, mmap.MAP_SHARED,
                            file.fileno(), 0)
    if address == ctypes.c_void_p(-1).value:
        sys.exit("mmap: " + os.strerror(ctypes.get_errno()))
    ctypes.string_at(address, size)
    return ctypes.c_void_p(address)


def main():
    held = mapped("mapped", 200000)
    locked = mapped("locked", 40000)
    if LIBC.mlock(locked, ctypes.c_size_t(40000)) != 0:
        sys.exit("mlock: " + os.strerror(ctypes.get_errno()))
    evict("mapped", "locked")
    with tempfile.TemporaryDirectory(dir="/dev/shm") as directory:
        name = os.path.join(directory, "file")
        with open(name, "wb") as file:
            file.write(bytes(100000))
        evict(name)
    LIBC.munmap(locked, ctypes.c_size_t(40000))
    LIBC.munmap(held, ctypes.c_size_t(200000))
    evict("mapped", "locked")


main()
