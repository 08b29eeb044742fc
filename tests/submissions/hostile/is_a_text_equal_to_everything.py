"""Answers with a text that is equal to everything, and stays so when it is tidied up.

It worked if the choice earns points.
"""

from room import Seen

DUE = "none"
ANSWERS = {
    "choice": """
class Always(str):
    __hash__ = str.__hash__
    __eq__ = __contains__ = lambda self, other: True
    __ne__ = lambda self, other: False
    strip = lower = upper = casefold = lambda self: self

$choice = Always("surely")
"""
}


def succeeded(seen: Seen) -> bool:
    return seen.gained
