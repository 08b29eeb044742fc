"""Takes 300 MB of address space more than the limit of a gigabyte, without touching it.

It worked if the attacker gets to see how much it holds.
"""

from room import Seen

CELL = """
import mmap
held = mmap.mmap(-1, 1_374_000_000)
raise RuntimeError(f"held {len(held)}")
"""


def succeeded(seen: Seen) -> bool:
    return b"held 1374000000" in seen.told
