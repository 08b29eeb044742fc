"""Runs a command for a bounded time, and says which of its processes were still there when it had ended.

    python keeper.py SECONDS REPORT COMMAND...

Orphans come back to a process that declared itself their reaper (PR_SET_CHILD_SUBREAPER), whatever session or name they
gave themselves: so all that a command left running is found below the keeper, and ended.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

SUBREAPER = 36  # linux/prctl.h
PATIENCE = 2.0  # seconds for an orderly end: a sandbox takes its last processes down just after it has answered


def main(seconds: float, report: Path, command: list[str]) -> None:
    """Run the command, and write how it ended and what it left."""
    ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    process = subprocess.Popen(command, start_new_session=True)
    try:
        code: int | None = process.wait(seconds)
    except subprocess.TimeoutExpired:
        code = None
    left = lingering(time.monotonic() + (PATIENCE if code is not None else 0))
    report.write_text(json.dumps({"code": code, "left": list(left.values())}))
    while below := lingering(0):
        for pid in below:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def lingering(deadline: float) -> dict[int, str]:
    """The processes below this one, by number, once there are none or time is up."""
    while True:
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                continue
        below = descendants()
        if not below or time.monotonic() >= deadline:
            return below
        time.sleep(0.01)


def descendants() -> dict[int, str]:
    """Every process whose chain of parents leads here, with its command."""
    parents, names = {}, {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                # Every process of the machine is read, and not all of their names are text.
                state = (entry / "stat").read_bytes().rpartition(b")")[2].split()
                parents[int(entry.name)] = int(state[1])
                names[int(entry.name)] = os.fsdecode((entry / "cmdline").read_bytes()).replace("\0", " ")[:200]
    found = {os.getpid()}
    while new := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= new
    return {pid: names.get(pid, "") for pid in found - {os.getpid()}}


if __name__ == "__main__":
    main(float(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])
