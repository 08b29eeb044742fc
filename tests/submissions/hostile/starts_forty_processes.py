"""Forks as often as it can, up to forty times.

It worked if the attacker gets to see forty processes.
"""

from room import Seen

CELL = """
import os, time
for number in range(1, 41):
    if os.fork() == 0:
        time.sleep(0.5)
        os._exit(0)
raise RuntimeError(f"forked {number}")
"""


def succeeded(seen: Seen) -> bool:
    return b"forked 40" in seen.told
