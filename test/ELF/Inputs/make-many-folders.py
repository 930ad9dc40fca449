"""Makes FOLDERS directories, the first LIBRARIES of which have a library each, and
response files that name them.

    make-many-folders.py LLVM-TOOLS FOLDERS LIBRARIES

folders.rsp names the directories; before and after them it names missing ones, a file,
a link, and one with another spelling. libraries.rsp names the libraries: one of them
is in two directories, and another is a dangling link in the first of its two."""

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
    # Every search has to skip these files.
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
# In the last directory, which a search reaches after all others.
last = f"folder{folders - 1}"
(pathlib.Path(last) / "libbehind.a").write_bytes(b"!<arch>\n")
pathlib.Path("folders.rsp").write_text("\n".join(options) + "\n")
words = ["--whole-archive"] + [f"-ll{n}" for n in range(libraries)]
words += ["-lbehind", "--no-whole-archive", "-l:libl3.a"]
pathlib.Path("libraries.rsp").write_text("\n".join(words) + "\n")
