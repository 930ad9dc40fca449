"""The checks that ./dev vm runs in the virtual machine, as root and with nothing else.

/vm has bin/ (the program under all its names), tests/ and corpus/. /dev/vdc is a disk for other
file systems, /dev/vdd one for swap. The result is /vm/result.json, in which `problems` are failed
checks. If /vm has command.json, that command runs instead, in a copy of the sources, /vm/tree.
"""

import filecmp
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

VM = pathlib.Path("/vm")
OUT = pathlib.Path("/tmp/out")
CACHE = OUT / "cache"
MOUNT = pathlib.Path("/mnt")
GROUPS = pathlib.Path("/sys/fs/cgroup")
ARGUMENTS = ["-e", "_Z4mainv", "--unresolved-symbols=ignore-all", "@link.rsp"]
TESTS = ("OSTests", "EngineTests", "PlanTests")

result: dict = {"problems": []}


def say(text: str) -> None:
    print(f"vm: {time.monotonic():.0f} s: {text}", flush=True)


def expect(condition: bool, problem: str) -> None:
    if not condition:
        say("WRONG: " + problem)
        result["problems"].append(problem)


def run(*command, **options) -> subprocess.CompletedProcess:
    return subprocess.run(command, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **options)


def must(*command) -> str:
    done = run(*command)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}: {done.stdout.strip()}")
    return done.stdout


def make_cold() -> None:
    must("sync")
    pathlib.Path("/proc/sys/vm/drop_caches").write_text("3\n")


def link(where: pathlib.Path, name: str, *options: str, ours=True, group=None, cold=True) -> dict:
    """Links in a directory, as stock or with Headstart. Returns the statistics."""
    if cold:
        make_cold()
    enter = group and (lambda: (group / "cgroup.procs").write_text(str(os.getpid())))
    stats = OUT / "stats.json"
    stats.unlink(missing_ok=True)
    if ours:
        options += (f"--prefetch-stats={stats}",)
    begin = time.monotonic()
    done = run(VM / "bin/ld.lld", *ARGUMENTS, "-o", OUT / name, *options, cwd=where,
               preexec_fn=enter, timeout=300,
               env={"XDG_CACHE_HOME": str(CACHE), "HEADSTART": "on" if ours else "off"})
    say(f"{name} in {where}: {time.monotonic() - begin:.1f} s")
    expect(done.returncode == 0, f"{name} in {where}: {done.returncode} {done.stdout}")
    return json.loads(stats.read_text()) if stats.exists() else {}


def expect_same(what: str) -> bool:
    same = filecmp.cmp(OUT / "stock", OUT / "ours", shallow=False)
    expect(same, f"{what}: the outputs differ")
    return same


# This function runs on the host as well, to compare the systems.
def plan_of(programs: pathlib.Path, where: pathlib.Path) -> list:
    plan = json.loads(subprocess.check_output(
        [programs / "headstart", "plan", "--json", "--", programs / "ld.lld", *ARGUMENTS],
        cwd=where))
    return [[r["path"], r["offset"], r["length"], r["phase"]] for r in plan["ranges"]]


def try_doctor() -> None:
    done = run(VM / "bin/headstart", "doctor", "--verbose", VM)
    print(done.stdout)
    result["cachestat"] = "ok       cachestat" in done.stdout
    result["pagemap_scan"] = "ok       ioctl(PAGEMAP_SCAN)" in done.stdout


def try_unit_tests() -> None:
    result["tests"] = {}
    for name in TESTS:
        done = run(VM / "tests" / name, cwd="/tmp", timeout=600)
        skipped, failed = {}, []
        for why, end, case in re.findall(
                r"\[ RUN      \] [^\n]*\n(.*?)\[ *(OK|SKIPPED|FAILED) *\] (\S+)",
                done.stdout, re.DOTALL):
            if end == "SKIPPED":
                skipped[case.rstrip(",")] = why.strip().splitlines()[-1]
            elif end == "FAILED":
                failed.append(case.rstrip(","))
                expect(False, f"{case} {why.strip()}")
        count = re.search(r"(\d+) tests? from .* ran", done.stdout)
        expect(bool(count) and done.returncode == bool(failed),
               f"{name} ended with {done.returncode}: {done.stdout[-2000:]}")
        result["tests"][name] = {"tests": int(count[1]) if count else 0,
                                 "skipped": skipped, "failed": failed}
        say(f"{name}: {result['tests'][name]}")


