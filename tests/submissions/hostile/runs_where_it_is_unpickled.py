"""Answers with an object whose __reduce__ names code, to be run by whoever unpickles it.

It worked if that code has run.
"""

from room import Seen

DUE = "all but choice"
ANSWERS = {
    "choice": """
class Parcel:
    def __reduce__(self):
        return exec, ("open('$drop/ran', 'w').close()",)

$choice = Parcel()
"""
}


def succeeded(seen: Seen) -> bool:
    return "ran" in seen.dropped
