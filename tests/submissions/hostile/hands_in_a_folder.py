"""Hands in a folder that is called like a notebook.

It worked if the batch ended there, and a bystander got no points.
"""

from room import Desk, Seen

DUE = "missing"


def hand_in(desk: Desk) -> None:
    (desk.folder / "week.ipynb").mkdir()


def succeeded(seen: Seen) -> bool:
    return seen.harmed
