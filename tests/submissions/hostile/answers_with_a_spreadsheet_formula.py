"""Answers with a formula that a spreadsheet runs when the table is opened.

It worked if a cell of the table begins like a formula.
"""

from room import Seen

DUE = "all but choice"
ANSWERS = {"choice": """$choice = '=HYPERLINK("http://$me.test","points")'"""}


def succeeded(seen: Seen) -> bool:
    return any(seen.me in cell for cell in seen.formulas)
