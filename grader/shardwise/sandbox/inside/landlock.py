"""Landlock: giving up access to the network and to all files except those named.

Interface: Documentation/userspace-api/landlock.rst of Linux 6.12.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
from collections.abc import Iterable

from . import system_calls

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same numbers on every architecture
_VERSION = 1
_PATH_BENEATH = 1
READ_FILE, READ_DIR = 1 << 2, 1 << 3
_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1}  # by ABI version
_RIGHTS_FROM_5 = (1 << 16) - 1
_TCP = 0b11  # bind and connect, from ABI 4
_SCOPED = 0b11  # abstract Unix sockets and signals, from ABI 6


def abi_version() -> int:
    """Return the kernel's Landlock version; 0 without Landlock."""
    try:
        return system_calls.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION))
    except OSError:
        return 0


def ruleset(readable: Iterable[str], listable: Iterable[str]) -> int:
    """Return a ruleset that allows reading everything in `readable` and listing directories in `listable`."""
    version = abi_version()
    handled = _RIGHTS.get(version, _RIGHTS_FROM_5)
    attributes = struct.pack("=QQQ", handled, _TCP if version >= 4 else 0, _SCOPED if version >= 6 else 0)
    size = 8 if version < 4 else 16 if version < 6 else 24
    rules = system_calls.syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(size), ctypes.c_uint32(0))
    for path in readable:
        _allow(rules, path, READ_FILE | READ_DIR)
    for path in listable:
        _allow(rules, path, READ_DIR)
    return rules


def _allow(rules: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(place).st_mode):
            rights &= READ_FILE
        rule = struct.pack("=Qi", rights, place)
        arguments = (ctypes.c_int(rules), ctypes.c_int(_PATH_BENEATH), rule, ctypes.c_uint32(0))
        system_calls.syscall(_ADD_RULE, *arguments)
    finally:
        os.close(place)


def restrict(ruleset: int) -> None:
    """Apply the ruleset to this thread, which needs no_new_privs."""
    system_calls.syscall(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0))
