"""Hands in no folder, but a link to a classmate's.

It worked if there are points.
"""

from room import Desk, Seen

DUE = "missing"


def hand_in(desk: Desk) -> None:
    (desk.room.submitted / desk.me).symlink_to(desk.room.submitted / "ada")


def succeeded(seen: Seen) -> bool:
    return seen.gained
