"""Threads without the system call renameat2, like systems and file systems that cannot exchange two names."""

import ctypes
import errno
import os
import struct
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 38, 22, 2
_LOAD_WORD, _JUMP_IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
_REFUSE, _ALLOW = 0x00050000, 0x7FFF0000
_RENAMEAT2 = {"x86_64": 316, "aarch64": 276}


def forbid_exchange() -> None:
    """Make renameat2 fail with ENOSYS in this thread and its children, permanently (seccomp)."""
    program = [
        (_LOAD_WORD, 0, 0, 0),  # the number of the system call
        (_JUMP_IF_EQUAL, 0, 1, _RENAMEAT2[os.uname().machine]),
        (_RETURN, 0, 0, _REFUSE | errno.ENOSYS),
        (_RETURN, 0, 0, _ALLOW),
    ]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in program))
    pointer = struct.pack("HxxxxxxQ", len(program), ctypes.addressof(code))
    library = ctypes.CDLL(None, use_errno=True)
    calls = [(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), (_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, pointer, 0, 0)]
    for call in calls:
        if library.prctl(*call):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def without_exchange(task: Callable[..., object], *arguments: object) -> object:
    """Call `task` in a new thread without renameat2."""
    with ThreadPoolExecutor(1, initializer=forbid_exchange) as thread:
        return thread.submit(task, *arguments).result()
