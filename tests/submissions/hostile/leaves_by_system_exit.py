"""Raises SystemExit, which is no Exception.

It worked if the right answers next to it are lost.
"""

from room import Seen

CELL = """
raise SystemExit(0)
"""


def succeeded(seen: Seen) -> bool:
    return seen.lost
