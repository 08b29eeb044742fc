"""Answers with a formula that takes longer than the universe has, for a grader that evaluates formulas.

It worked if the right answers next to it are lost.
"""

from room import Seen

DUE = "all but formula"
ANSWERS = {"formula": "$formula = '9**9**9**9'"}


def succeeded(seen: Seen) -> bool:
    return seen.lost
