"""Answers with a text of ten megabytes, for the report to carry.

It worked if what is written about this one student takes megabytes.
"""

from room import Seen

DUE = "all but choice"
ANSWERS = {"choice": "$choice = 'x' * 10_000_000"}


def succeeded(seen: Seen) -> bool:
    return seen.size > 2_000_000
