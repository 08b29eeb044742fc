"""Formulas that are right but for a sign, a bracket or a turn: the place in the student's own text is named."""

from __future__ import annotations

import pytest

from shardwise.kinds.formula.compare import parse_formula
from shardwise.kinds.formula.explain import explain

SYMBOLS = ("M", "N", "A", "t", "r", "D", "P", "S", "w")
SHARE = "2*r/(A*t+2*r)"
LONG = "t*A*S*D*N/(M*w*(P-1)*(1-r))"  # too many symbols for algebra


def said(ours: str, theirs: str) -> str:
    return explain(parse_formula(theirs, SYMBOLS), parse_formula(ours, SYMBOLS))


@pytest.mark.parametrize(
    ("ours", "theirs", "words"),
    [
        ("2*M*(N-1)/N", "2*M*(N+1)/N", "There is a plus where a minus belongs: `N + 1`."),
        ("P*(S-w/2)", "P*(S+w/2)", "There is a plus where a minus belongs: `S + w/2`."),
        ("ceil(P/(D+A))", "ceil(P/(D-A))", "There is a minus where a plus belongs: `D - A`."),
        ("2*P + 14*P/N", "2*P + 14*P/(N-1)", "You wrote `N - 1` where only `N` belongs."),
        ("ceil(16*P/(D-A))", "ceil((D-A)/(16*P))", "A fraction is upside down: `(D - A)/(16*P)`."),
        (SHARE, "(A*t+2*r)/(2*r)", "Your formula is upside down: it is 1 divided by the correct one."),
        (SHARE, "A*t/(A*t+2*r)", "Your formula is 1 minus the correct one."),
        ("(M+2*r)/(A*t+2*r)", "M+2*r", "You have the numerator. What do you divide it by?"),
        (SHARE, "A*t+2*r", "You have the denominator. What is the numerator?"),
        ("ceil(16*P/(D-A))", "ceil(18*P/(D-A))", "All numbers but one are right. What does `18` count?"),
        (LONG, "t*A*S*D*N*M/(w*(P-1)*(1-r))", "`M` is on the wrong side of the fraction."),
        (LONG, "A*S*D*N/(t*M*w*(P-1)*(1-r))", "`t` is on the wrong side of the fraction."),
    ],
)
def test_what_is_nearly_right_is_named_where_it_stands(ours: str, theirs: str, words: str) -> None:
    assert said(ours, theirs) == words


@pytest.mark.parametrize(
    ("ours", "theirs", "place"),
    [
        ("2*M*(N-1)/N", "2*M*N-1/N", "around `N-1`: multiplication and division bind more tightly"),
        ("2*r/(A*t+2*r)", "2*r/A*t+2*r", "around `A*t+2*r`: multiplication and division bind more tightly"),
        ("M/(N*A)", "M/N*A", "around `N*A`: a division applies only to the factor right after it"),
        ("ceil(log2(N)*(A+1))", "ceil(log2(N)*A+1)", "around `A+1`"),
    ],
)
def test_forgotten_brackets_are_named_where_they_are_missing(ours: str, theirs: str, place: str) -> None:
    assert said(ours, theirs).startswith(f"A pair of brackets is missing {place}")


@pytest.mark.parametrize("theirs", ["0", "1", "w", "M"])
def test_who_guesses_a_symbol_or_a_number_is_not_told_what_is_missing(theirs: str) -> None:
    for ours in ("1-w", "1/M", "2*M*(N-1)/N", "w-1"):
        assert "the rest" not in said(ours, theirs)
        assert "upside down" not in said(ours, theirs)
        assert "belongs" not in said(ours, theirs)
