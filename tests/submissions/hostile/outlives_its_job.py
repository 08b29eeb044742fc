"""Leaves a daemon behind: a grandchild in a session of its own.

It worked if a process is still there when grading has ended.
"""

from room import Seen

CELL = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(60)
    os._exit(0)
"""


def succeeded(seen: Seen) -> bool:
    return bool(seen.left)
