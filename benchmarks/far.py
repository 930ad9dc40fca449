"""Measures links whose inputs are on a high-latency store: a FUSE view that adds a latency to
each read and limits the bandwidth (utils/farfs).

Each link mounts the view over the inputs anew, so that it starts cold; the files themselves are
cached. Compares stock, stock after 16 `cat` or `headstart warm` read all files, and Headstart.

Also measures links over real mounts (sshfs, rclone, s3fs) of this machine's own files, which a
server on the loopback serves through a delay. Each link mounts them over its inputs in a mount
namespace of its own, so that it starts cold. Needs root.
"""

import asyncio
import contextlib
import dataclasses
import functools
import itertools
import json
import os
import pathlib
import shutil
import socket
import statistics
import subprocess
import sys
import time
from typing import Callable, Iterator

import harness
import links
import samples
from figures import format_bytes, grouped, sameness, section, table
from harness import Variant, say
from links import FIRST, NEXT, Sample

LATENCIES = (0.1, 1, 5, 20)     # ms
BANDWIDTHS = (50, 200, 1000)    # MB/s
NAME_LATENCIES = (1, 5)         # ms
ROUND_TRIPS = 20                # a link may wait for this many
CAT, WARM = "16 cat, then stock", "headstart warm, then stock"
DEEP = "Headstart, max_background=64"
FARFS = harness.BIN / "farfs"
SAMPLES = (samples.coff_small, samples.elf_objects, samples.macho_small)
# The programs that read all files before the link.
BEFORE = {CAT: "-n 16 -P 16 cat", WARM: f"{harness.HEADSTART} warm"}


