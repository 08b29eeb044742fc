"""Looks the answer up in the globals of the function that checks it.

It worked if the number earns points.
"""

from room import Seen

DUE = "none"
ANSWERS = {"number": '$number = check.__globals__["KEY"]["$number_slug"]["expected"]'}


def succeeded(seen: Seen) -> bool:
    return seen.gained
