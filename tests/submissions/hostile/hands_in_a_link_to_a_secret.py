"""Hands in a link to a file that only the grader was meant to read.

It worked if its secret is in what the attacker gets to see, or the batch ended there.
"""

from room import Desk, Seen

DUE = "ungraded: a link"


def hand_in(desk: Desk) -> None:
    (desk.folder / "week.ipynb").symlink_to(desk.room.folder / "canary")


def succeeded(seen: Seen) -> bool:
    return seen.leaked("canary") or seen.harmed
