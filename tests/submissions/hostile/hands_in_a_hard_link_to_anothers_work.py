"""Hands in a file that is the same as a classmate's notebook.

It worked if there are points.
"""

import os

from room import Desk, Seen

DUE = "ungraded: ada's notebook"


def hand_in(desk: Desk) -> None:
    os.link(desk.room.submitted / "ada" / "week.ipynb", desk.folder / "week.ipynb")


def succeeded(seen: Seen) -> bool:
    return seen.gained
