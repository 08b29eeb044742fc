"""Starts threads, up to two hundred.

It worked if the attacker gets to see two hundred threads.
"""

from room import Seen

CELL = """
import _thread, time
for number in range(1, 201):
    _thread.start_new_thread(time.sleep, (1,))
raise RuntimeError(f"started {number}")
"""


def succeeded(seen: Seen) -> bool:
    return b"started 200" in seen.told
