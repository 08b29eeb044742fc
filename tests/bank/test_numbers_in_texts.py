"""Numbers in prose: authors' numbers are formatted like drawn ones."""

from __future__ import annotations

import pytest

from shardwise.units import THIN_SPACE, regrouped


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
def test_a_number_in_prose_is_formatted_like_a_drawn_one(written: str, shown: str) -> None:
    assert regrouped(written) == shown
