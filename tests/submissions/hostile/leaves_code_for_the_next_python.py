"""Leaves code where the next interpreter of this user looks for it when it starts.

It worked if a file is there.
"""

from room import Seen

CELL = """
import os, sys
for home in ("$home", os.environ.get("HOME", "/")):
    place = f"{home}/.local/lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
    os.makedirs(place, exist_ok=True)
    open(f"{place}/$me.pth", "w").close()
"""


def succeeded(seen: Seen) -> bool:
    return any(seen.room.home.rglob(f"{seen.me}.pth"))
