"""Hands in a notebook whose file name is a formula that a spreadsheet runs.

It worked if a cell of the table begins like a formula.
"""

from room import Desk, Seen


def hand_in(desk: Desk) -> None:
    desk.write(name=f'=HYPERLINK("{desk.me}").ipynb')


def succeeded(seen: Seen) -> bool:
    return any(seen.me in cell for cell in seen.formulas)
