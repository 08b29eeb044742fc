"""Raises a message that ends the block of code in which it is shown, and goes on in bold.

It worked if the page is bold where the attacker wants it to be.
"""

from room import Seen

CELL = """
end = chr(96) + " <b>$me</b> **$me** " + chr(96)
print(end)
raise ValueError(end)
"""


def succeeded(seen: Seen) -> bool:
    return any(start + seen.me.encode() in seen.page for start in (b"<b>", b"<strong>"))
