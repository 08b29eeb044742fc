"""Dice: the same on every machine, and each parameter with a stream of its own."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from shardwise.bank.bank import Bank, pose
from shardwise.errors import ShardwiseError
from shardwise.template.parameters import Draw, dice, draw, throw

PARAMS = {
    "gpus": Draw(choice=(8, 16, 64, 256)),
    "message_bytes": Draw(range=(1, 9, 1), unit="GB"),
    "parameters": Draw(log_range=(1e9, 1e11), digits=2),
}


def _drawn(params: dict[str, Draw], seed: str, where: tuple[str, ...] = ()) -> dict[str, object]:
    return dict(draw(params, where, seed, "a/problem", extra={})[0].values)


@given(st.text(max_size=20))
def test_adding_removing_and_reordering_parameters_leaves_the_others_as_they_were(seed: str) -> None:
    before = _drawn(PARAMS, seed)
    more = {
        "latency_s": Draw(choice=(2, 5), unit="us"),
        **dict(reversed(PARAMS.items())),
        "zeal": Draw(range=(0, 9, 1)),
    }
    assert {name: _drawn(more, seed)[name] for name in PARAMS} == before
    fewer = {"parameters": PARAMS["parameters"]}
    assert _drawn(fewer, seed)["parameters"] == before["parameters"]


def test_golden_draws_do_not_depend_on_machine_or_version() -> None:
    # Computed once; SHA-256 and decimal arithmetic give the same everywhere, and a change would redraw every course.
    assert dice("7", "a/problem", "gpus") == 6407005006249411729
    assert _drawn(PARAMS, "7") == {"gpus": 16, "message_bytes": 1_000_000_000, "parameters": 84_000_000_000}


def test_draws_do_not_depend_on_hash_randomisation() -> None:
    program = (
        "from shardwise.bank.bank import bank, pose\n"
        "print([pose(one, 'x').model_dump_json() for one in list(bank().problems.values())[:12]])"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONHASHSEED": salt}, capture_output=True, text=True, check=True
        ).stdout
        for salt in ("1", "2")
    }
    assert len(texts) == 1


def test_every_value_of_a_choice_comes_up_about_equally_often() -> None:
    counts = Counter(_drawn(PARAMS, str(seed))["gpus"] for seed in range(4000))
    assert set(counts) == {8, 16, 64, 256}
    assert all(850 < count < 1150 for count in counts.values()), counts


def test_a_range_includes_both_ends_and_nothing_else() -> None:
    drawn = {_drawn(PARAMS, str(seed))["message_bytes"] for seed in range(500)}
    assert drawn == {one * 10**9 for one in range(1, 10)}


def test_a_log_range_is_rounded_to_its_digits_and_stays_inside() -> None:
    for seed in range(300):
        value = _drawn(PARAMS, str(seed))["parameters"]
        assert isinstance(value, int)
        assert 10**9 <= value <= 10**11
        assert value % 10 ** (len(str(value)) - 2) == 0


def test_rejected_draws_are_counted_and_the_constraint_holds() -> None:
    drawn, _ = draw(PARAMS, ("gpus > 100",), "3", "a/problem", extra={})
    assert drawn.values["gpus"] == 256
    assert drawn.rejected == sum(
        1 for attempt in range(drawn.rejected) if throw(PARAMS, "3", "a/problem", attempt, {})["gpus"] != 256
    )
    assert sum(draw(PARAMS, ("gpus > 100",), str(seed), "p", extra={})[0].rejected for seed in range(200)) > 300


def test_an_impossible_constraint_is_said_and_not_waited_for() -> None:
    with pytest.raises(ShardwiseError, match="all rejected; loosen its constraints"):
        draw(PARAMS, ("gpus < 0",), "1", "a/problem", extra={})


def test_a_duplex_bandwidth_reaches_the_reference_as_one_direction() -> None:
    one = Draw(fixed=600, unit="GB/s", direction="duplex")
    assert one.base(one.roll(0)) == 300_000_000_000


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ({}, "here are 0"),
        ({"choice": [1], "range": [1, 2, 1]}, "here are 2: choice, range"),
        ({"fixed": 50, "unit": "GB/s"}, "needs a direction"),
        ({"choice": ["1e9"]}, "'1e9' is text; write the number without quotes"),
        ({"choice": [1, 1]}, "names each value once"),
        ({"range": [3, 1, 1]}, "low at most high"),
        ({"derived": "2 *"}, "is not an expression"),
        ({"fixed": 1, "unit": "gb"}, "GB or Gb"),
    ],
)
def test_a_bad_draw_says_what_to_do(given_: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        Draw.model_validate(given_)


def test_a_function_whose_cases_expose_no_mistake_is_drawn_anew(whole_bank: Bank) -> None:
    # With this seed every latency of the first throw is 0, so one recognised mistake is right on all of its cases.
    problem = whole_bank.find("ring-time-function")
    question = pose(problem, "3ff78f8338d7c0da9ec1736f")
    assert question.rejected > 0
    assert {case["inputs"]["latency_us"] for case in question.key.model_dump()["cases"]} != {0}
