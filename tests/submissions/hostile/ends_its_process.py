"""Ends its process at once, before anything can be marked.

It worked if the right answers next to it are lost.
"""

from room import Seen

CELL = """
import os
os._exit(0)
"""


def succeeded(seen: Seen) -> bool:
    return seen.lost
