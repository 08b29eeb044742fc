"""Runs a shell, which can do whatever the grader's user can.

It worked if the shell has written a file.
"""

from room import Seen

CELL = """
import os
if os.system("echo shell > $drop/ran"):
    raise OSError("no shell")
"""


def succeeded(seen: Seen) -> bool:
    return "ran" in seen.dropped
