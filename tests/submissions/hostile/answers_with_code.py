"""Answers with a formula that is a call, for a grader that evaluates formulas.

It worked if the call was made.
"""

from room import Seen

DUE = "all but formula"
ANSWERS = {"formula": """$formula = "__import__('pathlib').Path('$drop/ran').write_text('')" """}


def succeeded(seen: Seen) -> bool:
    return "ran" in seen.dropped
