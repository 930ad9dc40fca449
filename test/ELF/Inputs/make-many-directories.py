"""Makes DIRECTORIES directories, the first LIBRARIES of which have a library each, and
response files that name them.

    make-many-directories.py LLVM-TOOLS DIRECTORIES LIBRARIES

directories.rsp names the directories; before and after them it names missing ones, a file,
a link, and one with another spelling. libraries.rsp names the libraries: one of them
is in two directories, and another is a dangling link in the first of its two."""

import os
import pathlib
import shutil
import subprocess
import sys

tools, directories, libraries = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
options = ["-L", "missing", "-L="]
for number in range(directories):
    directory = pathlib.Path(f"directory{number}")
    directory.mkdir()
    # Every search has to skip these files.
    for other in range(20):
        (directory / f"libother{other}.so").touch()
    options.append(f"-L{directory}{'/' if number % 7 == 3 else ''}")
    if number >= libraries:
        continue
    subprocess.run(
        [os.path.join(tools, "llvm-mc"), "-filetype=obj",
         "-triple=x86_64-linux-gnu", "-o", "one.o"],
        input=f".globl f{number}\nf{number}:\nret\n", text=True, check=True)
    subprocess.run(
        [os.path.join(tools, "llvm-ar"), "rcs", f"{directory}/libl{number}.a",
         "one.o"], check=True)
pathlib.Path("directory2/file").touch()
pathlib.Path("link").symlink_to("directory3")
options += ["-Ldirectory2/file", "-Llink", "-L./directory4/../directory5"]
shutil.copy("directory5/libl5.a", "directory9/libl5.a")
pathlib.Path("directory1/libl8.so").symlink_to("nowhere")
# In the last directory, which a search reaches after all others.
last = f"directory{directories - 1}"
(pathlib.Path(last) / "liblast.a").write_bytes(b"!<arch>\n")
pathlib.Path("directories.rsp").write_text("\n".join(options) + "\n")
arguments = ["--whole-archive"] + [f"-ll{n}" for n in range(libraries)]
arguments += ["-llast", "--no-whole-archive", "-l:libl3.a"]
pathlib.Path("libraries.rsp").write_text("\n".join(arguments) + "\n")
