"""Runs a program under a filter that refuses it, and all that it starts, a seccomp filter of its own.

    python3 unsealable.py PROGRAM ARGUMENT...

So do some containers and kernels.
"""

import ctypes
import errno
import os
import platform
import struct
import sys

PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, SECCOMP_MODE_FILTER = 22, 38, 2
LOAD, JUMP_IF_EQUAL, ANSWER = 0x20, 0x15, 0x06
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | errno.EPERM
# Numbers of prctl and seccomp.
PRCTL, SECCOMP = {"x86_64": (157, 317), "aarch64": (167, 277)}[platform.machine()]


def refuse_filters():
    program = b"".join(struct.pack("=HBBI", *line) for line in [
        (LOAD, 0, 0, 0),                            # The number of the system call.
        (JUMP_IF_EQUAL, 4, 0, SECCOMP),
        (JUMP_IF_EQUAL, 0, 2, PRCTL),
        (LOAD, 0, 0, 16),                           # Its first argument.
        (JUMP_IF_EQUAL, 1, 0, PR_SET_SECCOMP),
        (ANSWER, 0, 0, ALLOW),
        (ANSWER, 0, 0, REFUSE)])

    class Filter(ctypes.Structure):
        _fields_ = [("count", ctypes.c_ushort), ("lines", ctypes.c_char_p)]

    prctl = ctypes.CDLL(None, use_errno=True).prctl
    whole = Filter(len(program) // 8, program)
    for arguments in (PR_SET_NO_NEW_PRIVS, 1), (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(whole)):
        if prctl(*arguments, *[0] * (5 - len(arguments))) != 0:
            raise OSError(ctypes.get_errno(), "prctl")


if __name__ == "__main__":
    refuse_filters()
    os.execv(sys.argv[1], sys.argv[1:])
