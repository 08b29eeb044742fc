"""bubblewrap's command line: the walls of tiers 1 and 1b. The order of its arguments matters."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from .interpreter import ENVIRONMENT, FLAGS
from .layout import Layout

NOBODY = 65534  # the traditional unprivileged user, `nobody` on Linux
BOX = "/box/job"  # where each job mounts a tmpfs of its own


def command(bwrap: str, seccomp_fd: int, seen: Layout, inner: Sequence[str]) -> list[str]:
    """For an ordinary user: bubblewrap binds the visible tree itself."""
    return [bwrap, "--seccomp", str(seccomp_fd), *_fences(), *_bound_tree(seen), *_places(), "--", *inner]


def command_of_root(bwrap: str, seccomp_fd: int, seen: Layout, inner: Sequence[str], stage: str) -> list[str]:
    """For root that is about to become nobody: the tree is put together first. See stage.py."""
    then = [bwrap, "--seccomp", str(seccomp_fd), *_fences(), "--ro-bind", stage, "/", *_places(), "--", *inner]
    errand = {
        "root": stage,
        "symlinks": seen.symlinks,
        "binds": [(bind.source, bind.target) for bind in seen.binds],
        "masks": seen.masks,
        "directories": ["/dev", "/box"],
        "user": NOBODY,
        "command": then,
    }
    return [seen.python, *FLAGS, str(Path(__file__).with_name("stage.py")), json.dumps(errand)]


def _fences() -> list[str]:
    """CAP_SYS_ADMIN holds in bubblewrap's user namespace only, for the server's mounts; each job drops it."""
    options = "--unshare-user --unshare-pid --unshare-net --unshare-ipc --unshare-uts --unshare-cgroup-try"
    options += " --disable-userns --die-with-parent --new-session --as-pid-1 --clearenv"
    options += " --cap-drop ALL --cap-add CAP_SYS_ADMIN"
    variables = [word for name, value in ENVIRONMENT.items() for word in ("--setenv", name, value)]
    return [*options.split(), *variables]


def _bound_tree(seen: Layout) -> list[str]:
    links = [word for target, path in seen.symlinks for word in ("--symlink", target, path)]
    binds = [word for bind in seen.binds for word in ("--ro-bind", bind.source, bind.target)]
    masks = [word for path in seen.masks for word in ("--tmpfs", path, "--remount-ro", path)]
    return [*links, *binds, *masks]


def _places() -> list[str]:
    """What is not bound from the host. bubblewrap leaves / and /dev writable unless they are remounted."""
    box = ["--perms", "0755", "--size", str(2**20), "--tmpfs", "/box", "--dir", BOX]
    read_only = [word for place in ("/box", "/dev", "/") for word in ("--remount-ro", place)]
    return ["--dev", "/dev", *box, "--chdir", "/box", *read_only]
