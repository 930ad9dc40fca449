"""Tests a link with inputs in two directories, one of which does not answer.

    stalled-directory.py make LLVM-MC
    stalled-directory.py check HEADSTART LINK...

`make` writes objects in far/ and near/, and the file args. `check` runs the link,
which never ends, until its inputs in near/ have been cached, and kills it.
"""

import os
import pathlib
import re
import signal
import subprocess
import sys
import time

FAR, NEAR = 40, 20
KIB = 256


def make(assembler: str) -> None:
    args = []
    for directory, count in (("far", FAR), ("near", NEAR)):
        pathlib.Path(directory).mkdir()
        for number in range(count):
            path = f"{directory}/{number}.o"
            source = f".globl {directory}{number}\n{directory}{number}: .quad 1\n"
            source += f".fill {KIB * 1024 // 8}, 8, {number}\n"
            subprocess.run([assembler, "-triple=x86_64-linux-gnu",
                            "-filetype=obj", "-o", path],
                           input=source.encode(), check=True)
            args.append(path)
    pathlib.Path("args").write_text("\n".join(args))


def check(headstart: str, link: list) -> None:
    subprocess.run([headstart, "evict", "near"], check=True)
    process = subprocess.Popen(link, start_new_session=True)
    most = [0] * NEAR  # of each file: the kernel may evict fetched pages
    try:
        for _ in range(1000):
            shown = subprocess.run([headstart, "residency", "near"],
                                  stdout=subprocess.PIPE, check=True).stdout
            assert process.poll() is None, "the link has ended"
            shares = re.findall(rb"(\d+)%  near", shown)
            assert len(shares) == NEAR, shown
            # Not all headers and names are read ahead.
            most = list(map(max, most, map(int, shares)))
            if min(most) >= 75:
                return
            time.sleep(0.05)
        sys.exit(f"not all of near/ was fetched:\n{shown.decode()}")
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


if sys.argv[1] == "make":
    make(sys.argv[2])
else:
    check(sys.argv[2], sys.argv[3:])
