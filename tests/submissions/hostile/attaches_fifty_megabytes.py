"""Attaches a picture of 50 MB to a cell.

It worked if the report carries it.
"""

from room import Desk, Seen

DUE = "ungraded: 50 MB"


def hand_in(desk: Desk) -> None:
    desk.notebook["cells"][0]["attachments"] = {"picture.png": {"image/png": "A" * 50_000_000}}
    desk.write()


def succeeded(seen: Seen) -> bool:
    return seen.size > 2_000_000
