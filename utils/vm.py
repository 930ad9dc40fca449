#!/usr/bin/env python3
"""Tests Headstart in a virtual machine with another kernel, for ./dev vm.

    vm.py [6.1|6.12|arm64] [--write | [--if-made] --run COMMAND...]

Boots the kernel of Debian 12 (6.1, arm64) or 13 (6.12) in qemu without KVM. utils/vm/guest.py runs
there: headstart doctor, unit tests, cold links on several file systems and in control groups. With
--run, it runs a command instead, in a copy of the sources and of the machine's build at their paths
on the host; --if-made skips that unless ./dev arm64 or ./dev vm made the machine before. The script
compares the plan of a link with that of this machine's kernel, prints a table, and writes
build/vm/KERNEL.json. --write also writes the rows of docs/Platforms.md.

Systems and inputs stay in build-tools/vm, which can be deleted. The exit status is 1 if a check
failed, 77 if the machine cannot be made.
"""

import argparse
import collections
import contextlib
import dataclasses
import fcntl
import json
import lzma
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

import documents
from common import ROOT, skip, temporary_directory

sys.path.insert(0, str(ROOT / "utils/vm"))
import guest  # noqa: E402

CACHE = ROOT / "build-tools/vm"
BUILD = ROOT / "build/vm"
DOCUMENT = ROOT / "docs/Platforms.md"


@dataclasses.dataclass
class Machine:
    """A Debian, and the processor that qemu emulates for it."""
    suite: str
    architecture: str = "amd64"
    qemu: tuple = ("qemu-system-x86_64", "-cpu", "max")
    console: str = "ttyS0"
    build: str = "build"


MACHINES = {
    "6.1": Machine("bookworm"),
    "6.12": Machine("trixie"),
    "arm64": Machine("bookworm", "arm64", (
        "qemu-system-aarch64", "-machine", "virt", "-cpu", "neoverse-n1"), "ttyAMA0",
        "build-arm64"),
}
# They are unpacked, and not configured.
PACKAGES = ("base-files base-passwd bash btrfs-progs busybox-static coreutils dash "
            "diffutils e2fsprogs findutils grep gzip hostname iproute2 kmod libc-bin mount python3 "
            "sed tar util-linux xfsprogs").split()
# For the tests of the programs. Debian 13 has no LLVM 22.
TEST_PACKAGES = ("ca-certificates clang-22 cmake crun debian-archive-keyring file fuse3 g++ "
                 "git lld-22 llvm-22 llvm-22-tools make mmdebstrap ninja-build podman procps "
                 "rpm strace zstd").split()
MODULES = ("virtio_pci", "virtio_blk", "ext4")
# The first programs of the initrd and of the system.
START, INIT = ((ROOT / "utils/vm" / name).read_text() for name in ("start.in", "init"))


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def make_image(directory: pathlib.Path, image: pathlib.Path, megabytes: int) -> None:
    image.unlink(missing_ok=True)
    subprocess.run(["mke2fs", "-q", "-t", "ext4", "-d", directory, "-E", "root_owner=0:0",
                    image, f"{megabytes}M"], check=True, stdout=sys.stderr)


def make_initrd(root: pathlib.Path, system: pathlib.Path) -> None:
    """Writes the programs and modules that mount the system."""
    (version,) = os.listdir(root / "lib/modules")
    subprocess.run(["depmod", "-b", root, version], check=True)
    directory = system / "initrd"
    for name in ("bin", "dev", "root"):
        (directory / name).mkdir(parents=True)
    shutil.copy(next(root.glob("usr/bin/busybox")), directory / "bin")
    modules: list = []
    for line in subprocess.check_output(
            ["modprobe", "-d", root, "-S", version, "--ignore-install", "--show-depends",
             "-a", *MODULES], text=True).splitlines():
        path = pathlib.Path(line.split()[1])
        if line.startswith("insmod") and path.stem not in modules:
            data = path.read_bytes()
            (directory / path.stem).write_bytes(
                lzma.decompress(data) if path.suffix == ".xz" else data)
            modules.append(path.stem)
    (directory / "init").write_text(START.format(modules=" ".join(modules)))
    (directory / "init").chmod(0o755)
    with open(system / "initrd.img", "wb") as out:
        names = subprocess.check_output(["find", "."], cwd=directory)
        subprocess.run(["cpio", "--quiet", "-o", "-H", "newc"], cwd=directory, input=names,
                       stdout=out, check=True)


