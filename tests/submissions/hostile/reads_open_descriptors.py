"""Reads the files that the grader had open when it started the student's code.

It worked if the number earns points, for the key was in one of them.
"""

from room import Seen

DUE = "none"
ANSWERS = {
    "number": """
import json, os
for descriptor in range(3, 64):
    try:
        $number = json.loads(os.pread(descriptor, 10**7, 0))["$me"]["$number_slug"]["expected"]
    except (OSError, ValueError):
        pass
"""
}


def succeeded(seen: Seen) -> bool:
    return seen.gained
