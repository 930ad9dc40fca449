#!/usr/bin/env python3
"""Makes ELF objects that link, and the response file that names them."""

import os
import subprocess

COUNT = 8

os.makedirs("objects", exist_ok=True)
names = []
for number in range(COUNT):
    calls = (f"call f{number + 1}" if number + 1 < COUNT else "nop")
    start = ".globl _start\n_start:\n" if number == 0 else ""
    source = (f"{start}.globl f{number}\nf{number}:\n {calls}\n ret\n"
              f".data\n.globl d{number}\nd{number}: .fill 40000, 1, {number}\n"
              ".section .note.GNU-stack,\"\",@progbits\n")
    name = f"objects/o{number}.o"
    subprocess.run(["llvm-mc", "-triple=x86_64-linux-gnu", "-filetype=obj",
                    "-o", name], input=source, text=True, check=True)
    names.append(name)
with open("objects.rsp", "w", encoding="utf-8") as response:
    response.write("\n".join(names) + "\n")
