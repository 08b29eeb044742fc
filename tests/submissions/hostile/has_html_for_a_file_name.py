"""Hands in a notebook whose file name is an element that runs a script.

It worked if the page has the element.
"""

from room import Desk, Seen


def hand_in(desk: Desk) -> None:
    desk.write(name=f"<img src=x onerror={desk.me}>.ipynb")


def succeeded(seen: Seen) -> bool:
    return b"<img src=x" in seen.page
