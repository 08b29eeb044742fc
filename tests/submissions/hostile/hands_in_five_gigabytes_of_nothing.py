"""Hands in a sparse file: five gigabytes to read, and not a byte on disk.

It worked if the batch ended there, and a bystander got no points.
"""

from room import Desk, Seen

DUE = "ungraded: 5,000 MB"


def hand_in(desk: Desk) -> None:
    with (desk.folder / "week.ipynb").open("wb") as file:
        file.truncate(5_000_000_000)


def succeeded(seen: Seen) -> bool:
    return seen.harmed
