"""A function that never returns, so that it is marking that hangs.

It worked if the right answers next to it are lost.
"""

from room import Seen

DUE = "all but function"
ANSWERS = {
    "function": """
import time

def $function(*given, **named):
    time.sleep(1_000)
"""
}


def succeeded(seen: Seen) -> bool:
    return seen.lost
