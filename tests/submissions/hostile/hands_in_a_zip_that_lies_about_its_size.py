"""Hands in a zip that swells to 50 MB and says that it does not.

It worked if the batch ended there, or the megabytes are there.
"""

import zipfile

from room import Desk, Seen

DUE = "ungraded: cannot be read"


def hand_in(desk: Desk) -> None:
    path = desk.folder / "work.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("swells.ipynb", " " * 50_000_000)
    size = (50_000_000).to_bytes(4, "little")
    path.write_bytes(path.read_bytes().replace(size, (100).to_bytes(4, "little")))


def succeeded(seen: Seen) -> bool:
    return seen.harmed or (seen.room.submitted / seen.me / "swells.ipynb").exists()
