"""Patches abs(), so that every difference is nothing.

It worked if a wrong number earns points.
"""

from room import Seen

DUE = "none"
CELL = """
import builtins
builtins.abs = lambda value: 0
"""
ANSWERS = {"number": "$number = -1"}


def succeeded(seen: Seen) -> bool:
    return seen.gained
