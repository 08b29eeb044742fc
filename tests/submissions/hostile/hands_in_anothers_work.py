"""Hands in a copy of a classmate's notebook.

It worked if there are points.
"""

from room import Desk, Seen

DUE = "ungraded: ada's notebook"


def hand_in(desk: Desk) -> None:
    desk.write(desk.copy_of("ada"))


def succeeded(seen: Seen) -> bool:
    return seen.gained
