"""Copies an object N times, as DIRECTORY/0.o and so on."""

import pathlib
import shutil
import sys

source, directory, count = sys.argv[1:]
for number in range(int(count)):
    shutil.copyfile(source, pathlib.Path(directory, f"{number}.o"))