def make_system(machine: Machine, if_made: bool) -> pathlib.Path:
    """Returns a directory with a Debian as an image, its kernel and its initrd."""
    packages = [f"linux-image-{machine.architecture}", *PACKAGES]
    if machine.suite == "bookworm":
        packages += TEST_PACKAGES
    system = CACHE / f"{machine.suite}-{machine.architecture}"
    ready = system / "ready"
    wanted = " ".join(packages) + START + INIT
    if ready.exists() and ready.read_text() == wanted:
        return system
    if if_made:
        skip("no machine was made: ./dev arm64")
    say(f"making a Debian {machine.suite} for {machine.architecture}")
    shutil.rmtree(system, ignore_errors=True)
    root = system / "root"
    system.mkdir(parents=True)
    done = subprocess.run(
        ["mmdebstrap", "--quiet", "--variant=extract",
         "--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr",
         f"--architectures={machine.architecture}", "--include=" + ",".join(packages),
         machine.suite, root], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        skip(f"no Debian can be made: {done.stdout.strip().splitlines()[-1:]}")
    (root / "init").write_text(INIT)
    (root / "init").chmod(0o755)
    (root / "vm").mkdir()
    for name in ("passwd", "group"):
        shutil.copy(root / f"usr/share/base-passwd/{name}.master", root / "etc" / name)
    (kernel,) = (root / "boot").glob("vmlinuz-*")
    shutil.copy(kernel, system / "vmlinuz")
    make_initrd(root, system)
    make_image(root, system / "root.img", 5000)
    shutil.rmtree(root)
    ready.write_text(wanted)
    return system


@contextlib.contextmanager
def locked():
    """Only one of several runs at once makes a machine or writes the document."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def make_inputs() -> pathlib.Path:
    """Makes the inputs of a link, with a response file."""
    corpus = CACHE / "corpus"
    subprocess.run([sys.executable, ROOT / "utils/make-corpus.py", "elf", "--out", corpus,
                    "--objects", "100", "--directories", "10", "--bytes", "90M"], check=True,
                   stdout=sys.stderr)
    return corpus


def make_work(work: pathlib.Path, corpus: pathlib.Path, build: pathlib.Path) -> None:
    """Makes the files of /vm for guest.py; the response file gets relative paths."""
    for name in ("bin", "tests", "corpus"):
        (work / name).mkdir(parents=True)
    shutil.copytree(corpus / "obj", work / "corpus/obj")
    names = re.sub(r"(?m)^.*/(?=obj/)", "", (corpus / "link.rsp").read_text())
    (work / "corpus/link.rsp").write_text(names)
    shutil.copy((build / "bin/headstart").resolve(), work / "bin/headstart")
    (work / "bin/ld.lld").symlink_to("headstart")
    for name in guest.TESTS:
        shutil.copy(build / "unittests" / name, work / "tests")


def make_tree(work: pathlib.Path, build: pathlib.Path, command: list) -> None:
    """Makes the files of /vm for a command: the sources and a build without objects."""
    (work / "corpus").mkdir(parents=True)
    tree = work / "tree"
    shutil.copytree(build, tree / build.name, symlinks=True, ignore=shutil.ignore_patterns(
        "*.o", "*.a", ".ninja*", "corpora", "Output", BUILD.name))
    names = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True)
    for name in names.split("\0"):
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tree / name)
    # LLVM's programs are where the host has those for arm64.
    (tree / "build-tools/arm64").mkdir(parents=True)
    (tree / "build-tools/arm64/sysroot").symlink_to("/")
    (work / "command.json").write_text(json.dumps({"root": str(ROOT), "command": command}))


def virtiofs(stack: contextlib.ExitStack, directory: pathlib.Path, socket: pathlib.Path) -> list:
    """Serves a directory by virtiofs if the server exists and starts. Returns qemu's options."""
    server = pathlib.Path("/usr/lib/qemu/virtiofsd")
    if not server.exists():
        return []
    process = stack.enter_context(subprocess.Popen(
        [server, f"--socket-path={socket}", "-o", f"source={directory}",
         "-o", "cache=always", "-o", "sandbox=chroot"], stderr=subprocess.DEVNULL))
    stack.callback(process.kill)
    deadline = time.monotonic() + 10
    while not socket.exists():
        if process.poll() is not None or time.monotonic() > deadline:
            return []
        time.sleep(0.05)
    return ["-object", "memory-backend-memfd,id=memory,size=4G,share=on",
            "-numa", "node,memdev=memory", "-chardev", f"socket,id=virtiofs,path={socket}",
            "-device", "vhost-user-fs-pci,chardev=virtiofs,tag=virtiofs"]


def boot(machine: Machine, system: pathlib.Path, directory: pathlib.Path,
         timeout: int = 1800) -> dict:
    """Runs the machine until it powers off, and copies its console. Returns the result."""
    work = directory / "work"
    shutil.copy(ROOT / "utils/vm/guest.py", work)
    with contextlib.ExitStack() as stack:
        shared = virtiofs(stack, work / "corpus", directory / "virtiofs")
        if shared:
            (work / "shared").touch()
        make_image(work, directory / "work.img", 6000)
        disks = [system / "root.img", directory / "work.img"]
        for disk, megabytes in (("other.img", 2000), ("swap.img", 1000)):
            with open(directory / disk, "wb") as file:
                file.truncate(megabytes << 20)
            disks.append(directory / disk)
        command = [*machine.qemu, "-smp", "2", "-m", "4G", "-nodefaults", "-display", "none",
                   "-no-reboot", "-serial", "stdio", "-nic", "user,model=virtio-net-pci",
                   "-kernel", system / "vmlinuz", "-initrd", system / "initrd.img",
                   "-append", f"console={machine.console} quiet panic=-1",
                   "-virtfs", f"local,path={work / 'corpus'},mount_tag=corpus,"
                              "security_model=none,readonly=on"]
        command += shared
        for disk in disks:
            # qemu must not write to the image of the system.
            snapshot = "on" if disk.name == "root.img" else "off"
            command += ["-drive", f"file={disk},if=virtio,format=raw,snapshot={snapshot}"]
        try:
            subprocess.run(command, stdin=subprocess.DEVNULL, timeout=timeout, check=True,
                           env={**os.environ, "TMPDIR": str(directory)})
        except subprocess.TimeoutExpired:
            say(f"the machine did not end in {timeout} s")
        done = subprocess.run(["debugfs", "-R", "cat /result.json", directory / "work.img"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if not done.stdout.strip():
        sys.exit("the machine ended without a result")
    return json.loads(done.stdout)


def megabytes(count) -> str:
    return "–" if count is None else f"{count / 1e6:.0f}"


def name_of(release: str) -> str:
    """6.1.0-56-amd64: 6.1; 6.1.0-56-arm64: 6.1 arm64."""
    name = ".".join(release.split(".")[:2])
    return name + " arm64" * release.endswith("arm64")


HEADS = ["Linux", "file systems", "MB fetched", "outputs"]
TEST_HEADS = ["Linux", "unit tests", "failed", "skipped"]


def rows(result: dict) -> list:
    """A row for the file systems on which a link fetches as much, and one for all groups."""
    found: dict[tuple, list] = {}
    for row in result.get("links", []):
        found.setdefault((megabytes(row["hinted_bytes"]), row["same"]), []).append(row["name"])
    if groups := result.get("groups", []):
        fetched = sorted(row["hinted_bytes"] or 0 for row in groups)
        span = " to ".join(dict.fromkeys([megabytes(fetched[0]), megabytes(fetched[-1])]))
        found.setdefault((span, all(row["same"] for row in groups)), []).append(
            f"ext4 with {megabytes(groups[0]['limit'])} MB of memory")
    return [[name_of(result["kernel"]), ", ".join(names), fetched, "same" if same else "DIFFERENT"]
            for (fetched, same), names in found.items()]


def describe(result: dict) -> str:
    lines = [f"Linux {result['kernel']}: residency by "
             f"{'cachestat' if result.get('cachestat') else 'mincore'}, touched pages by "
             f"{'PAGEMAP_SCAN' if result.get('pagemap_scan') else '/proc/self/pagemap'}"]
    for name, tests in result.get("tests", {}).items():
        lines.append(f"{name}: {tests['tests']} tests, {len(tests['failed'])} failed, "
                     f"{len(tests['skipped'])} skipped")
        lines += [f"  skipped {test}: {why}" for test, why in tests["skipped"].items()]
    lines.append(f"plan: {len(result['plan'])} ranges, {'' if result['plan_same'] else 'NOT '}the "
                 f"same in the same order on Linux {os.uname().release}")
    lines += documents.table(HEADS, rows(result), texts=range(len(HEADS)))
    lines += [f"  not on {name}: {why}" for name, why in result.get("lacks", {}).items()]
    lines += [f"WRONG: {problem}" for problem in result["problems"]]
    return "\n".join(lines) + "\n"


def test_rows(result: dict) -> list:
    """The document's row for the unit tests."""
    tests = result["tests"].values()
    reasons = collections.Counter(why for one in tests for why in one["skipped"].values())
    return [[name_of(result["kernel"]), str(sum(one["tests"] for one in tests)),
             str(sum(len(one["failed"]) for one in tests)),
             "; ".join(f"{number}: {why}" for why, number in reasons.items())]]


def write_rows(mark: str, heads: list, new_rows: list) -> None:
    """Replaces the rows of a kernel in the table between two marks."""
    begin, end = f"<!-- {mark} -->", f"<!-- /{mark} -->"
    _, old, _ = documents.split_at_marks(DOCUMENT, begin, end)
    head, line, *new = documents.table(heads, new_rows, texts=range(len(heads)))
    kept = [line for line in old.splitlines()[3:] if not line.startswith(f"| {new_rows[0][0]} |")]
    documents.replace_section(DOCUMENT, begin, end, "\n".join(
        [head, line, *sorted(kept + new, key=lambda line: line.split("|")[1])]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("machine", nargs="?", default="6.1", choices=MACHINES)
    parser.add_argument("--write", action="store_true",
                        help="also write the rows of docs/Platforms.md")
    parser.add_argument("--if-made", action="store_true",
                        help="skip the command if there is no machine yet")
    parser.add_argument("--run", nargs=argparse.REMAINDER, metavar="COMMAND")
    arguments = parser.parse_args()
    machine = MACHINES[arguments.machine]
    missing = [name for name in (machine.qemu[0], "mke2fs", "mmdebstrap", "cpio", "depmod")
               if not shutil.which(name)]
    if os.geteuid() != 0 or missing:
        skip(f"root and {', '.join(missing) or 'mmdebstrap'} are needed")
    BUILD.mkdir(parents=True, exist_ok=True)
    build = ROOT / machine.build
    if arguments.if_made and not (build / "CTestTestfile.cmake").exists():
        skip("there is no build for the machine: ./dev arm64")
    with locked():
        system = make_system(machine, arguments.if_made)
        if not arguments.run:
            corpus = make_inputs()
    # The exception ends the machine, and removes its directory.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with temporary_directory(dir=BUILD) as directory:
        (directory / "work").mkdir()
        if arguments.run:
            make_tree(directory / "work", build, arguments.run)
            result = boot(machine, system, directory,
                          timeout=1700 if arguments.if_made else 4 * 3600)
            print("\n".join(result["problems"]), file=sys.stderr)
            return result.get("status", 1)
        make_work(directory / "work", corpus, build)
        here = guest.plan_of(ROOT / "build/bin", directory / "work/corpus")
        result = boot(machine, system, directory)
    result["plan_same"] = result.setdefault("plan", []) == here
    if not result["plan_same"]:
        result["problems"].append("the plan differs from that of this machine")
    (BUILD / f"{arguments.machine}.json").write_text(json.dumps(result, indent=1) + "\n")
    print(describe(result), end="")
    if arguments.write and not result["problems"]:
        with locked():
            write_rows("vm", HEADS, rows(result))
            write_rows("vm-tests", TEST_HEADS, test_rows(result))
    return 1 if result["problems"] else 0


if __name__ == "__main__":
    sys.exit(main())
