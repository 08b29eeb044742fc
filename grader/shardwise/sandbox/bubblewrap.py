"""bubblewrap's command line, for tiers 1 and 1b. The order of its arguments matters."""

from __future__ import annotations

from collections.abc import Sequence

from .interpreter import ENVIRONMENT, inner_command
from .layout import Layout, inner_directory

NOBODY = 65534  # the traditional unprivileged user, `nobody` on Linux
BOX = "/box/job"  # where each job mounts its own tmpfs


def command(bwrap: str, seccomp_fd: int, seen: Layout, inner: Sequence[str], root: str = "") -> list[str]:
    """Return the bubblewrap command, which binds the visible files itself unless a directory `root` contains them."""
    files = ["--ro-bind", root, "/"] if root else _visible_files(seen)
    return [bwrap, "--seccomp", str(seccomp_fd), *_isolation(), *files, *_own_directories(), "--", *inner]


def command_as_root(bwrap: str, seccomp_fd: int, seen: Layout, inner: Sequence[str], root: str) -> list[str]:
    """Return the command for root, which binds the files below `root` and runs bubblewrap as nobody. See inside/root_setup.py."""
    setup = {
        "root": root,
        "symlinks": seen.symlinks,
        "binds": seen.binds,
        "masks": seen.masks,
        "directories": ["/dev", "/box"],
        "user": NOBODY,
        "command": command(bwrap, seccomp_fd, seen, inner, root),
    }
    return inner_command(seen.python, inner_directory(), "root_setup", setup)


def _isolation() -> list[str]:
    """Return the options for new namespaces. CAP_SYS_ADMIN applies only inside them, for the jobs' mounts; each job drops it."""
    options = "--unshare-user --unshare-pid --unshare-net --unshare-ipc --unshare-uts --unshare-cgroup-try"
    options += " --disable-userns --die-with-parent --new-session --as-pid-1 --clearenv"
    options += " --cap-drop ALL --cap-add CAP_SYS_ADMIN"
    variables = [word for name, value in ENVIRONMENT.items() for word in ("--setenv", name, value)]
    return [*options.split(), *variables]


def _visible_files(seen: Layout) -> list[str]:
    links = [word for target, path in seen.symlinks for word in ("--symlink", target, path)]
    binds = [word for bind in seen.binds for word in ("--ro-bind", *bind)]
    masks = [word for path in seen.masks for word in ("--tmpfs", path, "--remount-ro", path)]
    return [*links, *binds, *masks]


def _own_directories() -> list[str]:
    """Return the options for directories that are not the host's. bubblewrap leaves / and /dev writable unless remounted."""
    box = ["--perms", "0755", "--size", str(2**20), "--tmpfs", "/box", "--dir", BOX]
    read_only = [word for place in ("/box", "/dev", "/") for word in ("--remount-ro", place)]
    return ["--dev", "/dev", *box, "--chdir", "/box", *read_only]
