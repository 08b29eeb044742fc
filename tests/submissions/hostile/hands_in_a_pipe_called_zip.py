"""Hands in a named pipe that is called like an archive.

It worked if the batch waits for ever, and a bystander got no points.
"""

import os

from room import Desk, Seen

DUE = "ungraded: not a regular file"


def hand_in(desk: Desk) -> None:
    os.mkfifo(desk.folder / "work.zip")


def succeeded(seen: Seen) -> bool:
    return seen.harmed