def try_links(name: str, where: pathlib.Path) -> None:
    """Links in a directory: cold by stock, ours and ours with the profile; then warm."""
    row: dict = {"name": name}
    shutil.rmtree(CACHE, ignore_errors=True)
    link(where, "stock", ours=False)
    stats = link(where, "ours")
    row["same"] = expect_same(name)
    again = link(where, "ours")
    row["same"] &= expect_same(f"{name}, with a profile")
    # The statistics of a warm link lack the inputs that the linker opens first.
    cached = json.loads(must(VM / "bin/headstart", "residency", "--json", "--summary",
                             where / "obj"))["resident_bytes"]
    warm = link(where, "ours", cold=False)
    row["same"] &= expect_same(f"{name}, warm")
    row["hinted_bytes"] = stats["hinted_bytes"]
    expect(not stats["errors"] and not again["errors"],
           f"{name}: {stats['errors']} {again['errors']}")
    # The linker opens some inputs before the engine does, and many cached ones.
    expect(name == "tmpfs" or stats["handed_over"] >= stats["inputs"] * 0.9,
           f"{name}: {stats['handed_over']} of {stats['inputs']} were handed over")
    profiles = [stats["profile"], again["profile"]]
    expect(profiles == ["recorded", "used"], f"{name}: profiles {profiles}")
    expect(stats["unknown_bytes_before"] + warm["unknown_bytes_before"] == 0,
           f"{name}: residency is not known")
    before = stats["resident_bytes_before"]
    expect(before == (stats["inputs_bytes"] if name == "tmpfs" else 0)
           and cached >= stats["touched_bytes"] * 0.99,
           f"{name}: cached before the cold and the warm link: {before}, {cached}")
    expect(warm["hinted_bytes"] == 0, f"{name}: a warm link fetched")
    result["links"].append(row)
    say(f"{name}: inputs {stats['inputs_bytes']}, fetched {row['hinted_bytes']}, "
        f"same: {row['same']}")


def try_file_systems() -> None:
    """Links the corpus on other file systems, which the guest's kernel may lack."""
    result["links"] = []
    result["lacks"] = {}
    MOUNT.mkdir(exist_ok=True)

    def on(name: str, make: list, mount: list) -> None:
        try:
            if make:
                must(*make, "/dev/vdc")
            must("mount", *mount)
        except RuntimeError as why:
            expect("unknown filesystem" in str(why), f"{name}: {why}")
            result["lacks"][name] = str(why)
            return
        if not (MOUNT / "link.rsp").exists():
            shutil.copytree(VM / "corpus", MOUNT, dirs_exist_ok=True)
        try_links(name, MOUNT)
        must("umount", MOUNT)

    on("ext4", ["mkfs.ext4", "-qF"], ["/dev/vdc", MOUNT])
    on("ext4 noatime", ["mkfs.ext4", "-qF"], ["-o", "noatime", "/dev/vdc", MOUNT])
    # The lower directory of overlayfs is the previous file system.
    lower = pathlib.Path("/lower")
    for each in ("lower", "upper"):
        pathlib.Path("/", each).mkdir(exist_ok=True)
    must("mount", "/dev/vdc", lower)
    must("mount", "-t", "tmpfs", "none", "/upper")
    for each in ("work", "new"):
        (pathlib.Path("/upper") / each).mkdir()
    on("overlayfs", [], ["-t", "overlay", "-o",
                         "lowerdir=/lower,upperdir=/upper/new,workdir=/upper/work",
                         "overlay", MOUNT])
    must("umount", lower)
    on("xfs", ["mkfs.xfs", "-qf"], ["/dev/vdc", MOUNT])
    on("btrfs zstd", ["mkfs.btrfs", "-qf"], ["-o", "compress=zstd", "/dev/vdc", MOUNT])
    on("tmpfs", [], ["-t", "tmpfs", "none", MOUNT])
    on("9p", [], ["-t", "9p", "-o", "trans=virtio,version=9p2000.L,msize=524288,"
                  "cache=loose,ro", "corpus", MOUNT])
    # The host may lack the server.
    if (VM / "shared").exists():
        on("virtiofs", [], ["-t", "virtiofs", "-o", "ro", "virtiofs", MOUNT])


