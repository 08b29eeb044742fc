"""Hands in a zip whose member's name says that it is UTF-8, and is not.

It worked if the batch ended there, and a bystander got no points.
"""

import json
import zipfile

from room import Desk, Seen

DUE = "ungraded: zip"


def hand_in(desk: Desk) -> None:
    path = desk.folder / "work.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("wé.ipynb", json.dumps(desk.notebook))
    path.write_bytes(path.read_bytes().replace("é".encode(), b"\xff\xff"))


def succeeded(seen: Seen) -> bool:
    return seen.harmed
