"""Replaces itself by another program, without a new process.

It worked if that program has written a file.
"""

from room import Seen

CELL = """
import os
os.execv("/bin/sh", ["sh", "-c", "echo shell > $drop/ran"])
"""


def succeeded(seen: Seen) -> bool:
    return "ran" in seen.dropped
