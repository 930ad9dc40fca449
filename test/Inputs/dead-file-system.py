"""A file system that stops to answer, and a command beside it.

    dead-file-system.py FOLDER CALL -- COMMAND...

Mounts a file system at FOLDER (made and removed) that has the files a.o to z.o, of
one size. It answers all calls but CALL (lookup, open or read), which it takes and
never answers. Runs COMMAND for at most 30 s, prints "exit status N" or "does not
end", and exits with 0 or 1. Needs root and /dev/fuse; speaks the kernel's protocol
itself (Linux, include/uapi/linux/fuse.h).
"""

import ctypes
import os
import struct
import subprocess
import sys
import threading

LOOKUP, FORGET, GETATTR, OPEN, READ, STATFS, RELEASE = 1, 2, 3, 14, 15, 17, 18
FLUSH, INIT, OPENDIR, READDIR, RELEASEDIR, BATCH_FORGET = 25, 26, 27, 28, 29, 42
CALLS = {"lookup": LOOKUP, "open": OPEN, "read": READ}
ENOENT, ENOSYS = 2, 38
SIZE = 100_000
LIBC = ctypes.CDLL(None, use_errno=True)


def attributes(node):
    mode, size = (0o40755, 0) if node == 1 else (0o100644, SIZE)
    return struct.pack("<6Q10I", node, size, (size + 511) // 512, 1, 1, 1,
                       0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)


def answer(call, node, body):
    """The reply, or an error's number, or None where there is to be none."""
    if call == INIT:
        # Reads, and looks into one folder, may be many at a time.
        return struct.pack("<IIIIHHIIHHI", 7, 31, 65536, 1 | 1 << 18, 16, 12,
                           65536, 1, 16, 0, 0) + bytes(28)
    if call == LOOKUP:
        name = body.rstrip(b"\0")
        if len(name) != 3 or not name.endswith(b".o"):
            return ENOENT
        node = name[0]
        return struct.pack("<4Q2I", node, 0, 3600, 3600, 0, 0) + attributes(node)
    if call == GETATTR:
        return struct.pack("<QII", 3600, 0, 0) + attributes(node)
    if call in (OPEN, OPENDIR):
        return struct.pack("<QII", node, 0, 0)
    if call == READ:
        offset, size = struct.unpack_from("<QI", body, 8)
        return bytes(max(0, min(size, SIZE - offset)))
    if call in (RELEASE, RELEASEDIR, FLUSH, READDIR):
        return b""
    if call == STATFS:
        return bytes(80)
    if call in (FORGET, BATCH_FORGET):
        return None
    return ENOSYS


def serve(device, dead):
    while True:
        try:
            request = os.read(device, 1 << 18)
        except OSError:
            return  # unmounted
        _, call, unique, node = struct.unpack_from("<IIQQ", request)
        if call == dead:
            continue
        reply = answer(call, node, request[40:])
        if reply is None:
            continue
        error, data = (reply, b"") if isinstance(reply, int) else (0, reply)
        os.write(device, struct.pack("<IiQ", 16 + len(data), -error, unique) + data)


def main() -> int:
    folder, call = sys.argv[1:3]
    os.makedirs(folder, exist_ok=True)
    device = os.open("/dev/fuse", os.O_RDWR)
    options = f"fd={device},rootmode=40000,user_id=0,group_id=0"
    if LIBC.mount(b"dead", os.fsencode(folder), b"fuse", 0, options.encode()):
        print("cannot mount:", os.strerror(ctypes.get_errno()))
        return 77
    threading.Thread(target=serve, args=(device, CALLS[call]), daemon=True).start()
    ended = True
    child = subprocess.Popen(sys.argv[4:])
    try:
        print("exit status", child.wait(timeout=30))
    except subprocess.TimeoutExpired:
        print("does not end")
        ended = False
    # By force: all that still waits for an answer gets an error.
    child.kill()
    LIBC.umount2(os.fsencode(folder), 1)
    LIBC.umount2(os.fsencode(folder), 2)
    child.wait()
    os.rmdir(folder)
    return 0 if ended else 1


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)
    sys.exit(main())
