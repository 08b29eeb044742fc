"""Starts a program that goes on when the notebook has ended.

It worked if a process is still there when grading has ended.
"""

from room import Seen

CELL = """
import subprocess
subprocess.Popen(["sleep", "60"], start_new_session=True)
"""


def succeeded(seen: Seen) -> bool:
    return bool(seen.left)
