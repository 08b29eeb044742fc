"""Linux system calls that Python does not offer, through ctypes. Each raises OSError if the kernel refuses."""

from __future__ import annotations

import ctypes
import os
import signal
import struct

# Values from include/uapi/linux/*.h of Linux 6.12; they are part of the kernel's stable interface.
CLONE_PIDFD = 0x1000
CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWPID = 0x20000, 0x8000000, 0x20000000
MS_NOSUID, MS_NODEV, MS_NOEXEC = 2, 4, 8
MS_BIND, MS_REC, MS_PRIVATE = 4096, 16384, 1 << 18
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
_libc.prctl.argtypes = (ctypes.c_int, *(ctypes.c_ulong,) * 4)
_libc.mount.argtypes = (*(ctypes.c_char_p,) * 3, ctypes.c_ulong, ctypes.c_char_p)
_libc.capset.argtypes = (ctypes.c_char_p, ctypes.c_char_p)
_python = ctypes.PyDLL(None, use_errno=True)  # keeps the GIL during calls, as forking requires
_python.syscall.restype = ctypes.c_long
for _hook in (_python.PyOS_BeforeFork, _python.PyOS_AfterFork_Child, _python.PyOS_AfterFork_Parent):
    _hook.restype = None


def syscall(number: int, *arguments: object) -> int:
    """Make a system call by number, and return the kernel's result."""
    return _checked(_libc.syscall(ctypes.c_long(number), *arguments), f"system call {number}")


def prctl(option: int, argument: int = 0, second: int = 0) -> None:
    """prctl(2)."""
    _checked(_libc.prctl(option, argument, second, 0, 0), f"prctl {option}")


def mount(source: str, target: str, kind: str | None, flags: int, options: str | None = None) -> None:
    """mount(2)."""
    encoded = [None if text is None else os.fsencode(text) for text in (source, target, kind, options)]
    _checked(_libc.mount(*encoded[:3], flags, encoded[3]), f"mount on {target}")


def unshare(flags: int) -> None:
    """Call unshare(2)."""
    _checked(_libc.unshare(flags), "unshare")


def clone_into_namespaces(flags: int) -> tuple[int, int]:
    """Fork into new namespaces; return (0, -1) in the child and (pid, pidfd) in the parent.

    Python does not notice this fork, so its hooks are called explicitly: they repair its locks and its list of threads.
    """
    pidfd = ctypes.c_int(-1)
    number, all_flags = ctypes.c_long(_SYS_CLONE), ctypes.c_ulong(flags | CLONE_PIDFD | signal.SIGCHLD)
    null = ctypes.c_void_p(None)
    at = ctypes.byref(pidfd)
    _python.PyOS_BeforeFork()
    pid = int(_python.syscall(number, all_flags, null, at, null, null))
    if pid == 0:
        _python.PyOS_AfterFork_Child()
        return 0, -1
    _python.PyOS_AfterFork_Parent()
    return _checked(pid, "clone"), pidfd.value


def shrink_bounding_set() -> None:
    """Empty the capability bounding set, as far as permitted, for this process and all programs it starts."""
    for capability in range(_LAST_CAPABILITY + 1):
        try:
            prctl(PR_CAPBSET_DROP, capability)
        except OSError:  # without CAP_SETPCAP the bounding set stays; no_new_privs makes it harmless
            break


def drop_capabilities() -> None:
    """Give up every capability permanently: ambient, effective, permitted and inheritable."""
    prctl(PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL)
    _keep_capabilities(0)


def _keep_capabilities(kept: int) -> None:
    """Call capset(2): only these of the first 32 capabilities stay effective and permitted."""
    header, sets = struct.pack("=Ii", _CAPABILITY_VERSION_3, 0), struct.pack("=6I", kept, kept, 0, 0, 0, 0)
    _checked(_libc.capset(header, sets), "capset")


def become(*, user: int, group: int, reader: int) -> None:
    """Change from root to `user` permanently, except that files are opened with the permissions of `reader`.

    Linux exempts root from the limit on processes, based on the real user. Permission to read a file depends on the
    file-system user (setfsuid(2)) instead. So an interpreter that only its owner can read requires neither a root process nor
    a capability. The caller drops the remaining capabilities.
    """
    prctl(_PR_SET_KEEPCAPS, 1)
    os.setgroups([])
    os.setresgid(group, group, group)
    os.setresuid(user, user, user)
    _keep_capabilities(1 << _CAP_SETUID)
    _libc.setfsuid(ctypes.c_uint32(reader))
    if _libc.setfsuid(ctypes.c_uint32(_NO_USER)) != reader:  # it never fails, and returns the previous user
        raise PermissionError(f"setfsuid: files are not opened as user {reader}")


class _FilterProgram(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


def install_filter(code: bytes) -> None:
    """Apply a seccomp filter to this thread and everything it starts. It needs no_new_privs."""
    program = _FilterProgram(len(code) // 8, code)
    prctl(PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.addressof(program))


def _checked(result: int, name: str) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")
    return result
