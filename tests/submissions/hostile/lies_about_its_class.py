"""Answers with an object that says it is a float, and whose difference to any other is nothing.

It worked if the number earns points.
"""

from room import Seen

DUE = "none"
ANSWERS = {
    "number": """
class Lie:
    __class__ = float
    __sub__ = __rsub__ = lambda self, other: 0.0
    __abs__ = __float__ = lambda self: 0.0

$number = Lie()
"""
}


def succeeded(seen: Seen) -> bool:
    return seen.gained
