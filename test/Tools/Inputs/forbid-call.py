#!/usr/bin/env python3
"""forbid-call.py CALLS[:ERROR] COMMAND...: runs a command with a filter of system
calls (seccomp), as containers have them.

CALLS are numbers, `pagemap-scan` (only that ioctl), or `docker` (on x86-64 the calls
that Docker's default profile forbids), separated by commas. They fail with ERROR:
EPERM as in a container, or ENOSYS (the default) as on a kernel that lacks them.
"""

import ctypes
import errno
import os
import platform
import struct
import sys

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
LOAD_WORD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
FAIL, ALLOW = 0x00050000, 0x7FFF0000
NUMBER, SECOND_ARGUMENT = 0, 24  # offsets in struct seccomp_data
IOCTL = {"x86_64": 16}.get(platform.machine(), 29)
PAGEMAP_SCAN = 0xC0606610
# https://docs.docker.com/engine/security/seccomp: acct, add_key, bpf,
# clock_adjtime, clock_settime, delete_module, finit_module, get_mempolicy,
# init_module, ioperm, iopl, io_uring_*, kcmp, kexec_*, keyctl, lookup_dcookie, mbind,
# mount, move_pages, name_to_handle_at, open_by_handle_at, perf_event_open,
# pivot_root, process_vm_*, ptrace, quotactl, reboot, request_key, set_mempolicy, setns,
# settimeofday, stime, swapoff, swapon, _sysctl, sysfs, syslog, umount2, unshare, uselib,
# userfaultfd, fanotify_init, and those for mounts of Linux 5.2 and later.
DOCKER = [
    163, 248, 321, 305, 227, 176, 313, 239, 175, 173, 172, 425, 426, 427, 312, 246, 320,
    250, 212, 237, 165, 279, 303, 304, 298, 155, 310, 311, 101, 179, 169, 249, 238, 308,
    164, 168, 167, 156, 139, 103, 166, 272, 134, 323, 300, 428, 429, 430, 431, 432, 433,
    442]


def instruction(code, value, if_true=0, if_false=0):
    return struct.pack("HBBI", code, if_true, if_false, value)


def forbid(call, error):
    """The instructions that let `call` fail; the number is loaded before and after."""
    fail = instruction(RETURN, FAIL | error)
    if call == "pagemap-scan":
        return b"".join([
            instruction(JUMP_IF_EQUAL, IOCTL, 0, 4),
            instruction(LOAD_WORD, SECOND_ARGUMENT),
            instruction(JUMP_IF_EQUAL, PAGEMAP_SCAN, 0, 1),
            fail,
            instruction(LOAD_WORD, NUMBER)])
    return instruction(JUMP_IF_EQUAL, int(call), 0, 1) + fail


def main():
    calls, _, error = sys.argv[1].partition(":")
    error = getattr(errno, error or "ENOSYS")
    code = instruction(LOAD_WORD, NUMBER)
    for call in calls.split(","):
        for each in DOCKER if call == "docker" else [call]:
            code += forbid(each, error)
    code += instruction(RETURN, ALLOW)
    buffer = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    for args in ((PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
                  (PR_SET_SECCOMP, SECCOMP_MODE_FILTER,
                   ctypes.create_string_buffer(program), 0, 0)):
        if libc.prctl(*args) != 0:
            raise OSError(ctypes.get_errno(), "prctl")
    os.execvp(sys.argv[2], sys.argv[2:])


main()
