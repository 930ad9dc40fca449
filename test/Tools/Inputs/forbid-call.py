#!/usr/bin/env python3
"""forbid-call.py NUMBER COMMAND...: runs a command to which the system call NUMBER is
not there (ENOSYS), as in a container with a filter (seccomp)."""

import ctypes
import errno
import os
import struct
import sys

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
LOAD_WORD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
FAIL, ALLOW = 0x00050000, 0x7FFF0000


def instruction(code, value, if_true=0, if_false=0):
    return struct.pack("HBBI", code, if_true, if_false, value)


def main():
    number = int(sys.argv[1])
    code = b"".join([
        instruction(LOAD_WORD, 0),  # the call's number
        instruction(JUMP_IF_EQUAL, number, 0, 1),
        instruction(RETURN, FAIL | errno.ENOSYS),
        instruction(RETURN, ALLOW)])
    buffer = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    for words in ((PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
                  (PR_SET_SECCOMP, SECCOMP_MODE_FILTER,
                   ctypes.create_string_buffer(program), 0, 0)):
        if libc.prctl(*words) != 0:
            raise OSError(ctypes.get_errno(), "prctl")
    os.execvp(sys.argv[2], sys.argv[2:])


main()
