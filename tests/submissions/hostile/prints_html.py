"""Prints and raises a script, for a page that shows what was printed.

It worked if the page has the script.
"""

from room import Seen

CELL = """
print("<script>$me()</script>")
raise ValueError("<script>$me()</script>")
"""


def succeeded(seen: Seen) -> bool:
    return f"<script>{seen.me}".encode() in seen.page
