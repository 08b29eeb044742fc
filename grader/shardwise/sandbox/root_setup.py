"""As root: bind the files that the sandbox shows below a new root directory, then start bubblewrap as another user.

An interpreter in a home directory of mode 0700 cannot be reached by another user: bubblewrap, started as that user, could not
open what it is to bind. Root can. So root binds each path into a new tree, in a mount namespace of its own, changes to an
unprivileged user, and starts bubblewrap, which makes that tree its root. Run as a script.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys

_CLONE_NEWNS = 0x20000  # linux/sched.h
_MS_BIND, _MS_REC, _MS_PRIVATE = 4096, 16384, 1 << 18  # linux/mount.h

_libc = ctypes.CDLL(None, use_errno=True)


def main(specification: str) -> None:
    """Build the tree, change user, and replace this process by bubblewrap."""
    spec = json.loads(specification)
    root = spec["root"]
    if _libc.unshare(_CLONE_NEWNS) < 0:
        raise _error("unshare the mount namespace")
    _mount("none", "/", None, _MS_REC | _MS_PRIVATE)
    _mount("tmpfs", root, "tmpfs", 0, "mode=0755,size=4m")
    for target, path in spec["symlinks"]:
        os.makedirs(root + os.path.dirname(path), exist_ok=True)
        os.symlink(target, root + path)
    for source, target in spec["binds"]:
        _make_mount_point(root + target, is_directory=os.path.isdir(source))
        _mount(source, root + target, None, _MS_BIND)
    for path in spec["masks"]:
        _mount("tmpfs", root + path, "tmpfs", 0, "mode=0755,size=4k")
    for directory in spec["directories"]:
        os.makedirs(root + directory, exist_ok=True)
    os.chdir("/")
    os.setgroups([])
    os.setresgid(spec["user"], spec["user"], spec["user"])
    os.setresuid(spec["user"], spec["user"], spec["user"])
    os.execve(spec["command"][0], spec["command"], {})


def _make_mount_point(path: str, *, is_directory: bool) -> None:
    os.makedirs(path if is_directory else os.path.dirname(path), mode=0o755, exist_ok=True)
    if not is_directory and not os.path.exists(path):
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o644))


def _mount(source: str, target: str, kind: str | None, flags: int, options: str | None = None) -> None:
    encoded = [None if text is None else os.fsencode(text) for text in (source, target, kind, options)]
    if _libc.mount(encoded[0], encoded[1], encoded[2], ctypes.c_ulong(flags), encoded[3]) < 0:
        raise _error(f"mount {source} on {target}")


def _error(what: str) -> OSError:
    code = ctypes.get_errno()
    return OSError(code, f"cannot {what}: {os.strerror(code)}")


if __name__ == "__main__":
    main(sys.argv[1])
