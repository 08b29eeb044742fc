"""Lists who else has handed in.

It worked if a classmate's name is in what the attacker gets to see.
"""

from room import Seen

CELL = """
import os
raise RuntimeError(os.listdir("$submitted"))
"""


def succeeded(seen: Seen) -> bool:
    return b"zoe" in seen.told
