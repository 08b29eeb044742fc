"""Answers with a number whose difference to any other is nothing.

It worked if the number earns points.
"""

from room import Seen

DUE = "none"
ANSWERS = {
    "number": """
class Near(float):
    __sub__ = __rsub__ = lambda self, other: 0.0
    __abs__ = lambda self: 0.0
    __eq__ = __le__ = __ge__ = lambda self, other: True

$number = Near(-1)
"""
}


def succeeded(seen: Seen) -> bool:
    return seen.gained
