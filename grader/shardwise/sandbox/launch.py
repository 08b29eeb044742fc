"""Starting a fork server behind one of the boundaries."""

from __future__ import annotations

import concurrent.futures
import contextlib
import functools
import json
import os
import platform
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from .backend import SandboxUnavailable
from .inside import seccomp
from .layout import Layout, layout, readable_paths
from .steps import Limits

NOBODY = 65534  # the traditional unprivileged user, `nobody` on Linux
_START_SECONDS = 20.0  # a cold disk can make numpy slow to load; usually 0.3
_BOX = "/box/job"
BOOT = (  # loads our inner package by its directory, so that nothing beside it becomes importable
    "import sys, importlib.util as u; d = sys.argv[1];"
    "s = u.spec_from_file_location('inside', d + '/__init__.py', submodule_search_locations=[d]);"
    "m = u.module_from_spec(s); sys.modules['inside'] = m; s.loader.exec_module(m);"
    "from importlib import import_module as i; i('inside.' + sys.argv[2]).main(sys.argv[3])"
)
FLAGS = ("-P", "-s", "-S", "-B", "-X", "utf8")  # not -I, which would ignore PYTHONHASHSEED
ENVIRONMENT = {
    "PYTHONHASHSEED": "0",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",  # an arena per thread would reserve 128 MiB of address space for each
    "LC_ALL": "C.UTF-8",
    "HOME": "/box",
    "PATH": "/nowhere",
}


@dataclass(frozen=True)
class Plan:
    """A boundary to try: the tier, and whether root becomes nobody before it starts."""

    tier: str
    become_nobody: bool


@dataclass(frozen=True)
class Server:
    """A running fork server."""

    process: subprocess.Popen[bytes]
    control: socket.socket
    user: int
    landlock: int  # its version, 0 for none

    def stop(self) -> None:
        """Close the control socket, which ends the server, and make sure."""
        self.control.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=0.5)
        self.process.kill()
        self.process.wait()


def start(plan: Plan, limits: Limits) -> Server:
    """Start a server and wait for its greeting; SandboxUnavailable with its complaint if there is none."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    try:
        with theirs, tempfile.TemporaryFile() as complaint, _prepared(plan, limits, theirs) as prepared:
            process = _popen(prepared, complaint)
            theirs.close()
            greeting = _greeting(ours)
            if greeting is None:
                process.kill()
                process.wait()
                complaint.seek(0)
                raise SandboxUnavailable(_last_line(complaint.read()))
    except BaseException:
        ours.close()
        raise
    return Server(process, ours, int(greeting["uid"]), int(greeting["landlock"]))


@dataclass(frozen=True)
class _Prepared:
    command: list[str]
    environment: dict[str, str]
    descriptors: tuple[int, ...]
    identity: dict[str, Any]


@contextlib.contextmanager
def _prepared(plan: Plan, limits: Limits, control: socket.socket) -> Iterator[_Prepared]:
    machine = platform.machine()
    if machine not in seccomp.MACHINES:
        raise SandboxUnavailable(f"system-call filters are written for {seccomp.MACHINES}, not for {machine}")
    if plan.tier == "2":
        yield _without_namespaces(plan, limits, control, machine)
        return
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise SandboxUnavailable("bubblewrap (the program bwrap) is not installed")
    seen = layout(moved=True)
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb"), tempfile.TemporaryDirectory(prefix="stage-") as stage:
        os.write(writing, seccomp.server_filter(machine))
        os.close(writing)
        inner = _server_command(plan.tier, seen, _rlimits(limits), control, machine, _BOX)
        tree = _staged_tree(stage) if plan.become_nobody else _bound_tree(seen)
        command = [bwrap, "--seccomp", str(reading), *_fences(), *tree, *_places(), "--", *inner]
        if plan.become_nobody:
            command = [
                seen.python,
                *FLAGS,
                str(Path(__file__).with_name("stage.py")),
                _errand(seen, stage, command),
            ]
        yield _Prepared(command, ENVIRONMENT, (control.fileno(), reading), {})


def _without_namespaces(plan: Plan, limits: Limits, control: socket.socket, machine: str) -> _Prepared:
    seen = layout(moved=False)
    nobody = plan.become_nobody
    user = NOBODY if nobody else os.geteuid()
    # The limit counts every thread of the user on this machine, for there is no namespace to count within.
    inner = _server_command("2", seen, _rlimits(limits, others=_threads_of(user)), control, machine, "")
    identity: dict[str, Any] = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if nobody else {}
    return _Prepared(inner, ENVIRONMENT, (control.fileno(),), identity)


def _server_command(
    tier: str, seen: Layout, rlimits: dict[str, int], control: socket.socket, machine: str, box: str
) -> list[str]:
    readable, listable = readable_paths(seen)
    config = {
        "tier": tier,
        "control": control.fileno(),
        "machine": machine,
        "packages": seen.packages,
        "readable": readable,
        "listable": [*listable, *([os.path.dirname(box)] if box else [])],
        "box": box,
        "limits": rlimits,
    }
    return [seen.python, *FLAGS, "-c", BOOT, seen.inside, "server", json.dumps(config)]


def _rlimits(limits: Limits, *, others: int = 0) -> dict[str, int]:
    """Without fork, memfd or a writable file, address space bounds a job's memory: no cgroup is needed."""
    return {
        "AS": limits.memory_bytes,
        "CPU": limits.cpu_seconds,
        "FSIZE": 0,
        "NOFILE": limits.files,
        "NPROC": limits.processes + others,
        "STACK": 8 * 2**20,  # of a thread, too
        "CORE": 0,
    }


