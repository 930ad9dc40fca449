"""Makes 12 objects of 4 MB, and their names in objects.

    large-objects.py LLVM-TOOLS
"""

import os
import pathlib
import subprocess
import sys

names = [f"{number}.o" for number in range(12)]
for number, name in enumerate(names):
    subprocess.run([pathlib.Path(sys.argv[1]) / "llvm-mc", "-triple=x86_64-linux-gnu",
                    "-filetype=obj", "-o", name],
                   input=f".globl f{number}\nf{number}: ret\n.data\n.fill 4000000, 1, 7\n".encode(),
                   check=True)
    with open(name, "rb") as file:
        os.fsync(file.fileno())
pathlib.Path("objects").write_text("\n".join(names))
