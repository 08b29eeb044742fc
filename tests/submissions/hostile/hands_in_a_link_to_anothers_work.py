"""Hands in a link to a classmate's notebook.

It worked if there are points.
"""

from room import Desk, Seen

DUE = "ungraded: a link"


def hand_in(desk: Desk) -> None:
    (desk.folder / "week.ipynb").symlink_to(desk.room.submitted / "ada" / "week.ipynb")


def succeeded(seen: Seen) -> bool:
    return seen.gained
