"""Reads from address zero, and takes the interpreter down with it.

It worked if the right answers next to it are lost.
"""

from room import Seen

CELL = """
import ctypes
ctypes.string_at(0)
"""


def succeeded(seen: Seen) -> bool:
    return seen.lost
