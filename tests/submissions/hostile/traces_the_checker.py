"""Watches the checker line by line with a trace function, and takes the right answer from its variables.

It worked if the number earns points.
"""

from room import Seen

DUE = "none"
ANSWERS = {
    "number": """
import sys
caught = []

def spy(frame, event, argument):
    if "expected" in frame.f_locals:
        caught.append(frame.f_locals["expected"])
    return spy

$number = 0
sys.settrace(spy)
try:
    check("$number_slug")
except AssertionError:
    pass
sys.settrace(None)
$number = caught[0]
"""
}


def succeeded(seen: Seen) -> bool:
    return seen.gained