def link(sample: Sample, variant: Variant, view: list[str], scratch: pathlib.Path) -> dict:
    """Links once through a view. Returns the view's counts and a hash of the outputs."""
    out = scratch / "out"
    harness.empty(out)
    counts, files = scratch / "counts.json", scratch / "files"
    files.write_text("".join(f"{file}\n" for file in sample.files()))
    # All variants run under one name, since a PDB contains the linker's name.
    script = f'exec -a {variant.argv0} "$@"'
    if variant.name in BEFORE:
        script = f"xargs -d '\\n' {BEFORE[variant.name]} <{files} >/dev/null; {script}"
    done = subprocess.run(
        [str(FARFS), *view, f"--counts={counts}", *2 * [str(sample.directory)], "--",
         "bash", "-c", script, "bash", str(variant.program), *variant.options,
         *sample.arguments_for(out)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=harness.enter)
    if done.returncode != 0:
        sys.exit(f"error: {variant.name} failed:\n" + done.stdout.decode(errors="replace"))
    return {**json.loads(counts.read_text()), "outputs": harness.hash_of(out)}


def needed(sample: Sample, scratch: pathlib.Path) -> tuple[int, float]:
    """The bytes that the linker touches, and the seconds of a warm link."""
    out = scratch / "out"
    first, _ = links.statistics_of(sample, out, sample.size())  # evicts the inputs
    harness.warm_up(sample.inputs)
    stock, *_ = links.plain_variants(sample, scratch / "profile")
    return (first["touched_bytes"],
            min(harness.link(stock, sample.arguments_for(out), out).seconds for _ in range(3)))


def variants(sample: Sample, scratch: pathlib.Path) -> list[Variant]:
    stock, first, last = links.plain_variants(sample, scratch / "profile")
    return [stock, *(dataclasses.replace(variant, name=name) for name, variant in (
        (CAT, stock), (WARM, stock), (FIRST, first), (NEXT, last), (DEEP, first)))]


def store_profile(sample: Sample, scratch: pathlib.Path) -> None:
    *_, last = links.plain_variants(sample, scratch / "profile")
    link(sample, last, [], scratch)


def samples_in_view() -> Iterator[tuple[Sample, pathlib.Path]]:
    """Yields each sample, whose inputs are cached, and a scratch directory."""
    for make in SAMPLES:
        sample = make()
        harness.warm_up(sample.inputs)
        with harness.scratch_in(sample.directory.parent) as scratch:
            yield sample, scratch


def measure_one(sample: Sample, scratch: pathlib.Path, factor: float) -> dict:
    size = sample.size()
    say(f"   {sample.title}: {len(sample.files())} inputs, {format_bytes(size)}")
    points = []
    touched, warm = needed(sample, scratch)
    every = variants(sample, scratch)
    (scratch / "profile").unlink(missing_ok=True)
    store_profile(sample, scratch)
    for latency, bandwidth in itertools.product(LATENCIES, BANDWIDTHS):
        def one(variant: Variant) -> dict:
            deep = ["--max-background=64"] * (variant.name == DEEP)
            return link(sample, variant, [f"--latency={latency}", f"--bandwidth={bandwidth}",
                                          *deep], scratch)
        runs = harness.in_turn(every, links.scaled(1, factor), one, lambda variant, run: (
            f"{latency} ms, {bandwidth} MB/s, {variant.name}: {run['seconds']:.2f} s, "
            f"{run['reads']} reads, {format_bytes(run['bytes'])}"))
        points.append({"latency": latency, "bandwidth": bandwidth, "runs": runs})
    outputs = {run["outputs"] for point in points
               for several in point["runs"].values() for run in several}
    return {"title": sample.title, "inputs": len(sample.files()), "bytes": size,
            "touched": touched, "warm": warm, "same": len(outputs) == 1, "points": points}


def measure_names(factor: float) -> dict | None:
    """Measures links through a view whose lookups and opens take as long as a read."""
    if not has_view():
        return None
    measured = []
    for sample, scratch in samples_in_view():
        store_profile(sample, scratch)
        for latency in NAME_LATENCIES:
            view = [f"--latency={latency}", f"--lookup-latency={latency}", "--bandwidth=200"]
            runs = harness.in_turn(
                links.plain_variants(sample, scratch / "profile"), links.scaled(1, factor),
                lambda variant: link(sample, variant, view, scratch), lambda variant, run: (
                    f"{sample.title}, {latency} ms, {variant.name}: {run['seconds']:.2f} s"))
            measured.append({"title": sample.title, "latency": latency, "runs": runs})
    return {"title": "High latency, names too", "points": measured}


def text_names(figures: dict) -> str:
    outputs: dict[str, set] = {}
    cells = []
    for point in figures["points"]:
        base = seconds(point, "stock")
        row = [point["title"], f"{point['latency']} ms"]
        for name, runs in point["runs"].items():
            outputs.setdefault(point["title"], set()).update(run["outputs"] for run in runs)
            names = sum(seconds(point, name, what) for what in ("lookups", "opens", "listings"))
            row.append(f"{seconds(point, name):.1f} s "
                       f"({seconds(point, name) / base:.2f}), {names:,.0f}")
        cells.append(row)
    same = all(len(each) == 1 for each in outputs.values())
    return section("High-latency names",
                   "The view above at 200 MB/s; lookups, opens and listings take as long as reads. "
                   "Cells: time (ratio to stock), number of lookups, opens and listings. "
                   "Each link ran once." + sameness(same),
                   ["link", "latency", "stock", "first link", "next link"], cells)


def has_view() -> bool:
    if FARFS.exists() and subprocess.run([str(FARFS), "/tmp", "/tmp", "--", "true"],
                                         stderr=subprocess.DEVNULL).returncode == 0:
        return True
    say("   skipped: a view needs libfuse 3, and root or fusermount3")
    return False


def measure(factor: float) -> dict | None:
    if not has_view():
        return None
    return {"title": "High latency", "flavours": [
        measure_one(sample, scratch, factor) for sample, scratch in samples_in_view()]}


def seconds(point: dict, variant: str, what: str = "seconds") -> float:
    return statistics.median(run[what] for run in point["runs"][variant])


def limit(flavour: dict, point: dict) -> float:
    """The least time for the bytes, the warm link and some round trips."""
    return max(flavour["warm"],
               flavour["touched"] / (point["bandwidth"] * 1e6)) \
        + ROUND_TRIPS * point["latency"] / 1000


def rows(flavour: dict, bandwidth: int) -> list[list[str]]:
    result = []
    for point in flavour["points"]:
        if point["bandwidth"] != bandwidth:
            continue
        least = limit(flavour, point)
        cells = [flavour["title"].split(":")[0], f"{point['latency']:g} ms"]
        for variant in ("stock", CAT, WARM, FIRST, NEXT, DEEP):
            took = seconds(point, variant)
            cells.append(f"{took:.1f} s ({took / least:.1f})")
        cells.append(" / ".join(f"{seconds(point, variant, 'reads'):,.0f}"
                                for variant in ("stock", FIRST, NEXT)))
        result.append(cells)
    return result


def text(figures: dict) -> str:
    return "\n".join([
        "## High-latency inputs", "",
        "A FUSE view (`utils/farfs`) adds a latency to each read and limits the bandwidth to "
        "200 MB/s. Opening a file costs nothing. The *limit* is the warm link or the transfer of "
        f"the touched bytes, whichever takes longer, plus {ROUND_TRIPS} round trips. Cells: time "
        "(ratio to the limit). FUSE serves 12 requests at once by default; `max_background` raises "
        "that. Each link ran once.", "",
        *(f"- {flavour['title']}: {flavour['inputs']:,} files, {format_bytes(flavour['bytes'])}; "
          f"the linker touches {format_bytes(flavour['touched'])}; warm {flavour['warm']:.2f} s."
          + sameness(flavour["same"]) for flavour in figures["flavours"]),
        "", *table(["link", "latency", "stock", CAT, WARM, "first link", "next link",
                    "first link, max_background=64", "reads: stock / first / next"],
                   [row for flavour in figures["flavours"] for row in rows(flavour, 200)])])


def heat_plot(figures: dict) -> dict:
    """Ratios of a first link to stock and to the limit, for each flavour."""
    panels = []
    for flavour in figures["flavours"]:
        for what, base in (("stock", lambda point: seconds(point, "stock")),
                           ("the limit", functools.partial(limit, flavour))):
            cells = [[seconds(point, FIRST) / base(point) for point in flavour["points"]
                      if point["bandwidth"] == bandwidth] for bandwidth in BANDWIDTHS]
            panels.append({"title": f"{flavour['title'].split(':')[0]}, relative to {what}",
                           "cells": cells, "middle": 1 if what == "stock" else 1.3})
    return {"kind": "heat", "title": "High-latency inputs: a first link",
            "panels": panels, "columns": [f"{each:g} ms" for each in LATENCIES],
            "rows": [f"{each} MB/s" for each in BANDWIDTHS],
            "alt": "Times of a first link relative to stock and to the least "
                   "possible time, by latency and bandwidth"}


# -- real mounts -------------------------------------------------------------------

DELAYS = (1, 5, 20)  # ms, round trip
CHUNK = 1 << 18


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def make_keys(scratch: pathlib.Path, port: int) -> None:
    for name in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(scratch / name)],
                       check=True)
    (scratch / "sshd.conf").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {scratch}/host\n"
        f"AuthorizedKeysFile {scratch}/user.pub\nPermitRootLogin yes\n"
        "StrictModes no\nUsePAM no\nPidFile none\nSubsystem sftp internal-sftp\n")
    pathlib.Path("/run/sshd").mkdir(exist_ok=True)


