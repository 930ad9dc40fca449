#!/usr/bin/env python3
"""Tests Headstart in a virtual machine with another kernel, for ./dev vm.

    vm.py [6.1|6.12] [--write]

Boots the kernel of Debian 12 (6.1) or 13 (6.12) in qemu without KVM. utils/vm/guest.py
runs there: headstart doctor, unit tests, cold links on several file systems and in
control groups. The script prints a table, and writes build/vm/KERNEL.json and .txt. It
compares the plan and the fetched ranges of one link with those of this machine's
kernel. --write also writes the rows of docs/Platforms.md.

Systems and inputs stay in build-tools/vm, which can be deleted. The exit status is 1 if
a check failed, 77 if the machine cannot be made.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "utils/vm"))
import guest  # noqa: E402

CACHE = ROOT / "build-tools/vm"
BUILD = ROOT / "build/vm"
DOCUMENT = ROOT / "docs/Platforms.md"
SUITES = {"6.1": "bookworm", "6.12": "trixie"}
PACKAGES = "linux-image-amd64,mount,python3,xfsprogs,btrfs-progs,e2fsprogs"
LINKERS = ("ld.lld", "headstart")
SKIPPED = 77
TIMEOUT = 1800  # seconds
INIT = """\
#!/bin/sh
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8
mount -t proc proc /proc
mountpoint -q /sys || mount -t sysfs sys /sys
mount -t cgroup2 cgroup /sys/fs/cgroup
mkdir -p /vm /dev/shm
mount -t tmpfs shm /dev/shm
mount /dev/vdb /vm && python3 -B /vm/guest.py
sync
echo o >/proc/sysrq-trigger
sleep 60
"""


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def make_image(folder: pathlib.Path, image: pathlib.Path, megabytes: int) -> None:
    """Makes an ext4 file system with the contents of a directory."""
    image.unlink(missing_ok=True)
    subprocess.run(["mke2fs", "-q", "-t", "ext4", "-d", folder, "-E", "root_owner=0:0",
                    image, f"{megabytes}M"], check=True, stdout=sys.stderr)


def make_system(suite: str) -> pathlib.Path:
    """Returns a directory with a Debian as an image, its kernel and its initrd."""
    system = CACHE / suite
    ready = system / "ready"
    if ready.exists() and ready.read_text() == PACKAGES + INIT:
        return system
    say(f"making a Debian {suite} (150 MB are downloaded)")
    shutil.rmtree(system, ignore_errors=True)
    root = system / "root"
    system.mkdir(parents=True)
    done = subprocess.run(["mmdebstrap", "--quiet", "--variant=apt",
                           f"--include={PACKAGES}", suite, root],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        print(f"skipped: no Debian can be made: {done.stdout.strip().splitlines()[-1:]}")
        sys.exit(SKIPPED)
    (root / "init").write_text(INIT)
    (root / "init").chmod(0o755)
    for name in ("vmlinuz", "initrd.img"):
        (file,) = (root / "boot").glob(f"{name}-*")
        shutil.copy(file, system / name)
    make_image(root, system / "root.img", 2000)
    shutil.rmtree(root)
    ready.write_text(PACKAGES + INIT)
    return system


def make_inputs() -> pathlib.Path:
    """Makes the inputs of a link, with a response file."""
    corpus = CACHE / "corpus"
    subprocess.run([sys.executable, ROOT / "utils/make-corpus.py", "elf", "--out", corpus,
                    "--objects", "100", "--folders", "10", "--bytes", "90M"], check=True,
                   stdout=sys.stderr)
    return corpus


def make_work(corpus: pathlib.Path) -> pathlib.Path:
    """Makes the files of /vm for guest.py; the response file gets relative paths."""
    work = BUILD / "work"
    shutil.rmtree(work, ignore_errors=True)
    for name in ("bin", "tests", "corpus"):
        (work / name).mkdir(parents=True)
    shutil.copytree(corpus / "obj", work / "corpus/obj")
    names = re.sub(r"(?m)^.*/(?=obj/)", "", (corpus / "link.rsp").read_text())
    (work / "corpus/link.rsp").write_text(names)
    shutil.copy(ROOT / "utils/vm/guest.py", work)
    program = (ROOT / "build/bin/headstart").resolve()
    for name in LINKERS:
        target = work / "bin" / name
        if name == "headstart":
            shutil.copy(program, target)
        else:
            target.symlink_to("headstart")
    for name in guest.TESTS:
        shutil.copy(ROOT / "build/unittests" / name, work / "tests")
    return work


def boot(system: pathlib.Path, work: pathlib.Path, port: pathlib.Path) -> None:
    """Runs the machine until it powers off, and copies its console."""
    with tempfile.TemporaryDirectory(dir=BUILD) as name:
        folder = pathlib.Path(name)
        make_image(work, folder / "work.img", 800)
        disks = [system / "root.img", folder / "work.img"]
        for disk, megabytes in (("other.img", 2000), ("swap.img", 1000)):
            with open(folder / disk, "wb") as file:
                file.truncate(megabytes << 20)
            disks.append(folder / disk)
        command = ["qemu-system-x86_64", "-cpu", "max", "-smp", "2", "-m", "4G",
                   "-nodefaults", "-display", "none", "-no-reboot", "-serial",
                   "stdio", "-serial", f"file:{port}",
                   "-kernel", system / "vmlinuz", "-initrd", system / "initrd.img",
                   "-append", "root=/dev/vda rw console=ttyS0 quiet panic=-1 init=/init",
                   "-virtfs", f"local,path={work / 'corpus'},mount_tag=corpus,"
                              "security_model=none,readonly=on"]
        for disk in disks:
            # qemu must not write to the image of the system.
            keeps = "on" if disk.name == "root.img" else "off"
            command += ["-drive", f"file={disk},if=virtio,format=raw,snapshot={keeps}"]
        subprocess.run(command, stdin=subprocess.DEVNULL, timeout=TIMEOUT, check=True,
                       env={**os.environ, "TMPDIR": str(folder)})


def compare(result: dict, here: dict) -> None:
    """Compares the plan and the ranges that a cold link fetches, in the guest and here."""
    there = result.pop("described", {"plan": [], "fetched": {}})

    def count(*sides) -> int:
        """The number of bytes that any of the sides fetched."""
        return sum(end - begin for path in there["fetched"].keys() | here["fetched"].keys()
                   for begin, end in guest.united(
                       [part for side in sides for part in side["fetched"].get(path, [])]))

    # The ranges that are cheaper to fetch depend on the disk; a plan does not.
    result["compared"] = {
        "kernel": os.uname().release, "plan": len(there["plan"]),
        "plan_same": there["plan"] == here["plan"], "fetched_there": count(there),
        "fetched_here": count(here), "fetched_any": count(there, here)}
    if there["plan"] != here["plan"]:
        result["problems"].append("the plan differs from that of this machine")


def megabytes(count) -> str:
    return "–" if count is None else f"{count / 1e6:.0f}"


def rows(result: dict) -> list:
    """The document's rows: one for each file system and each group."""
    kernel = ".".join(result["kernel"].split(".")[:2])
    table = []
    for row in result.get("links", []):
        read = [megabytes(count or None) for count in row["read"]]
        table.append([kernel, row["name"], *read, megabytes(row["hinted_bytes"]),
                      "same" if row["same"] else "DIFFERENT"])
    for row in result.get("groups", []):
        table.append([kernel, f"ext4, {megabytes(row['limit'])} MB: {row['name']}", "–",
                      "–", "–", megabytes(row["hinted_bytes"]),
                      "same" if row["same"] else "DIFFERENT"])
    return table