def try_bench() -> None:
    """Measures a link by headstart bench. It evicts by itself."""
    report = json.loads(subprocess.check_output(
        [VM / "bin/headstart", "bench", "--json", "--no-watch", "--cold-rounds=1",
         "--warm-rounds=1", "--variants=off,on,on+profile", "--", VM / "bin/ld.lld",
         *ARGUMENTS], cwd=VM / "corpus"))
    cold = [round["resident_before_bytes"] for variant in report["variants"]
            for round in variant["cold"]["rounds"]]
    expect(report["outputs"]["same"], f"headstart bench: {report['outputs']}")
    expect(cold == [0, 0, 0], f"headstart bench: {cold} bytes were cached before cold links")


def try_group(name: str, limit: int, high=None) -> None:
    """Links in a control group that has half of the memory that they need."""
    group = GROUPS / "limited"
    group.mkdir()
    (group / "memory.max").write_text(str(limit))
    if high:
        (group / "memory.high").write_text(str(high))
    link(VM / "corpus", "stock", ours=False, group=group)
    stats = link(VM / "corpus", "ours", "--prefetch-profile=none", group=group)
    same = expect_same(name)
    events = dict(line.split() for line in (group / "memory.events").read_text().splitlines())
    row = {"name": name, "limit": limit, "budget": stats["budget_bytes"],
           "same": same, "hinted_bytes": stats["hinted_bytes"]}
    result["groups"].append(row)
    say(f"{name}: {row}")
    # The budget is half of the group's available memory; some pages are in use already.
    least = min(limit, high or limit)
    expect(least // 4 < row["budget"] <= least // 2,
           f"{name}: a budget of {row['budget']} in a group of {least}")
    expect(events["oom_kill"] == "0", f"{name}: the kernel killed a link")
    group.rmdir()


def try_groups() -> None:
    result["groups"] = []
    (GROUPS / "cgroup.subtree_control").write_text("+memory")
    group = GROUPS / "unlimited"
    group.mkdir()
    link(VM / "corpus", "stock", ours=False, group=group)
    need = int((group / "memory.peak").read_text())
    group.rmdir()
    say(f"a link needs {need}")
    try_group("memory.max", need // 2)
    try_group("memory.max, memory.high", need // 2, need * 7 // 16)
    must("mkswap", "/dev/vdd")
    must("swapon", "/dev/vdd")
    try_group("memory.max, swap", need // 2)
    try_group("memory.max, memory.high, swap", need // 2, need * 7 // 16)
    must("swapoff", "/dev/vdd")


def run_command(root: pathlib.Path, command: list) -> None:
    """Runs a command where the host has the sources."""
    root.mkdir(parents=True)
    must("mount", "--bind", VM / "tree", root)
    for step in (("modprobe", "virtio_net"), ("ip", "link", "set", "eth0", "up"),
                 ("ip", "address", "add", "10.0.2.15/24", "dev", "eth0"),
                 ("ip", "route", "add", "default", "via", "10.0.2.2")):
        must(*step)
    pathlib.Path("/etc/resolv.conf").write_text("nameserver 10.0.2.3\n")
    # A configured system has it. apt needs it to read its keys.
    pathlib.Path("/usr/bin/awk").symlink_to("/bin/busybox")
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        pathlib.Path("/dev", name).symlink_to(f"/proc/self/fd/{descriptor}")
    result["status"] = subprocess.call(command, cwd=root)


def main() -> None:
    result["kernel"] = os.uname().release
    say(result["kernel"])
    OUT.mkdir(exist_ok=True)
    steps = [try_doctor, try_unit_tests,
             lambda: result.update(plan=plan_of(VM / "bin", VM / "corpus")),
             try_file_systems, try_bench, try_groups]
    if (VM / "command.json").exists():
        task = json.loads((VM / "command.json").read_text())
        steps = [lambda: run_command(pathlib.Path(task["root"]), task["command"])]
    for step in steps:
        try:
            step()
        except Exception as why:  # the other steps still run
            expect(False, f"{type(why).__name__}: {why}")
    (VM / "result.json").write_text(json.dumps(result))


if __name__ == "__main__":
    sys.exit(main())
