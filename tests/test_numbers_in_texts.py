"""Numbers in the texts of the bank's questions: those of their authors are written as drawn ones are."""

from __future__ import annotations

import re

import pytest

from shardwise.bank.bank import Problem
from shardwise.bank.posing import pose
from shardwise.kinds import text_of
from shardwise.units import THIN_SPACE, regrouped

WITH_COMMAS = re.compile(r"(?<![\w.,])\d{1,3}(?:,\d{3})+")
CODE_AND_TEX = re.compile(r"```.*?```|`[^`]*`|\$[^$\n]*\$", re.DOTALL)


def test_no_text_of_a_question_parts_thousands_by_commas(problem: Problem) -> None:
    question = pose(problem, 0)
    for text in (text_of(question), *question.hints, question.solution):
        assert WITH_COMMAS.findall(CODE_AND_TEX.sub("", text)) == []


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("131,072 tokens", f"131{THIN_SPACE}072 tokens"),
        ("8,192 tokens", "8192 tokens"),
        ("1,234,567.5 s", f"1{THIN_SPACE}234{THIN_SPACE}567.5 s"),
        ("one of 1, 2,048", "one of 1, 2048"),
        ("8,192,", "8192,"),
        ("`f(1,024)` and $1,024$", "`f(1,024)` and $1,024$"),
        ("```\nf(1,024)\n```", "```\nf(1,024)\n```"),
        ("0,125 and 1,23 and 1,2345", "0,125 and 1,23 and 1,2345"),
        ("[1,200,30]", "[1,200,30]"),
    ],
)
def test_a_number_in_prose_is_written_as_a_drawn_one_is(written: str, shown: str) -> None:
    assert regrouped(written) == shown
