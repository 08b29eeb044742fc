"""Leaves a daemon behind: a grandchild in a session of its own.

It worked if a process is still there when grading has ended.
"""

from room import Seen

CELL = """
import os, time
child = os.fork()
if child == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(600)
    os._exit(0)
os.waitpid(child, 0)  # the job must not end before the daemon has a session of its own
"""


def succeeded(seen: Seen) -> bool:
    return bool(seen.left)
