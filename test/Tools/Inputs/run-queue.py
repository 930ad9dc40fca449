#!/usr/bin/env python3
"""Runs links of a scripted linker alongside each other and alongside a drop-in linker.

    run-queue.py HEADSTART LD.LLD
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

HEADSTART, LLD = sys.argv[1:]
CACHE = pathlib.Path(os.environ["XDG_CACHE_HOME"], "headstart")
SMALL = "--prefetch-queue=1"


def make(name, text, interpreter="/bin/sh"):
    path = pathlib.Path("bin", name)
    path.write_text(f"#!{interpreter}\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


# Writes its process number to OUTPUT.pid, and ends when OUTPUT.go appears.
MOLD = make("mold", "echo $$ > $2.pid; while ! test -e $2.go; do sleep 0.1; done")
# Uses 100 MB of memory.
GOLD = make("gold", "x=$(head -c 100000000 /dev/zero | tr '\\0' x)")
# Uses as much in a process for which the first one does not wait, like mold and wild.
FORKS = make("wild", """import os, time
ends = os.pipe()
if os.fork() == 0:
    used = b"x" * 10**8
    time.sleep(1)  # links of this size take as long
    os.write(ends[1], b"1")
    os._exit(0)
os.read(ends[0], 1)
os._exit(0)""", sys.executable)
# Headstart runs a driver with -### to learn its link.
DRIVER = make("clang", f"test $1 = -o && exec {LLD} {SMALL} main.o -o $2")
BARE = make("clang++", "unset HEADSTART_QUEUED\n"
            f"test $1 = -o && {LLD} {SMALL} main.o -o $2")
pathlib.Path("input.o").write_bytes(b"x" * 683)  # a link needs 1.5 times as much


def start(*command, **environment):
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True,
                            env={**os.environ, **environment})


def run(name, *options, linker=MOLD, **environment):
    return start(HEADSTART, "run", *(options or [SMALL]), "--", linker, "-o", name,
                 "input.o", **environment)


def go(name):
    pathlib.Path(name + ".go").touch()


def ended(link):
    """Waits for a link. Returns its status, and whether it reported that it waits."""
    said = link.communicate(timeout=120)[1]
    waits = "waiting for other links" in said
    assert len(said.splitlines()) == waits, said
    return f"{link.returncode}, {'a' if waits else 'no'} message"


def links():
    """The queued links by their outputs, which are absolute, from here."""
    here = pathlib.Path.cwd()
    listed = json.loads(subprocess.run([HEADSTART, "queue", "--json"], check=True,
                                       stdout=subprocess.PIPE).stdout)
    return {str(pathlib.Path(link["output"]).relative_to(here)): link
            for queue in listed["queues"] for link in queue["links"] if link["output"]}


def wait_for(name, state):
    for _ in range(1200):
        found = links().get(name, {"state": None})
        if found["state"] == state:
            return found
        time.sleep(0.05)
    return sys.exit(f"{name} is not {state}: {links()}")


def number_in(name):
    path = pathlib.Path(name)
    for _ in range(1200):
        if path.exists() and (text := path.read_text(encoding="utf-8")).endswith("\n"):
            return int(text)
        time.sleep(0.05)
    return sys.exit(f"no {name}")


def show(name, state):
    wait_for(name, state)
    lines = subprocess.run([HEADSTART, "queue"], check=True, stdout=subprocess.PIPE,
                           text=True).stdout.splitlines()
    for line in lines:
        fields = line.split()
        if f"/{name}" in line:
            why = line.partition(": ")[2] or "no reason"
            print(f"{name}: {fields[1]}, {fields[2]} {fields[3]}; {why}")


def overview():
    print(subprocess.run([HEADSTART, "queue"], check=True, stdout=subprocess.PIPE,
                         text=True).stdout.strip())


overview()
first = run("first")
wait_for("first", "running")
second = run("second")
wait_for("second", "waiting")
third = run("third")
wait_for("third", "waiting")
show("first", "running")
show("second", "waiting")
show("third", "waiting")
first.kill()
first.communicate()
wait_for("second", "running")
print("the first is killed: the second runs")
linker = number_in("second.pid")
os.kill(linker, signal.SIGSTOP)
wait_for("third", "running")
print("the second's linker is stopped: the third runs")
show("second", "stopped")
os.kill(second.pid, signal.SIGCONT)
go("second")
go("third")
second.communicate(timeout=120)
third.communicate(timeout=120)
print(f"continued and ended: second {second.returncode}, third {third.returncode}")

other = run("other")
wait_for("other", "running")
drop_in = start(LLD, SMALL, "main.o", "-o", "drop-in")
wait_for("drop-in", "waiting")
go("other")
print("a drop-in linker waits for another linker; then ends:",
      ended(drop_in).split(",")[0])
other.communicate(timeout=120)
endless = start(LLD, SMALL, "main.o", "never.o", "-o", "endless")
wait_for("endless", "running")
go("after")
after = run("after")
wait_for("after", "waiting")
endless.kill()
endless.communicate()
print("another linker waits for a drop-in linker; then ends:",
      ended(after).split(",")[0])

print("a driver's drop-in linker does not wait for the driver:",
      ended(run("driven", linker=DRIVER)))
print("nor without the variable:", ended(run("bare", linker=BARE)))

alongside = run("alongside")
wait_for("alongside", "running")
for name in ("none", "off", "both"):
    go(name)
print("--prefetch-queue=none:", ended(run("none", "--prefetch-queue=none")))
print("HEADSTART=off:", ended(run("off", HEADSTART="off")))
print("enough for both:", ended(run("both", "--prefetch-queue=1M")))
go("alongside")
alongside.communicate(timeout=120)

for name, linker in ("taken", GOLD), ("forked", FORKS):
    ended(run(name, "--prefetch-queue=1G", linker=linker))
    again = run(name, "--prefetch-queue=1G")
    need = wait_for(name, "running")["need_bytes"]
    print("needed in the next link:", "at least 100 MB" if need >= 10**8 else need)
    go(name)
    again.communicate(timeout=120)

pathlib.Path("none.d").write_text("", encoding="utf-8")
print("no cache directory:",
      ended(run("off", XDG_CACHE_HOME=str(pathlib.Path("none.d").resolve()))))
overview()