def make_password(scratch: pathlib.Path, _: int) -> None:
    (scratch / "passwd").write_text("headstart:headstart")
    (scratch / "passwd").chmod(0o600)


def serves_s3() -> bool:
    """Whether rclone can serve S3, which it does since 1.65."""
    return subprocess.run(["rclone", "serve", "s3", "--help"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


@dataclasses.dataclass
class Mount:
    """A file system: the commands that serve it and mount it."""
    name: str
    programs: list[str]
    serve: str
    mount: str
    prepare: Callable[[pathlib.Path, int], None] = lambda scratch, port: None

    def missing(self) -> str:
        missing = [name for name in self.programs
                   if not shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin")]
        if not missing and "s3fs" in self.programs and not serves_s3():
            return "this rclone cannot serve S3, 1.65 can"
        return f"no {', '.join(missing)}" if missing else ""


MOUNTS = [
    Mount("sshfs", ["sshfs", "sshd", "ssh-keygen"], "/usr/sbin/sshd -D -f {scratch}/sshd.conf",
          "sshfs -p {port} -o ro,IdentityFile={scratch}/user,StrictHostKeyChecking=no,"
          "UserKnownHostsFile=/dev/null,LogLevel=ERROR root@127.0.0.1:{directory} {directory}",
          make_keys),
    Mount("rclone mount, webdav", ["rclone"],
          "rclone serve webdav {directory} --read-only --addr 127.0.0.1:{port} -q",
          "rclone mount :webdav,url=\"http://127.0.0.1:{port}\": {directory} --read-only --daemon "
          "--allow-non-empty -q"),
    # The bucket is the directory in its parent.
    Mount("s3fs", ["rclone", "s3fs"],
          "rclone serve s3 {directory.parent} --read-only --auth-key headstart,headstart --addr "
          "127.0.0.1:{port} -q",
          "s3fs {directory.name} {directory} -o ro,nonempty,passwd_file={scratch}/passwd,"
          "use_path_request_style,url=http://127.0.0.1:{port}", make_password)]


@contextlib.contextmanager
def running(command: list[str], port: int) -> Iterator[None]:
    """Runs a server to the end of the block. Waits first until the port responds."""
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        else:
            sys.exit(f"error: {command[0]} does not respond")
        yield
    finally:
        server.terminate()
        server.wait()


async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, seconds: float) -> None:
    """Writes all data that the reader has, each piece after the delay."""
    loop = asyncio.get_running_loop()
    with contextlib.suppress(OSError):
        while data := await reader.read(CHUNK):
            loop.call_later(seconds, writer.write, data)
    loop.call_later(seconds, writer.close)


async def serve(port: int, to_port: int, seconds: float) -> None:
    """Forwards a port of the loopback. Half of the delay applies in each direction, in order."""
    async def connected(reader, writer):
        to_reader, to_writer = await asyncio.open_connection("127.0.0.1", to_port)
        await asyncio.gather(pump(reader, to_writer, seconds / 2),
                             pump(to_reader, writer, seconds / 2))

    server = await asyncio.start_server(connected, "127.0.0.1", port, limit=4 * CHUNK)
    async with server:
        await server.serve_forever()


def inside(mount: list[str], directory: str, link: list[str], argv0: str) -> None:
    """Mounts, links and prints the time. Runs in a mount namespace of its own."""
    marker = next(os.scandir(directory)).name
    subprocess.run(mount, check=True)
    for _ in range(100):  # the mount may continue in the background
        if os.path.ismount(directory) and os.path.exists(f"{directory}/{marker}"):
            break
        time.sleep(0.05)
    begin = time.monotonic()
    status = subprocess.run([argv0, *link[1:]], executable=link[0],
                            stdout=subprocess.DEVNULL).returncode
    seconds = time.monotonic() - begin
    subprocess.run(["umount", "-l", directory])
    print(json.dumps({"seconds": seconds, "status": status}))


def link_mounted(sample: Sample, variant: Variant, mount: list[str], scratch: pathlib.Path) -> dict:
    out = scratch / "out"
    harness.empty(out)
    command = [str(variant.program), *variant.options, *sample.arguments_for(out)]
    done = subprocess.run(["unshare", "-m", "--propagation", "private", sys.executable, __file__,
                           "inside", json.dumps([mount, str(sample.directory), command,
                                                 variant.argv0])],
                          stdout=subprocess.PIPE, timeout=600)
    result = json.loads(done.stdout or b'{"status": 1}')
    if result["status"] != 0:
        sys.exit(f"error: {variant.name} failed")
    return {"seconds": result["seconds"], "outputs": harness.hash_of(out)}


def measure_mount(mount: Mount, sample: Sample, rounds: int) -> list[dict]:
    points = []
    with contextlib.ExitStack() as stack:
        scratch = stack.enter_context(harness.scratch_in(sample.directory.parent))

        def command(template: str, port: int) -> list[str]:
            return [part.format(directory=sample.directory, scratch=scratch, port=port)
                    for part in template.split()]
        port, near = free_port(), free_port()
        mount.prepare(scratch, port)
        stack.enter_context(running(command(mount.serve, port), port))
        variants = links.plain_variants(sample, scratch / "profile")
        for delay in DELAYS:
            with running([sys.executable, __file__, "delay", str(near), str(port), str(delay)],
                         near):
                def one(variant: Variant) -> dict:
                    return link_mounted(sample, variant, command(mount.mount, near), scratch)
                one(variants[-1])  # stores a profile
                points.append({"delay": delay, "runs": harness.in_turn(
                    variants, rounds, one, lambda variant, run: (
                        f"{mount.name}, {delay} ms, {variant.name}: {run['seconds']:.2f} s"))})
            near = free_port()
    return points


def measure_mounts(factor: float) -> dict | None:
    if not harness.can_mount():
        return None
    result = []
    for sample in (samples.coff_small(), samples.macho_small()):
        harness.warm_up(sample.inputs)
        for mount in MOUNTS:
            if mount.missing():
                say(f"   {mount.name} skipped: {mount.missing()}")
                continue
            result.append({"mount": mount.name, "title": sample.title,
                           "points": measure_mount(mount, sample, links.scaled(1, factor))})
    return {"title": "Real mounts", "mounts": result} if result else None


def text_mounts(figures: dict) -> str:
    rows, same = [], True
    for one in figures["mounts"]:
        cells = [one["title"], one["mount"]]
        for point in one["points"]:
            took = [seconds(point, variant) for variant in point["runs"]]
            same &= len({run["outputs"] for runs in point["runs"].values() for run in runs}) == 1
            cells += [f"{took[0]:.2f} s", " / ".join(
                f"{each:.2f} s ({each / took[0]:.2f})" for each in took[1:])]
        rows.append(cells)
    delays = [f"{point['delay']} ms" for point in figures["mounts"][0]["points"]]
    return section("Real mounts",
                   "This machine serves the files through a delay; each link mounts them anew, "
                   "read-only, with default options otherwise. Times of stock, and of the first "
                   "and the next link (ratios to stock). Each link ran once." + sameness(same),
                   ["link", "mount", *(cell for delay in delays
                                       for cell in (f"{delay}: stock", "first / next"))],
                   grouped(rows))


if __name__ == "__main__":
    if sys.argv[1] == "delay":
        asyncio.run(serve(int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]) / 1000))
    else:
        inside(*json.loads(sys.argv[2]))
