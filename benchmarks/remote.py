"""Links as actions of a distributed build: Bazel, with BuildGrid as the server.

It needs Debian's bazel-bootstrap and postgresql, and `bgd` on the PATH from a virtual
environment with the packages buildgrid and psycopg2-binary. The bot is bot.py. All
programs run on this machine and use only the loopback. The link is a cc_binary of
existing objects. The bot copies its inputs before the action runs, or mounts a view that
fetches what the action reads, as Buildbarn's workers do. Needs root.
"""

import contextlib
import hashlib
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Iterator, List, Optional

import flavours
import harness
import links
from far import FARFS, has_view
from figures import sameness, table, with_ratios
from links import FIRST, NEXT
from machine import say
from mounts import free_port, running

# How the action sees its inputs: the view's latency in ms, and the rounds.
VIEWS = {"copied": (0, 3), "mounted, 1 ms": (1, 3), "mounted, 5 ms": (5, 3),
         "mounted, 20 ms": (20, 1)}
BANDWIDTH = 200  # MB/s, of a mounted view
POSTGRES = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))

DATABASE = "postgresql+psycopg2://postgres@127.0.0.1:{}/postgres"
SERVER = """
server:
  - !channel
    address: "127.0.0.1:{port}"
    insecure-mode: true
thread-pool-size: 1000
connections:
  - !sql-connection &sql
    connection-string: {database}
storages:
  - !disk-storage &blobs
    path: {folder}/cas
caches:
  - !lru-action-cache &results
    storage: *blobs
    max-cached-refs: 256
    allow-updates: true
schedulers:
  - !sql-scheduler &scheduler
    sql: *sql
    storage: *blobs
    action-cache: *results
    property-set: !dynamic-property-set
      match-property-keys: []
    assigners:
      - !priority-age-assigner
        count: 1
        interval: 0.1
instances:
  - name: ''
    services:
      - !action-cache
        cache: *results
      - !execution
        scheduler: *scheduler
      - !cas
        storage: *blobs
      - !bytestream
        storage: *blobs
"""

TOOLCHAIN = """
load("@bazel_tools//tools/cpp:cc_toolchain_config_lib.bzl", "tool_path")

def _impl(ctx):
    paths = {"gcc": "CLANG", "ld": "/bin/false", "ar": "/bin/false",
             "cpp": "/bin/false", "gcov": "/bin/false", "nm": "/bin/false",
             "objdump": "/bin/false", "strip": "/bin/false"}
    return cc_common.create_cc_toolchain_config_info(
        ctx = ctx, toolchain_identifier = "clang", host_system_name = "linux",
        target_system_name = "linux", target_cpu = "k8", target_libc = "glibc",
        compiler = "clang", abi_version = "", abi_libc_version = "",
        tool_paths = [tool_path(name = n, path = p) for n, p in paths.items()])

config = rule(implementation = _impl, provides = [CcToolchainConfigInfo])
"""

BUILD = """
load(":toolchain.bzl", "config")
config(name = "config")
filegroup(name = "none")
cc_toolchain(name = "toolchain", toolchain_config = ":config",
             toolchain_identifier = "clang", all_files = ":none",
             compiler_files = ":none", dwp_files = ":none",
             linker_files = ":none", objcopy_files = ":none",
             strip_files = ":none", supports_param_files = 1)
cc_toolchain_suite(name = "suite", toolchains = {
    "k8": ":toolchain", "k8|clang": ":toolchain"})
cc_binary(name = "app", malloc = ":empty", linkopts = ["@app.rsp"],
          additional_linker_inputs = ["app.rsp", "app.record"] +
                                     glob(["in/**", "start/**"]))
cc_library(name = "empty")
"""


def missing() -> str:
    gone = [name for name in ("bazel", "bgd", "runuser")
            if not shutil.which(name)]
    if not POSTGRES:
        gone.append("postgresql")
    return f"no {', '.join(gone)}" if gone else ""


@contextlib.contextmanager
def database(folder: pathlib.Path, port: int) -> Iterator[None]:
    place = folder / "database"
    place.mkdir()
    shutil.chown(place, "postgres")
    for parent in (folder, *folder.parents):
        if not parent.stat().st_mode & 1:
            sys.exit(f"error: the user postgres cannot enter {parent}")
    user = ["runuser", "-u", "postgres", "--"]
    subprocess.run([*user, POSTGRES[-1] / "initdb", "-A", "trust", "-N",
                    "-D", place], stdout=subprocess.DEVNULL, check=True)
    with running([*user, str(POSTGRES[-1] / "postgres"), "-D", str(place),
                  "-p", str(port), "-h", "127.0.0.1", "-k", str(place), "-F"],
                 port):
        time.sleep(1)  # the port answers before the server accepts clients
        yield


