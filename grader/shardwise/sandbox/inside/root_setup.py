"""Setup as root: binds the sandbox's files below a new root directory, then starts bubblewrap as another user.

Another user cannot reach an interpreter in a home directory of mode 0700, so bubblewrap, started as that user, could not
bind it. Root can. So root binds each path into a new tree in a new mount namespace, changes to an unprivileged user, and
starts bubblewrap, which makes that tree its root.
"""

from __future__ import annotations

import json
import os

from . import system_calls
from .system_calls import mount


def main(specification: str) -> None:
    """Build the tree, change the user, and replace this process with bubblewrap."""
    spec = json.loads(specification)
    root = spec["root"]
    system_calls.unshare(system_calls.CLONE_NEWNS)
    mount("none", "/", None, system_calls.MS_REC | system_calls.MS_PRIVATE)
    mount("tmpfs", root, "tmpfs", 0, "mode=0755,size=4m")
    for target, path in spec["symlinks"]:
        os.makedirs(root + os.path.dirname(path), exist_ok=True)
        os.symlink(target, root + path)
    for source, target in spec["binds"]:
        _make_mount_point(root + target, is_directory=os.path.isdir(source))
        mount(source, root + target, None, system_calls.MS_BIND)
    for path in spec["masks"]:
        mount("tmpfs", root + path, "tmpfs", 0, "mode=0755,size=4k")
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
