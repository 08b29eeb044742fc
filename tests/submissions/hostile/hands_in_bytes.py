"""Hands in bytes that are no text.

It worked if the batch ended there, and a bystander got no points.
"""

from room import Desk, Seen

DUE = "ungraded: not UTF-8"


def hand_in(desk: Desk) -> None:
    (desk.folder / "week.ipynb").write_bytes(bytes(range(256)) * 10)


def succeeded(seen: Seen) -> bool:
    return seen.harmed
