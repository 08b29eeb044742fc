"""Kills a process that has nothing to do with grading.

It worked if that process is dead.
"""

from room import Seen

CELL = """
import os, signal
os.kill($victim, signal.SIGKILL)
"""


def succeeded(seen: Seen) -> bool:
    return seen.room.victim.poll() is not None
