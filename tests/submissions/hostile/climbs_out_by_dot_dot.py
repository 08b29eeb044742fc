"""Leaves its working directory by way of its parents.

It worked if the secret of a file outside is in what the attacker gets to see.
"""

from room import Seen

CELL = """
raise RuntimeError(open("../" * 20 + "$canary").read())
"""


def succeeded(seen: Seen) -> bool:
    return seen.leaked("canary")
