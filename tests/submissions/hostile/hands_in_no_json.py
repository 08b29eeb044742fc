"""Hands in half a notebook.

It worked if the batch ended there, and a bystander got no points.
"""

from room import Desk, Seen

DUE = "ungraded: This is not a notebook"


def hand_in(desk: Desk) -> None:
    path = desk.write()
    path.write_text(path.read_text()[:1_000])


def succeeded(seen: Seen) -> bool:
    return seen.harmed
