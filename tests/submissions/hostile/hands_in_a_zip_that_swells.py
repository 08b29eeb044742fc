"""Hands in a zip of 50 KB that becomes 50 MB when it is unpacked.

It worked if the megabytes are there.
"""

import zipfile

from room import Desk, Seen

DUE = "ungraded: 50 MB"


def hand_in(desk: Desk) -> None:
    with zipfile.ZipFile(desk.folder / "work.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("swells.ipynb", " " * 50_000_000)


def succeeded(seen: Seen) -> bool:
    return (seen.room.submitted / seen.me / "swells.ipynb").exists()
