"""Starts threads with small stacks, up to three hundred.

It worked if the attacker gets to see three hundred threads.
"""

from room import Seen

CELL = """
import _thread, time
_thread.stack_size(65536)
for number in range(1, 301):
    _thread.start_new_thread(time.sleep, (1,))
raise RuntimeError(f"started {number}")
"""


def succeeded(seen: Seen) -> bool:
    return b"started 300" in seen.told