@contextlib.contextmanager
def build_grid(folder: pathlib.Path, views: pathlib.Path) -> Iterator[str]:
    """Runs a server and its bot; yields the address."""
    with contextlib.ExitStack() as stack:
        port, of_database = free_port(), free_port()
        stack.enter_context(database(folder, of_database))
        config = folder / "server.yml"
        config.write_text(SERVER.format(folder=folder, port=port,
                                        database=DATABASE.format(of_database)))
        bgd = pathlib.Path(shutil.which("bgd"))
        subprocess.run([bgd, "migrate", "apply", DATABASE.format(of_database)],
                       stdout=subprocess.DEVNULL, check=True)
        stack.enter_context(running([str(bgd), "server", "start", str(config)],
                                    port))
        bot = subprocess.Popen(
            [bgd.with_name("python"), harness.ROOT / "benchmarks/bot.py",
             f"127.0.0.1:{port}", folder, views])
        stack.callback(bot.wait)
        stack.callback(bot.terminate)
        yield f"grpc://127.0.0.1:{port}"


def in_words_of_clang(words: List[str], folder: pathlib.Path) -> List[str]:
    """Converts the linker's arguments to clang's, with relative paths of inputs."""
    result = ["-nostdlib", "-no-pie"]
    for word in words:
        if word.startswith(f"{folder}/"):
            result.append(word[len(f"{folder}/"):])
        elif word.startswith(("-L", "-l")):
            result.append(word)
        elif word.startswith("-") and word != "-o":
            result.append(f"-Wl,{word}")
        else:
            result += ["-Xlinker", word]
    return result


def workspace(folder: pathlib.Path) -> None:
    sample = flavours.elf_objects()
    subprocess.run(["cp", "-al", str(sample.folder / "in"), str(folder)],
                   check=True)
    shutil.copytree(flavours.elf_archives().folder / "in", folder / "start",
                    ignore=shutil.ignore_patterns("*.a"))
    words = in_words_of_clang(
        [word.replace(str(flavours.elf_archives().folder / "in"),
                      f"{sample.folder}/start") for word in sample.words],
        sample.folder)
    (folder / "app.rsp").write_text("\n".join(words) + "\n")
    (folder / "WORKSPACE").write_text("".join(
        f'local_repository(name = "{name}", path = "{place}")\n'
        for name, place in RULES.items()))
    rules = folder / "rules_cc"
    (rules / "cc").mkdir(parents=True)
    (rules / "WORKSPACE").touch()
    (rules / "cc/BUILD").touch()
    (rules / "cc/defs.bzl").write_text(RULES_CC)
    (folder / "app.record").touch()
    (folder / "toolchain.bzl").write_text(
        TOOLCHAIN.replace("CLANG", str(harness.LLVM / "clang")))
    (folder / "BUILD").write_text(BUILD)


def options(way: str) -> List[str]:
    if way == "stock":
        return [f"--ld-path={harness.LLVM / 'ld.lld'}"]
    record = "app.record" if way == NEXT else "none"
    return [f"--ld-path={harness.BIN / 'ld.lld'}",
            f"-Wl,--prefetch-profile={record}"]


# Bazel would download these. Debian has copies, but its rules_cc is too new for its
# Bazel, so RULES_CC has the few names that Bazel itself loads.
RULES = {"rules_java": "/usr/share/bazel/rules/java",
         "rules_proto": "/usr/share/bazel/rules/proto",
         "platforms": "/usr/share/bazel/platforms",
         "bazel_skylib": "/usr/share/bazel/tools/skylib",
         "rules_cc": "rules_cc"}
RULES_CC = """
cc_binary = native.cc_binary
cc_library = native.cc_library
cc_import = native.cc_import
cc_test = native.cc_test
cc_toolchain = native.cc_toolchain
cc_toolchain_suite = native.cc_toolchain_suite
cc_flags_supplier = native.filegroup
compiler_flag = native.filegroup
"""


