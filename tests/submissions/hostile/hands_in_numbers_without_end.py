"""Hands in a notebook whose version is an integer of 5,000 digits.

It worked if the batch ended there, and a bystander got no points.
"""

from room import Desk, Seen

DUE = "ungraded: This is no notebook"


def hand_in(desk: Desk) -> None:
    path = desk.write()
    path.write_text(path.read_text().replace('"nbformat": 4', '"nbformat": ' + "4" * 5_000))


def succeeded(seen: Seen) -> bool:
    return seen.harmed
