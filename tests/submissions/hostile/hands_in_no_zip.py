"""Hands in something that is called a zip and is none.

It worked if the batch ended there, and a bystander got no points.
"""

from room import Desk, Seen

DUE = "ungraded: not a readable zip archive"


def hand_in(desk: Desk) -> None:
    (desk.folder / "work.zip").write_bytes(b"PK" + bytes(1_000))


def succeeded(seen: Seen) -> bool:
    return seen.harmed
