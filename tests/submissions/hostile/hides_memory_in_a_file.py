"""Puts 30 MB into a file that has no name, and counts towards no process's memory.

It worked if the attacker gets to see how much it hid.
"""

from room import Seen

CELL = """
import os
hidden = os.memfd_create("hidden")
raise RuntimeError(f"hid {os.write(hidden, bytes(30_000_000))}")
"""


def succeeded(seen: Seen) -> bool:
    return b"hid 30000000" in seen.told
