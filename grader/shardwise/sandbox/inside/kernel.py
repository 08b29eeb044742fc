"""The Linux system calls that Python has no function for, through ctypes: made ready first, made afterwards.

A job's process starts with cold caches and with memory that is copied as it is touched. Its system calls are
therefore put together once, by the server, and a job has but to make them.
"""

from __future__ import annotations

import ctypes
import os
import signal
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

# Values from include/uapi/linux/*.h of Linux 6.12; they are part of the kernel's stable interface.
CLONE_PIDFD = 0x1000
CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWPID = 0x20000, 0x8000000, 0x20000000
MS_NOSUID, MS_NODEV, MS_NOEXEC = 2, 4, 8
MS_REC, MS_PRIVATE = 16384, 1 << 18
PR_SET_PDEATHSIG, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT = 1, 22, 38, 47
PR_CAPBSET_DROP, _PR_SET_KEEPCAPS = 24, 8
_CAP_SETUID = 7
_PR_CAP_AMBIENT_CLEAR_ALL = 4
_SECCOMP_MODE_FILTER = 2
_CAPABILITY_VERSION_3 = 0x20080522
_NO_USER = 2**32 - 1
_LAST_CAPABILITY = 63  # the kernel answers EINVAL beyond the last one it knows
_SYS_CLONE = {"x86_64": 56, "aarch64": 220}.get(os.uname().machine, -1)

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long
_python = ctypes.PyDLL(None, use_errno=True)  # keeps the GIL during calls, as forking requires
_python.syscall.restype = ctypes.c_long
# Looked up here, for a name that only jobs use would be looked up by each of them.
_before_fork, _clone = _python.PyOS_BeforeFork, _python.syscall
_in_child, _in_parent = _python.PyOS_AfterFork_Child, _python.PyOS_AfterFork_Parent


@dataclass(frozen=True)
class Call:
    """One system call with its arguments, which must stay alive as long as it does."""

    name: str
    function: Callable[..., int]
    arguments: tuple[Any, ...]

    def make(self) -> int:
        """What the kernel answers; OSError if it refuses."""
        result = self.function(*self.arguments)
        if result < 0:
            raise _error(self.name)
        return result


def syscall(number: int, *arguments: object) -> Call:
    """A system call by its number."""
    return Call(f"system call {number}", _libc.syscall, (ctypes.c_long(number), *arguments))


def prctl(option: int, *arguments: int) -> Call:
    """prctl(2)."""
    padded = [ctypes.c_ulong(value) for value in (*arguments, 0, 0, 0, 0)[:4]]
    return Call(f"prctl {option}", _libc.prctl, (ctypes.c_int(option), *padded))


def mount(source: str, target: str, kind: str | None, flags: int, options: str | None = None) -> Call:
    """mount(2)."""
    encoded = [None if text is None else os.fsencode(text) for text in (source, target, kind, options)]
    arguments = (encoded[0], encoded[1], encoded[2], ctypes.c_ulong(flags), encoded[3])
    return Call(f"mount on {target}", _libc.mount, arguments)


def limit(resource: int, bound: int) -> Call:
    """prlimit(2) on oneself: a resource's limit, soft and hard alike."""
    both = struct.pack("=QQ", bound, bound)
    return Call(f"limit {resource}", _libc.prlimit, (ctypes.c_int(0), ctypes.c_int(resource), both, None))


def clone_into_namespaces(flags: int) -> tuple[int, int]:
    """Fork into new namespaces; (0, -1) in the child, (pid, pidfd) in the parent.

    A fork that Python does not know of leaves its locks and its list of threads as the parent had them,
    hence the three hooks.
    """
    pidfd = ctypes.c_int(-1)
    number, all_flags = ctypes.c_long(_SYS_CLONE), ctypes.c_ulong(flags | CLONE_PIDFD | signal.SIGCHLD)
    null = ctypes.c_void_p(None)
    at = ctypes.byref(pidfd)
    _before_fork()
    pid = int(_clone(number, all_flags, null, at, null, null))
    if pid == 0:
        _in_child()
        return 0, -1
    _in_parent()
    if pid < 0:
        raise _error("clone")
    return pid, pidfd.value


class _CapabilityHeader(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]


def shrink_bounding_set() -> None:
    """Rule out every capability for all programs to be started from here, as far as one may."""
    for capability in range(_LAST_CAPABILITY + 1):
        try:
            prctl(PR_CAPBSET_DROP, capability).make()
        except OSError:  # without CAP_SETPCAP the bounding set stays; no_new_privs makes it harmless
            break


def dropping_capabilities() -> list[Call]:
    """The calls that give up every capability for good: ambient, effective, permitted, inheritable."""
    return [prctl(PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL), _keeping(0)]


def _keeping(capabilities: int) -> Call:
    """capset(2): these of the first 32 stay effective and permitted, and no other."""
    header, sets = _CapabilityHeader(_CAPABILITY_VERSION_3, 0), (ctypes.c_uint32 * 6)(capabilities, capabilities)
    return Call("capset", _libc.capset, (ctypes.byref(header), ctypes.byref(sets)))


def become(*, user: int, group: int, reader: int) -> None:
    """Root becomes a user for good, and keeps one thing back: files are opened with the rights of `reader`.

    Linux exempts root from the limit on processes, and looks at the real user for that; who may read a file
    depends on the file-system user (setfsuid(2)) instead. So an interpreter that only its owner can read needs
    neither a process of root's nor a capability. The caller drops those that are left.
    """
    prctl(_PR_SET_KEEPCAPS, 1).make()
    os.setgroups([])
    os.setresgid(group, group, group)
    os.setresuid(user, user, user)
    _keeping(1 << _CAP_SETUID).make()
    _libc.setfsuid(ctypes.c_uint32(reader))
    if _libc.setfsuid(ctypes.c_uint32(_NO_USER)) != reader:  # it never fails, and returns who it was before
        raise PermissionError(f"setfsuid: files are not opened as user {reader}")


class _FilterProgram(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


def loading_seccomp(program: ctypes.Array[ctypes.c_char]) -> Call:
    """The call that installs a filter on this thread and all it will start, as it then stands in the buffer."""
    described = _FilterProgram(len(program) // 8, ctypes.cast(program, ctypes.c_void_p))
    arguments = (
        ctypes.c_int(PR_SET_SECCOMP),
        ctypes.c_ulong(_SECCOMP_MODE_FILTER),
        ctypes.byref(described),
        ctypes.c_ulong(0),
        ctypes.c_ulong(0),
    )
    return Call("seccomp", _libc.prctl, arguments)


def _error(what: str) -> OSError:
    code = ctypes.get_errno()
    return OSError(code, f"{what}: {os.strerror(code)}")
