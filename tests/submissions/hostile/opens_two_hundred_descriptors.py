"""Opens pipes, up to two hundred descriptors.

It worked if the attacker gets to see two hundred.
"""

from room import Seen

CELL = """
import os
held = [os.pipe() for _ in range(100)]
raise RuntimeError(f"opened {2 * len(held)}")
"""


def succeeded(seen: Seen) -> bool:
    return b"opened 200" in seen.told
