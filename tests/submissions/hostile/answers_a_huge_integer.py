"""Answers with an integer of 5,000 digits, more than Python agrees to write down.

It worked if the batch ended there, and a bystander got no points.
"""

from room import Seen

DUE = "all but number"
ANSWERS = {"number": "$number = 10**5000"}


def succeeded(seen: Seen) -> bool:
    return seen.harmed
