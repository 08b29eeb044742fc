"""Walks up the stack, from frame to frame, to a variable that holds the key.

It worked if the number earns points.
"""

from room import Seen

DUE = "none"
ANSWERS = {
    "number": """
import sys
frame = sys._getframe()
while frame:
    for held in [*frame.f_locals.values(), *frame.f_globals.values()]:
        if isinstance(held, dict) and isinstance(held.get("$number_slug"), dict):
            $number = held["$number_slug"]["expected"]
    frame = frame.f_back
"""
}


def succeeded(seen: Seen) -> bool:
    return seen.gained
