#!/usr/bin/env python3
"""Runs links alongside one that never ends, since it waits for a FIFO.

    link-queue.py LD.LLD STOCK
"""
import os
import pathlib
import subprocess
import sys
import time

OURS, STOCK = sys.argv[1:]
CACHE = pathlib.Path(os.environ["XDG_CACHE_HOME"], "headstart")


def start(name, *options, inputs=("main.o",), program=OURS, **environment):
    return subprocess.Popen(
        [program, *inputs, *options, "-o", name], stderr=subprocess.PIPE,
        text=True, env={**os.environ, **environment})


def ended(link):
    """Waits at most a minute for a link. Returns its status and its messages' number."""
    printed = link.communicate(timeout=60)[1]
    messages = sum("waiting for other links" in line for line in printed.splitlines())
    assert len(printed.splitlines()) == messages, printed
    return f"status {link.returncode}, {['no', 'one'][messages]} message"


def places(kind):
    return sorted(p.name for p in CACHE.glob(f"links-*/*-{kind}"))


def wait_for(kind, count):
    for _ in range(600):
        if len(places(kind)) == count:
            return
        time.sleep(0.05)
    sys.exit(f"no {count} that {kind}: {sorted(CACHE.glob('links-*/*'))}")


SMALL = "--prefetch-queue=1"
print("alone:", ended(start("alone", SMALL)))
endless = start("endless", SMALL, inputs=("main.o", "never.o"))
wait_for("run", 1)
# The test needs the directory's name, which depends on this machine's memory.
pathlib.Path("queue").write_text(next(CACHE.glob("links-*")).name, encoding="utf-8")
second = start("second", SMALL)
wait_for("wait", 1)
print("alongside another: waits")
third = start("third", SMALL)
wait_for("wait", 2)
print("a third: waits")
print("--prefetch-queue=none:", ended(start("none", "--prefetch-queue=none")))
print("HEADSTART=off:", ended(start("off", SMALL, HEADSTART="off")))
# Two links wait, and later links wait for them unless they are in no queue.
second.kill()
third.kill()
second.wait()
third.wait()
print("enough for both:", ended(start("both", "--prefetch-queue=1G")))
second = start("second", SMALL)
wait_for("wait", 1)
third = start("third", SMALL)
wait_for("wait", 2)
assert second.poll() is None and third.poll() is None
endless.kill()
endless.wait()
print("the other is killed:", ended(second))
print("the third:", ended(third))
subprocess.run([STOCK, "main.o", "-o", "stock"], check=True)
stock = pathlib.Path("stock").read_bytes()
for name in ("alone", "second", "third", "none", "off", "both"):
    assert pathlib.Path(name).read_bytes() == stock, name
print("outputs are stock's")
print("left:", *(p.name for p in CACHE.glob("links-*")), "nothing")
