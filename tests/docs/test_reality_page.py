"""docs/reality.md: what it says of the formulas is what the references say today, and nothing measured is far from it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from reality import CASES
from reality.cases import Case
from reality.page import MACHINE

PAGE = Path(__file__).parents[2] / "docs" / "reality.md"
LINES = [
    line
    for line in PAGE.read_text("utf-8").partition(MACHINE)[0].splitlines()
    if line.startswith("| ") and "| formula |" not in line
]


@pytest.mark.parametrize("case", CASES, ids=[case.what[:70] for case in CASES])
def test_the_page_has_what_the_reference_gives_today(case: Case) -> None:
    (line,) = [line for line in LINES if line.startswith(f"| {case.what} |")]
    assert line.startswith(case.beginning()), "run `make reality` and commit the page"


def test_the_page_has_nothing_else() -> None:
    assert len(LINES) == len(CASES)


def test_measured_and_computed_are_the_same_where_nothing_says_why_not() -> None:
    for line in LINES:
        apart = line.rstrip(" |").rpartition("| ")[2]
        assert apart == "none" or float(apart.rstrip("%")) < 1 or re.search(r"\(.*\) \|", line), line
