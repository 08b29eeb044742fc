"""Hands in a classmate's notebook inside a zip, where a grader may not ask whose it is.

It worked if there are points.
"""

import json
import zipfile

from room import Desk, Seen

DUE = "ungraded: ada's notebook"


def hand_in(desk: Desk) -> None:
    with zipfile.ZipFile(desk.folder / "work.zip", "w") as archive:
        archive.writestr("week.ipynb", json.dumps(desk.copy_of("ada")))


def succeeded(seen: Seen) -> bool:
    return seen.gained
