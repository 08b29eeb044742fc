"""Hands in a broken notebook whose file name has control characters.

It worked if the terminal got them.
"""

from room import Desk, Seen

DUE = "ungraded: This is not a notebook"


def hand_in(desk: Desk) -> None:
    (desk.folder / f"\x1b]0;{desk.me}\x07.ipynb").write_text("{")


def succeeded(seen: Seen) -> bool:
    return f"\x1b]0;{seen.me}".encode() in seen.terminal
