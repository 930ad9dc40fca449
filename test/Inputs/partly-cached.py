"""Makes 400 objects of 32 KiB in o/, their names in objects and script.ld, and
lib.a with 800 members, every second of which is referenced.

    partly-cached.py LLVM-TOOLS
"""

import os
import pathlib
import subprocess
import sys

COUNT = 400
tools = pathlib.Path(sys.argv[1])
pathlib.Path("o").mkdir()
pathlib.Path("m").mkdir()


def assemble(path: str, text: str) -> None:
    subprocess.run([tools / "llvm-mc", "-triple=x86_64-linux-gnu", "-filetype=obj",
                    "-o", path], input=text.encode(), check=True)


def renamed(path: str, to: str, old: str, new: str) -> None:
    """Copies an object, with other names of the same length."""
    data = pathlib.Path(path).read_bytes().replace(old.encode(), new.encode())
    with open(to, "wb") as file:
        file.write(data)
        os.fsync(file.fileno())


assemble("object", ".globl o0000\no0000: call m0000@PLT\n.fill 4000, 8, 1\n")
assemble("member", ".globl m0000\nm0000: ret\n.fill 4000, 8, 1\n")
for number in range(2 * COUNT):
    renamed("member", f"m/{number}.o", "m0000", f"m{number:04}")
for number in range(COUNT):
    renamed("object", f"o/{number}.o", "0000", f"{number * 2:04}")
objects = [f"o/{number}.o" for number in range(COUNT)]
pathlib.Path("objects").write_text("\n".join(objects))
pathlib.Path("script.ld").write_text(f"INPUT({' '.join(objects)})\n")
subprocess.run([tools / "llvm-ar", "rcsD", "lib.a"] +
               [f"m/{number}.o" for number in range(2 * COUNT)], check=True)