def _fences() -> list[str]:
    """bubblewrap's walls. CAP_SYS_ADMIN holds in its user namespace only; each job drops it."""
    options = "--unshare-user --unshare-pid --unshare-net --unshare-ipc --unshare-uts --unshare-cgroup-try"
    options += " --disable-userns --die-with-parent --new-session --as-pid-1 --clearenv"
    options += " --cap-drop ALL --cap-add CAP_SYS_ADMIN"
    variables = [word for name, value in ENVIRONMENT.items() for word in ("--setenv", name, value)]
    return [*options.split(), *variables]


def _bound_tree(seen: Layout) -> list[str]:
    """The visible tree, bound by bubblewrap itself."""
    links = [word for target, path in seen.symlinks for word in ("--symlink", target, path)]
    binds = [word for bind in seen.binds for word in ("--ro-bind", bind.source, bind.target)]
    masks = [word for path in seen.masks for word in ("--tmpfs", path, "--remount-ro", path)]
    return [*links, *binds, *masks]


def _staged_tree(stage: str) -> list[str]:
    """The visible tree, put together by root beforehand; see stage.py."""
    return ["--ro-bind", stage, "/"]


def _places() -> list[str]:
    """What is not bound from the host. bubblewrap leaves / and /dev writable unless they are remounted."""
    box = ["--perms", "0755", "--size", str(2**20), "--tmpfs", "/box", "--dir", _BOX]
    read_only = [word for place in ("/box", "/dev", "/") for word in ("--remount-ro", place)]
    return ["--dev", "/dev", *box, "--chdir", "/box", *read_only]


def _errand(seen: Layout, stage: str, command: list[str]) -> str:
    return json.dumps(
        {
            "root": stage,
            "symlinks": seen.symlinks,
            "binds": [(bind.source, bind.target) for bind in seen.binds],
            "masks": seen.masks,
            "directories": ["/dev", "/box"],
            "user": NOBODY,
            "command": command,
        }
    )


def reachable_by_nobody(seen: Layout) -> bool:
    """Whether a user without any rights can read all that the layout names, by its permission bits."""
    return all(_open_to_others(bind.source) for bind in seen.binds)


def _open_to_others(path: str) -> bool:
    place = Path(os.path.realpath(path))
    return bool(place.stat().st_mode & stat.S_IROTH) and all(
        parent.stat().st_mode & stat.S_IXOTH for parent in place.parents
    )


def _threads_of(user: int) -> int:
    count = 0
    for entry in os.scandir("/proc"):
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and entry.stat().st_uid == user:
                count += len(os.listdir(f"/proc/{entry.name}/task"))
    return count


@functools.cache
def _starter(_process: int) -> concurrent.futures.Executor:
    return concurrent.futures.ThreadPoolExecutor(1, "sandbox-starter")


def _popen(prepared: _Prepared, complaint: IO[bytes]) -> subprocess.Popen[bytes]:
    """Start from a thread that lives as long as this process.

    A server dies with the thread that started it (PR_SET_PDEATHSIG means threads), and the thread that
    happens to open a sandbox may end long before the sandbox is done with.
    """

    def popen() -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            prepared.command,
            env=prepared.environment,
            pass_fds=prepared.descriptors,
            stdin=subprocess.DEVNULL,
            stdout=complaint,
            stderr=complaint,
            cwd="/",
            start_new_session=True,
            **prepared.identity,
        )

    try:
        return _starter(os.getpid()).submit(popen).result()
    except OSError as error:
        raise SandboxUnavailable(f"the server did not start: {error}") from None


def _greeting(control: socket.socket) -> dict[str, Any] | None:
    control.settimeout(_START_SECONDS)
    try:
        data = control.recv(4096)
    except (OSError, TimeoutError):
        return None
    return dict(json.loads(data)) if data else None


def _last_line(complaint: bytes) -> str:
    lines = complaint.decode(errors="replace").strip().splitlines()
    return lines[-1][:500] if lines else f"the server ended without a word ({sys.platform})"