def build(folder: pathlib.Path, server: str, way: str) -> dict:
    command = ["bazel", f"--output_user_root={folder}/bazel", "build", "//:app",
               "--crosstool_top=//:suite", "--cpu=k8", "--compiler=clang",
               f"--remote_executor={server}", "--noremote_accept_cached",
               "--spawn_strategy=remote", "--noshow_progress",
               "--verbose_failures", "--remote_timeout=120",
               "--ui_event_filters=-info", "--show_result=0",
               *(f"--linkopt={each}" for each in options(way))]
    log = folder / "actions.json"
    log.unlink(missing_ok=True)
    begin = time.monotonic()
    done = subprocess.run(command, cwd=folder / "work", stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=600)
    if done.returncode != 0 or not log.exists():
        sys.exit(f"error: {way} failed\n{done.stdout.decode()}")
    action = json.loads(log.read_text())
    app = (folder / "work/bazel-bin/app").read_bytes()
    return {"seconds": time.monotonic() - begin, "run": action["run"],
            "outputs": hashlib.sha256(app).hexdigest()}


def leave_record(work: pathlib.Path, scratch: pathlib.Path) -> None:
    """Stores a profile by one link outside the build, as a developer would."""
    subprocess.run([harness.LLVM / "clang", "@app.rsp", "-o", scratch / "app",
                    f"--ld-path={harness.BIN / 'ld.lld'}",
                    "-Wl,--prefetch-profile=app.record"], cwd=work, check=True)


def measure_view(folder: pathlib.Path, server: str, view: str,
                 factor: float) -> dict:
    latency, rounds = VIEWS[view]
    (folder / "views.json").write_text(json.dumps({} if not latency else {
        "view": [str(FARFS), f"--latency={latency}",
                 f"--bandwidth={BANDWIDTH}"]}))

    def one(way: str) -> dict:
        run = build(folder, server, way)
        say(f"    {view}, {way}: {run['run']:.2f} s")
        return run
    return {"view": view, "runs": harness.in_turn(
        {way: way for way in ("stock", FIRST, NEXT)}, links.scaled(rounds, factor),
        one)}


def measure(factor: float) -> Optional[dict]:
    if os.geteuid() != 0 or missing():
        say(f"   skipped: {missing() or 'mounting needs root'}")
        return None
    if not has_view():
        return None
    with tempfile.TemporaryDirectory(prefix="headstart-bazel-") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o711)  # the user postgres must enter it
        (folder / "work").mkdir()
        (folder / "views.json").write_text("{}")
        workspace(folder / "work")
        leave_record(folder / "work", folder)
        with build_grid(folder, folder / "views.json") as server:
            try:
                # This build does not count: it uploads the inputs. Its variant is not
                # the one that runs next, since Bazel would not repeat its last action.
                build(folder, server, NEXT)
                views = [measure_view(folder, server, view, factor)
                         for view in VIEWS]
            finally:
                subprocess.run(["bazel", f"--output_user_root={folder}/bazel",
                                "shutdown"], cwd=folder / "work", check=False)
                # Bazel removes the write permission from its outputs.
                subprocess.run(["chmod", "-R", "u+w", folder], check=False)
    return {"title": "A link in a distributed build",
            "objects": len(flavours.elf_objects().files()), "views": views}


def text(figures: dict) -> str:
    rows, outputs = [], set()
    for one in figures["views"]:
        runs = one["runs"]
        took = {way: statistics.median(run["run"] for run in each)
                for way, each in runs.items()}
        whole = [statistics.median(run["seconds"] for run in each)
                 for each in runs.values()]
        outputs |= {run["outputs"] for each in runs.values() for run in each}
        rows.append([one["view"],
                     *with_ratios(took),
                     " / ".join(f"{each:.1f}" for each in whole) + " s"])
    return "\n".join([
        "## A link in a distributed build", "",
        "Bazel and BuildGrid on this machine build `ld.lld` from "
        f"{figures['objects']:,} objects. Cells: time of the link action on the worker "
        "(ratio to stock). *Copied*: the worker has all inputs before the action starts. "
        "*Mounted*: the worker fetches what "
        f"the action reads, at {BANDWIDTH} MB/s. The profile is a declared input and "
        "was stored in another directory." + sameness(len(outputs) == 1), "",
        *table(["inputs", "stock", "without a profile", "with a profile",
                "whole build, in this order"], rows)])
