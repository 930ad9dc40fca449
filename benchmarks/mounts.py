"""Measures links over real mounts of this machine's own files: sshfs, rclone, s3fs.

A server on the loopback serves the files through a delay. Each link
mounts them over its inputs in a mount namespace of its own, so that it starts cold
and leaves nothing behind. Needs root.
"""

import asyncio
import contextlib
import dataclasses
import json
import os
import pathlib
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import time
from typing import Callable, Iterator

import harness
import links
import samples
from figures import grouped, sameness, table
from harness import Variant, say
from links import Sample

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
        gone = [name for name in self.programs
                if not shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin")]
        if not gone and "s3fs" in self.programs and not serves_s3():
            return "this rclone cannot serve S3, 1.65 can"
        return f"no {', '.join(gone)}" if gone else ""


MOUNTS = [
    Mount("sshfs", ["sshfs", "sshd", "ssh-keygen"], "/usr/sbin/sshd -D -f {scratch}/sshd.conf",
          "sshfs -p {port} -o ro,IdentityFile={scratch}/user,StrictHostKeyChecking=no,"
          "UserKnownHostsFile=/dev/null,LogLevel=ERROR root@127.0.0.1:{folder} {folder}",
          make_keys),
    Mount("rclone mount, webdav", ["rclone"],
          "rclone serve webdav {folder} --read-only --addr 127.0.0.1:{port} -q",
          "rclone mount :webdav,url=\"http://127.0.0.1:{port}\": {folder} --read-only --daemon "
          "--allow-non-empty -q"),
    # The bucket is the directory in its parent.
    Mount("s3fs", ["rclone", "s3fs"],
          "rclone serve s3 {folder.parent} --read-only --auth-key headstart,headstart --addr "
          "127.0.0.1:{port} -q",
          "s3fs {folder.name} {folder} -o ro,nonempty,passwd_file={scratch}/passwd,"
          "use_path_request_style,url=http://127.0.0.1:{port}", make_password)]


@contextlib.contextmanager
def running(command: list[str], port: int) -> Iterator[None]:
    """Runs a server to the end of the block. Waits first until the port answers."""
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        else:
            sys.exit(f"error: {command[0]} does not answer")
        yield
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait()


async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, seconds: float) -> None:
    loop = asyncio.get_running_loop()
    waiting: asyncio.Queue = asyncio.Queue()

    async def deliver() -> None:
        while True:
            due, data = await waiting.get()
            await asyncio.sleep(max(0.0, due - loop.time()))
            if not data:
                break
            writer.write(data)
            await writer.drain()
        writer.close()

    task = asyncio.create_task(deliver())
    data = b"x"
    while data:
        try:
            data = await reader.read(CHUNK)
        except OSError:
            data = b""
        await waiting.put((loop.time() + seconds, data))
    with contextlib.suppress(OSError):
        await task


async def serve(port: int, to_port: int, seconds: float) -> None:
    """Forwards a port of the loopback to another. Half of the delay applies in each
    direction; the data keeps its order."""
    async def connected(reader, writer):
        there = await asyncio.open_connection("127.0.0.1", to_port)
        await asyncio.gather(pump(reader, there[1], seconds / 2),
                             pump(there[0], writer, seconds / 2))

    server = await asyncio.start_server(connected, "127.0.0.1", port, limit=4 * CHUNK)
    async with server:
        await server.serve_forever()


def inside(mount: list[str], folder: str, link: list[str], argv0: str) -> None:
    """Mounts, links and prints the time. Runs in a mount namespace of its own."""
    marker = next(os.scandir(folder)).name
    subprocess.run(mount, check=True)
    for _ in range(100):  # the mount may continue in the background
        if os.path.ismount(folder) and os.path.exists(f"{folder}/{marker}"):
            break
        time.sleep(0.05)
    begin = time.monotonic()
    status = subprocess.run([argv0, *link[1:]], executable=link[0],
                            stdout=subprocess.DEVNULL).returncode
    seconds = time.monotonic() - begin
    subprocess.run(["umount", "-l", folder])
    print(json.dumps({"seconds": seconds, "status": status}))


def link(sample: Sample, way: Variant, mount: list[str], scratch: pathlib.Path) -> dict:
    out = scratch / "out"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    words = [str(way.program), *way.options, *sample.arguments(out)]
    done = subprocess.run(["unshare", "-m", "--propagation", "private", sys.executable, __file__,
                           "inside", json.dumps([mount, str(sample.folder), words, way.argv0])],
                          stdout=subprocess.PIPE, timeout=600)
    told = json.loads(done.stdout or b'{"status": 1}')
    if told["status"] != 0:
        sys.exit(f"error: {way.name} failed")
    return {"seconds": told["seconds"], "outputs": harness.hash_of(out)}


def measure_mount(mount: Mount, sample: Sample, rounds: int) -> list[dict]:
    points = []
    with contextlib.ExitStack() as stack:
        scratch = stack.enter_context(harness.scratch_in(sample.folder.parent))

        def command(template: str, port: int) -> list[str]:
            return [word.format(folder=sample.folder, scratch=scratch, port=port)
                    for word in template.split()]
        port, near = free_port(), free_port()
        mount.prepare(scratch, port)
        stack.enter_context(running(command(mount.serve, port), port))
        ways = links.ways(sample, scratch / "profile")
        for delay in DELAYS:
            with running([sys.executable, __file__, "delay", str(near), str(port), str(delay)], near):
                words = command(mount.mount, near)
                link(sample, ways[-1], words, scratch)  # stores a profile

                def one(way: Variant) -> dict:
                    run = link(sample, way, words, scratch)
                    say(f"    {mount.name}, {delay} ms, {way.name}: {run['seconds']:.2f} s")
                    return run
                points.append({"delay": delay, "runs": harness.in_turn(
                    {way.name: way for way in ways}, rounds, one)})
            near = free_port()
    return points


def measure(factor: float) -> dict | None:
    if os.geteuid() != 0:
        say("   skipped: mounting needs root")
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


def text(figures: dict) -> str:
    rows, same = [], True
    for one in figures["mounts"]:
        cells = [one["title"], one["mount"]]
        for point in one["points"]:
            took = [statistics.median(run["seconds"] for run in runs)
                    for runs in point["runs"].values()]
            same &= len({run["outputs"] for runs in point["runs"].values() for run in runs}) == 1
            cells += [f"{took[0]:.2f} s", " / ".join(
                f"{each:.2f} s ({each / took[0]:.2f})" for each in took[1:])]
        rows.append(cells)
    delays = [f"{point['delay']} ms" for point in figures["mounts"][0]["points"]]
    return "\n".join(["## Real mounts", "",
                      "This machine serves the files through a delay; each link mounts them anew, "
                      "read-only, with default options otherwise. Times of stock, and of the first "
                      "and the next link (ratios to stock). Each link ran once." + sameness(same),
                      "", *table(["link", "mount", *(cell for delay in delays for cell in
                                                     (f"{delay}: stock", "first / next"))],
                                  grouped(rows))])


if __name__ == "__main__":
    if sys.argv[1] == "delay":
        asyncio.run(serve(int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]) / 1000))
    else:
        inside(*json.loads(sys.argv[2]))
