"""Hands in a zip that says that it takes a program of the year 2100 to open it.

It worked if the batch ended there, and a bystander got no points.
"""

import json
import zipfile

from room import Desk, Seen

DUE = "ungraded: zip"


def hand_in(desk: Desk) -> None:
    path = desk.folder / "work.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("week.ipynb", json.dumps(desk.notebook))
    contents = bytearray(path.read_bytes())
    contents[contents.rindex(b"PK\x01\x02") + 6] = 255
    path.write_bytes(contents)


def succeeded(seen: Seen) -> bool:
    return seen.harmed
