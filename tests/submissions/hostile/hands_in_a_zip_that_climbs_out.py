"""Hands in a zip whose member's name leads out of the folder in which it is unpacked.

It worked if there is a file where it leads.
"""

import json
import zipfile

from room import Desk, Seen

DUE = "ungraded: points outside the archive"


def hand_in(desk: Desk) -> None:
    place = desk.room.place_to_drop(desk.me)
    with zipfile.ZipFile(desk.folder / "work.zip", "w") as archive:
        archive.writestr(f"../../drop/{desk.me}/slipped.ipynb", json.dumps(desk.notebook))
        archive.writestr(f"{place}/absolute.ipynb", json.dumps(desk.notebook))


def succeeded(seen: Seen) -> bool:
    return "slipped.ipynb" in seen.dropped or "absolute.ipynb" in seen.dropped
