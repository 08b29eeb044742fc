"""Hands in a named pipe, into which nobody writes.

It worked if the batch waits for ever, and a bystander got no points.
"""

import os

from room import Desk, Seen

DUE = "ungraded: not a regular file"


def hand_in(desk: Desk) -> None:
    os.mkfifo(desk.folder / "week.ipynb")


def succeeded(seen: Seen) -> bool:
    return seen.harmed
