"""The Linux system calls that Python has no function for, through ctypes."""

from __future__ import annotations

import ctypes
import os
import signal

# Values from include/uapi/linux/*.h of Linux 6.12; they are part of the kernel's stable interface.
CLONE_PIDFD = 0x1000
CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWPID = 0x20000, 0x8000000, 0x20000000
MS_NOSUID, MS_NODEV, MS_NOEXEC = 2, 4, 8
MS_BIND, MS_REC, MS_PRIVATE = 4096, 16384, 1 << 18
PR_SET_PDEATHSIG, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT = 1, 22, 38, 47
PR_CAPBSET_DROP = 24
_PR_CAP_AMBIENT_CLEAR_ALL = 4
_SECCOMP_MODE_FILTER = 2
_CAPABILITY_VERSION_3 = 0x20080522
_LAST_CAPABILITY = 63  # the kernel answers EINVAL beyond the last one it knows
_SYS_CLONE = {"x86_64": 56, "aarch64": 220}

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long
_python = ctypes.PyDLL(None, use_errno=True)  # keeps the GIL during calls, as forking requires
_python.syscall.restype = ctypes.c_long


def syscall(number: int, *arguments: object) -> int:
    """One system call; OSError if it fails."""
    result = int(_libc.syscall(ctypes.c_long(number), *arguments))
    if result < 0:
        raise _error(f"system call {number}")
    return result


def prctl(option: int, *arguments: int) -> int:
    """prctl(2); OSError if it fails."""
    padded = [ctypes.c_ulong(value) for value in (*arguments, 0, 0, 0, 0)[:4]]
    result = int(_libc.prctl(option, *padded))
    if result < 0:
        raise _error(f"prctl {option}")
    return result


def mount(source: str, target: str, kind: str | None, flags: int, options: str | None = None) -> None:
    """mount(2); OSError if it fails."""
    encoded = [None if text is None else os.fsencode(text) for text in (source, target, kind, options)]
    if _libc.mount(encoded[0], encoded[1], encoded[2], ctypes.c_ulong(flags), encoded[3]) < 0:
        raise _error(f"mount on {target}")


def unshare(flags: int) -> None:
    """unshare(2); OSError if it fails."""
    if _libc.unshare(flags) < 0:
        raise _error("unshare")


def clone_into_namespaces(machine: str, flags: int) -> tuple[int, int]:
    """Fork into new namespaces; (0, -1) in the child, (pid, pidfd) in the parent.

    A fork that Python does not know of leaves its locks and its list of threads as the parent had them,
    hence the three hooks.
    """
    pidfd = ctypes.c_int(-1)
    number, all_flags = (
        ctypes.c_long(_SYS_CLONE[machine]),
        ctypes.c_ulong(flags | CLONE_PIDFD | signal.SIGCHLD),
    )
    null = ctypes.c_void_p(None)
    _python.PyOS_BeforeFork()
    pid = int(_python.syscall(number, all_flags, null, ctypes.byref(pidfd), null, null))
    if pid == 0:
        _python.PyOS_AfterFork_Child()
        return 0, -1
    _python.PyOS_AfterFork_Parent()
    if pid < 0:
        raise _error("clone")
    return pid, pidfd.value


class _CapabilityHeader(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]


def drop_capabilities() -> None:
    """Give up every capability for good: ambient, bounding where allowed, effective, permitted."""
    prctl(PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL)
    for capability in range(_LAST_CAPABILITY + 1):
        try:
            prctl(PR_CAPBSET_DROP, capability)
        except OSError:  # without CAP_SETPCAP the bounding set stays; no_new_privs makes it harmless
            break
    header = _CapabilityHeader(_CAPABILITY_VERSION_3, 0)
    nothing = (ctypes.c_uint32 * 6)()
    if _libc.capset(ctypes.byref(header), ctypes.byref(nothing)) < 0:
        raise _error("capset")


class _FilterProgram(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


def load_seccomp(program: bytes) -> None:
    """Install a seccomp filter on this thread and all it will start."""
    code = ctypes.create_string_buffer(program, len(program))
    packed = _FilterProgram(len(program) // 8, ctypes.cast(code, ctypes.c_void_p))
    result = _libc.prctl(
        PR_SET_SECCOMP, ctypes.c_ulong(_SECCOMP_MODE_FILTER), ctypes.byref(packed), ctypes.c_ulong(0), 0
    )
    if result < 0:
        raise _error("seccomp")


def _error(what: str) -> OSError:
    code = ctypes.get_errno()
    return OSError(code, f"{what}: {os.strerror(code)}")
