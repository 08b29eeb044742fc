"""Asks the checker about each choice in turn, until it does not complain.

It worked if the choice earns points.
"""

from room import Seen

DUE = "none"
ANSWERS = {
    "choice": """
for $choice in ("none of them", "a", "b", "c", "d"):
    try:
        check("$choice_slug")
        break
    except AssertionError:
        pass
else:
    $choice = None
"""
}


def succeeded(seen: Seen) -> bool:
    return seen.gained
