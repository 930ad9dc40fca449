"""A bot for BuildGrid that runs actions one by one; BuildGrid's package has none.

    python3 bot.py HOST:PORT DIRECTORY VIEWS

It needs the Python that BuildGrid is installed for, since it uses BuildGrid's messages.
It fetches the inputs of an action into DIRECTORY/blobs and links them into the action's
root. It reads the file VIEWS before each action: its {"view": [...]} is a command that
mounts the root with a latency; without one the action sees the root itself. It appends
the seconds of each action to DIRECTORY/actions.json as a line.
"""

import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time
from typing import Dict, Iterable, List

import grpc
from buildgrid._protos.build.bazel.remote.execution.v2 import (
    remote_execution_pb2 as re, remote_execution_pb2_grpc as re_grpc)
from buildgrid._protos.google.bytestream import (
    bytestream_pb2, bytestream_pb2_grpc)
from buildgrid._protos.google.devtools.remoteworkers.v1test2 import (
    bots_pb2, bots_pb2_grpc)

BATCH = 3_000_000  # bytes: below the limit of a gRPC message


class Store:
    """The server's store of blobs, and the blobs that are already on this machine."""

    def __init__(self, channel: grpc.Channel, folder: pathlib.Path):
        self.cas = re_grpc.ContentAddressableStorageStub(channel)
        self.bytes = bytestream_pb2_grpc.ByteStreamStub(channel)
        self.folder = folder
        folder.mkdir()

    def read(self, digest: re.Digest) -> bytes:
        name = f"blobs/{digest.hash}/{digest.size_bytes}"
        request = bytestream_pb2.ReadRequest(resource_name=name)
        return b"".join(part.data for part in self.bytes.Read(request))

    def message(self, digest: re.Digest, kind):
        return kind.FromString(self.read(digest))

    def path(self, digest: re.Digest) -> pathlib.Path:
        return self.folder / digest.hash

    def fetch(self, digests: Iterable[re.Digest]) -> None:
        missing = {digest.hash: digest for digest in digests
                   if not self.path(digest).exists()}
        batch: List[re.Digest] = []
        for digest in missing.values():
            if digest.size_bytes > BATCH:
                self.path(digest).write_bytes(self.read(digest))
                continue
            if sum(each.size_bytes for each in batch) + digest.size_bytes > BATCH:
                self.fetch_batch(batch)
                batch = []
            batch.append(digest)
        self.fetch_batch(batch)

    def fetch_batch(self, digests: List[re.Digest]) -> None:
        if not digests:
            return
        request = re.BatchReadBlobsRequest(digests=digests)
        for answer in self.cas.BatchReadBlobs(request).responses:
            self.path(answer.digest).write_bytes(answer.data)

    def write(self, data: bytes) -> re.Digest:
        digest = re.Digest(hash=hashlib.sha256(data).hexdigest(),
                           size_bytes=len(data))
        name = f"uploads/{digest.hash[:32]}/blobs/{digest.hash}/{len(data)}"

        def parts():
            for at in range(0, max(len(data), 1), BATCH):
                yield bytestream_pb2.WriteRequest(
                    resource_name=name, write_offset=at,
                    finish_write=at + BATCH >= len(data),
                    data=data[at:at + BATCH])
        self.bytes.Write(parts())
        return digest


def lay_out(store: Store, root: pathlib.Path, top: re.Digest) -> None:
    """Makes the action's root of links to the blobs."""
    pages = store.cas.GetTree(re.GetTreeRequest(root_digest=top))
    folders: Dict[str, re.Directory] = {}
    for page in pages:
        for folder in page.directories:
            data = folder.SerializeToString(deterministic=True)
            folders[hashlib.sha256(data).hexdigest()] = folder
    store.fetch(file.digest for folder in folders.values()
                for file in folder.files)

    def fill(path: pathlib.Path, digest: re.Digest) -> None:
        path.mkdir(exist_ok=True)
        folder = folders[digest.hash]
        for file in folder.files:
            os.link(store.path(file.digest), path / file.name)
        for inner in folder.directories:
            fill(path / inner.name, inner.digest)
    fill(root, top)


def in_root(root: pathlib.Path, view: List[str], words: List[str]) -> List[str]:
    """Returns the command that sees its root through the view. With a view, the action's
    outputs are outside the root, since a view is read-only."""
    outputs = root / "bazel-out"
    outputs.mkdir(exist_ok=True)
    if not view:
        return words
    written = root.with_name("written")
    shutil.move(outputs, written)
    outputs.mkdir()
    return [*view, str(root), str(root), "--", "sh", "-c",
            'mount --bind "$0" "$1" && cd "$2" && shift 2 && exec "$@"',
            str(written), str(outputs), str(root), *words]


def run(store: Store, place: pathlib.Path, action: re.Action) -> re.ActionResult:
    shutil.rmtree(place, ignore_errors=True)
    root = place / f"{time.monotonic_ns()}"  # a new directory for each action
    root.mkdir(parents=True)
    command = store.message(action.command_digest, re.Command)
    lay_out(store, root, action.input_root_digest)
    for path in [*command.output_files, *command.output_paths]:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
    ways = json.loads(pathlib.Path(sys.argv[3]).read_text())
    view = ways.get("view", [])
    environment = {each.name: each.value
                   for each in command.environment_variables}
    words = in_root(root, view, list(command.arguments))
    begin = time.monotonic()
    done = subprocess.run(words, cwd=place if view else root, env=environment,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    ran = time.monotonic()
    result = re.ActionResult(exit_code=done.returncode, stdout_raw=done.stdout,
                             stderr_raw=done.stderr)
    for path in {*command.output_files, *command.output_paths}:
        file = root / path
        if view and path.startswith("bazel-out/"):
            file = place / "written" / path.partition("/")[2]
        if file.is_file():
            result.output_files.append(re.OutputFile(
                path=path, digest=store.write(file.read_bytes()),
                is_executable=os.access(file, os.X_OK)))
    with open(place.parent / "actions.json", "a", encoding="utf-8") as log:
        log.write(json.dumps({
            "program": command.arguments[0], "status": done.returncode,
            "run": ran - begin}) + "\n")
    return result


def work(channel: grpc.Channel, place: pathlib.Path) -> None:
    bots = bots_pb2_grpc.BotsStub(channel)
    store = Store(channel, place / "blobs")
    session = bots.CreateBotSession(bots_pb2.CreateBotSessionRequest(
        bot_session=bots_pb2.BotSession(bot_id="headstart", status=bots_pb2.OK)),
        timeout=15)
    while True:
        for lease in session.leases:
            if lease.state == bots_pb2.PENDING:
                lease.state = bots_pb2.ACTIVE  # the action runs after the server knows
            elif lease.state == bots_pb2.ACTIVE:
                action = re.Action()
                lease.payload.Unpack(action)
                lease.result.Pack(run(store, place / "root", action))
                lease.state = bots_pb2.COMPLETED
        session = bots.UpdateBotSession(
            bots_pb2.UpdateBotSessionRequest(name=session.name,
                                             bot_session=session), timeout=60)


if __name__ == "__main__":
    with grpc.insecure_channel(sys.argv[1]) as to_server:
        work(to_server, pathlib.Path(sys.argv[2]))
