"""Links under limits with stock and ours: if stock links, ours must do the same.

    under-limits.py KIND NAME STOCK OURS -- ARGS...

KIND is threads, descriptors, address-space, data, stack or file-size. The
outputs go to the directory `out`. Prints both results for each limit. The exit
status is 1 if stock links and ours does not or differs, or if stock never links.
"""

import os
import pathlib
import resource
import shutil
import subprocess
import sys

# A user without other processes, so that only the link's own threads count.
USER = 54321 + os.getpid() % 1000
MIB = 1 << 20


def limit(kind, value):
    """Returns the function that the child calls before it becomes the linker."""
    both = (value, value)

    def threads():
        resource.setrlimit(resource.RLIMIT_NPROC, both)
        os.setgid(USER)
        os.setuid(USER)

    def descriptors():
        # All but `value` of 40 descriptors are in use.
        resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))
        for number in range(3, 40 - value):
            os.dup2(0, number)
        os.closerange(40 - value, 40)

    return {
        "threads": threads,
        "descriptors": descriptors,
        "address-space": lambda: resource.setrlimit(resource.RLIMIT_AS, both),
        "data": lambda: resource.setrlimit(resource.RLIMIT_DATA, both),
        "stack": lambda: resource.setrlimit(resource.RLIMIT_STACK, both),
        "file-size": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, both),
    }[kind]


def values(kind, size):
    return {
        "threads": range(3, 14),
        "descriptors": range(1, 38),
        "address-space": [n * MIB for n in (96, 128, 192, 256, 384, 512, 1024)],
        "data": [n * MIB for n in (8, 16, 32, 64, 128, 256)],
        "stack": [n * 1024 for n in (128, 256, 512, 1024, 2048)],
        # Large enough for the output, too small for the profile.
        "file-size": [size],
    }[kind]


def link(kind, value, name, program, arguments):
    shutil.rmtree("out", ignore_errors=True)
    os.mkdir("out")
    os.chmod("out", 0o777)
    try:
        done = subprocess.run(
            [name] + arguments, executable=program, stdin=subprocess.DEVNULL,
            capture_output=True, timeout=20, close_fds=False,
            preexec_fn=limit(kind, value) if kind else None)
    except subprocess.TimeoutExpired:
        return "hangs", b"", b"", {}
    outputs = {path.name: path.read_bytes()
               for path in pathlib.Path("out").iterdir()}
    return done.returncode, done.stdout, done.stderr, outputs


def main() -> int:
    kind, name, stock, ours = sys.argv[1:5]
    arguments = sys.argv[6:]
    free = link(None, None, name, stock, arguments)
    size = sum(len(data) for data in free[3].values())
    linked = differences = 0
    for value in values(kind, size):
        expected = link(kind, value, name, stock, arguments)
        got = link(kind, value, name, ours, arguments)
        print(f"{kind} {value}: stock {expected[0]}, ours {got[0]}")
        if expected[0] != 0:
            continue  # stock does not link either
        linked += 1
        if expected != got:
            differences += 1
            sys.stdout.write(got[2].decode(errors="replace"))
    if linked == 0:
        print("stock links under none of these limits")
    return 1 if differences or linked == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
