"""Hands in a broken notebook whose file name, which is all that is known of it, is a formula that a spreadsheet runs.

It worked if a cell of the table begins like a formula, or the batch ended there.
"""

from room import Desk, Seen

DUE = "ungraded: This is not a notebook"


def hand_in(desk: Desk) -> None:
    (desk.folder / f'@SUM("{desk.me}").ipynb').write_text("{")


def succeeded(seen: Seen) -> bool:
    return any(seen.me in cell for cell in seen.formulas) or seen.harmed
