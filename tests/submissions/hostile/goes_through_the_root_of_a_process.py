"""Reaches files by the door that /proc keeps open to the root directory of each process.

It worked if the secret of a file outside is in what the attacker gets to see.
"""

from room import Seen

CELL = """
import os
for process in ("self", os.getppid(), $victim, 1):
    try:
        found = open(f"/proc/{process}/root$canary").read()
    except OSError:
        continue
    raise RuntimeError(found)
"""


def succeeded(seen: Seen) -> bool:
    return seen.leaked("canary")
