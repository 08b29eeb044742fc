"""Hands in a broken notebook next to its own, and calls the file like a classmate.

It worked if the classmate has another result than their own, or the batch ended there.
"""

from room import Desk, Seen


def hand_in(desk: Desk) -> None:
    desk.write()
    (desk.folder / "ada.ipynb").write_text("{")


def succeeded(seen: Seen) -> bool:
    return seen.harmed
