"""Copies an object N times, as FOLDER/0.o and so on."""

import pathlib
import shutil
import sys

source, folder, count = sys.argv[1:]
for number in range(int(count)):
    shutil.copyfile(source, pathlib.Path(folder, f"{number}.o"))
