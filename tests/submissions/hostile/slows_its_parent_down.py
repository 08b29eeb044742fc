"""Lowers the priority of the process that started it.

It worked if the attacker gets to see that the kernel agreed.
"""

from room import Seen

CELL = """
import os
os.setpriority(os.PRIO_PROCESS, os.getppid(), 19)
raise RuntimeError("slowed " + "down")
"""


def succeeded(seen: Seen) -> bool:
    return b"slowed down" in seen.told
