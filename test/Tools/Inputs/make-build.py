#!/usr/bin/env python3
"""Makes three objects of 2 MB, one with another 2 MB that no linker reads."""

import subprocess
import sys

for name in ("a", "b", "c"):
    text = f".globl {name}\n{name}: .fill 500000, 4, {ord(name)}\n"
    if name == "c":
        text += '.section .unread,"e"\n.fill 500000, 4, 7\n'
    if name == "a":
        text += ".text\n.globl _start\n_start: ret\n"
    subprocess.run(["llvm-mc", "-triple=x86_64-linux", "-filetype=obj", "-o",
                    f"{sys.argv[1]}/{name}.o"], input=text, text=True, check=True)
