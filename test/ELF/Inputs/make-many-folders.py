"""Makes FOLDERS folders, the first LIBRARIES of which have a library each, and
what the command line says of them.

    make-many-folders.py LLVM-TOOLS FOLDERS LIBRARIES

folders.rsp names the folders, and before, between and behind them such as are
missing, files, links, or named in another way. libraries.rsp names the
libraries, one of which is in two folders, and one that is a dangling link in
the first of its two."""

import os
import pathlib
import shutil
import subprocess
import sys

tools, folders, libraries = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
options = ["-L", "missing", "-L="]
for number in range(folders):
    folder = pathlib.Path(f"folder{number}")
    folder.mkdir()
    # What every search has to get past.
    for other in range(20):
        (folder / f"libother{other}.so").touch()
    options.append(f"-L{folder}{'/' if number % 7 == 3 else ''}")
    if number >= libraries:
        continue
    subprocess.run(
        [os.path.join(tools, "llvm-mc"), "-filetype=obj",
         "-triple=x86_64-linux-gnu", "-o", "one.o"],
        input=f".globl f{number}\nf{number}:\nret\n", text=True, check=True)
    subprocess.run(
        [os.path.join(tools, "llvm-ar"), "rcs", f"{folder}/libl{number}.a",
         "one.o"], check=True)
pathlib.Path("folder2/file").touch()
pathlib.Path("link").symlink_to("folder3")
options += ["-Lfolder2/file", "-Llink", "-L./folder4/../folder5"]
shutil.copy("folder5/libl5.a", "folder9/libl5.a")
pathlib.Path("folder1/libl8.so").symlink_to("nowhere")
# Behind all others, where a search has been through every folder.
last = f"folder{folders - 1}"
(pathlib.Path(last) / "libbehind.a").write_bytes(b"!<arch>\n")
pathlib.Path("folders.rsp").write_text("\n".join(options) + "\n")
words = ["--whole-archive"] + [f"-ll{n}" for n in range(libraries)]
words += ["-lbehind", "--no-whole-archive", "-l:libl3.a"]
pathlib.Path("libraries.rsp").write_text("\n".join(words) + "\n")