HEADS = ["Linux", "file system", "stock", "ours", "with profile", "fetched", "outputs"]


def describe(result: dict) -> str:
    lines = [f"Linux {result['kernel']}: residency by "
             f"{'cachestat' if result.get('cachestat') else 'mincore'}, touched pages by "
             f"{'PAGEMAP_SCAN' if result.get('pagemap_scan') else '/proc/self/pagemap'}"]
    for name, tests in result.get("tests", {}).items():
        lines.append(f"{name}: {tests['tests']} tests, {len(tests['failed'])} failed, "
                     f"{len(tests['skipped'])} skipped")
        lines += [f"  skipped {test}: {why}" for test, why in tests["skipped"].items()]
    same = result["compared"]
    lines.append(
        f"plan: {same['plan']} ranges, {'' if same['plan_same'] else 'NOT '}the same in the "
        f"same order on Linux {same['kernel']}; a cold link fetches "
        f"{megabytes(same['fetched_there'])} MB here, {megabytes(same['fetched_here'])} MB "
        f"there, {megabytes(same['fetched_any'])} MB together")
    lines.append("cold links, MB read from the disk:")
    table = [HEADS, *rows(result)]
    widths = [max(len(row[column]) for row in table) for column in range(len(HEADS))]
    lines += ["  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths))
              .rstrip() for row in table]
    lines += [f"  not on {name}: {why}" for name, why in result.get("lacks", {}).items()]
    lines += [f"  {row['name']}: budget {megabytes(row['budget'])} of "
              f"{megabytes(row['limit'])} MB, peak {megabytes(row['peak'])}, waited for "
              f"memory {row['stalled_us'] / 1e6:.1f} s" for row in result.get("groups", [])]
    lines += [f"WRONG: {problem}" for problem in result["problems"]]
    return "\n".join(lines) + "\n"


