"""Hands in a zip whose member is packed by LZMA, and broken.

It worked if the batch ended there, and a bystander got no points.
"""

import json
import zipfile

from room import Desk, Seen

DUE = "ungraded: zip"


def hand_in(desk: Desk) -> None:
    path = desk.folder / "work.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("week.ipynb", json.dumps(desk.notebook))
    contents = bytearray(path.read_bytes())
    contents[100:200] = bytes(100)
    path.write_bytes(contents)


def succeeded(seen: Seen) -> bool:
    return seen.harmed