def write_document(result: dict) -> None:
    """Replaces the rows of this kernel."""
    begin, end = "<!-- vm -->\n", "<!-- /vm -->\n"
    before, rest = DOCUMENT.read_text().split(begin)
    old, after = rest.split(end)
    kernel = rows(result)[0][0]
    kept = [line for line in old.splitlines()[2:] if not line.startswith(f"| {kernel} |")]
    new = ["| " + " | ".join(row) + " |" for row in rows(result)]
    head = ["| " + " | ".join(HEADS) + " |", "| " + " | ".join(["---"] * len(HEADS)) + " |"]
    lines = head + sorted(kept + new, key=lambda line: line.split("|")[1])
    DOCUMENT.write_text(before + begin + "\n".join(lines) + "\n" + end + after)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kernel", nargs="?", default="6.1", choices=SUITES)
    parser.add_argument("--write", action="store_true",
                        help="also write the rows of docs/Platforms.md")
    arguments = parser.parse_args()
    missing = [name for name in ("qemu-system-x86_64", "mke2fs", "mmdebstrap")
               if not shutil.which(name)]
    if os.geteuid() != 0 or missing:
        print(f"skipped: root and {', '.join(missing) or 'mmdebstrap'} are needed")
        return SKIPPED
    BUILD.mkdir(parents=True, exist_ok=True)
    system = make_system(SUITES[arguments.kernel])
    work = make_work(make_inputs())
    here = guest.describe_link(work / "bin", work / "corpus", BUILD)
    port = BUILD / "port"
    port.unlink(missing_ok=True)
    try:
        boot(system, work, port)
    except subprocess.TimeoutExpired:
        say(f"the machine did not end in {TIMEOUT} s")
    if not port.exists() or not port.read_text().strip():
        say("the machine ended without a result")
        return 1
    result = json.loads(port.read_text())
    compare(result, here)
    (BUILD / f"{arguments.kernel}.json").write_text(json.dumps(result, indent=1) + "\n")
    text = describe(result)
    (BUILD / f"{arguments.kernel}.txt").write_text(text)
    print(text, end="")
    shutil.rmtree(work)
    if arguments.write and not result["problems"]:
        write_document(result)
    return 1 if result["problems"] else 0


if __name__ == "__main__":
    sys.exit(main())
