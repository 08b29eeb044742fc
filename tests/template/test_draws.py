"""Draws: the same on every machine, with a separate stream for each parameter."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from shardwise.errors import Reject, ShardwiseError
from shardwise.template.draw import Draw, draw, values_of
from shardwise.template.parameters import Parameter
from shardwise.template.references import References
from shardwise.template.rng import Rng

PARAMS = {
    "gpus": Parameter(choice=(8, 16, 64, 256)),
    "message_bytes": Parameter(range=(1, 9, 1), unit="GB"),
    "parameters": Parameter(log_range=(1e9, 1e11), digits=2),
}
NONE = References(Path("nowhere"))


def _draw(params: dict[str, Parameter], seed: str, where: tuple[str, ...] = (), problem: str = "a/problem") -> Draw:
    drawn, _ = draw(params, where, seed=seed, problem=problem, references=NONE, accept=lambda drawn: None)
    return drawn


def _drawn(params: dict[str, Parameter], seed: str) -> dict[str, object]:
    return dict(_draw(params, seed).values)


@given(st.text(max_size=20))
def test_adding_removing_and_reordering_parameters_does_not_change_the_others(seed: str) -> None:
    before = _drawn(PARAMS, seed)
    more = {
        "latency_s": Parameter(choice=(2, 5), unit="us"),
        **dict(reversed(PARAMS.items())),
        "zeal": Parameter(range=(0, 9, 1)),
    }
    assert {name: _drawn(more, seed)[name] for name in PARAMS} == before
    fewer = {"parameters": PARAMS["parameters"]}
    assert _drawn(fewer, seed)["parameters"] == before["parameters"]


def test_golden_draws_do_not_depend_on_machine_or_version() -> None:
    # Computed once: SHA-256 and decimal arithmetic give the same everywhere, and a change would redraw every course.
    assert Rng("7", "a/problem").number("gpus") == 6407005006249411729
    assert _drawn(PARAMS, "7") == {"gpus": 16, "message_bytes": 1_000_000_000, "parameters": 84_000_000_000}


def test_every_value_of_a_choice_occurs_about_equally_often() -> None:
    counts = Counter(_drawn(PARAMS, str(seed))["gpus"] for seed in range(4000))
    assert set(counts) == {8, 16, 64, 256}
    assert all(850 < count < 1150 for count in counts.values()), counts


def test_a_range_includes_both_ends_and_nothing_else() -> None:
    drawn = {_drawn(PARAMS, str(seed))["message_bytes"] for seed in range(500)}
    assert drawn == {gigabytes * 10**9 for gigabytes in range(1, 10)}


def test_a_log_range_is_rounded_to_its_digits_and_stays_inside() -> None:
    for seed in range(300):
        value = _drawn(PARAMS, str(seed))["parameters"]
        assert isinstance(value, int)
        assert 10**9 <= value <= 10**11
        assert value % 10 ** (len(str(value)) - 2) == 0


def test_rejected_draws_are_counted_and_the_constraint_holds() -> None:
    drawn = _draw(PARAMS, "3", ("gpus > 100",))
    rejected = drawn.rng.attempt
    assert drawn.values["gpus"] == 256
    assert rejected == sum(
        1 for attempt in range(rejected) if values_of(PARAMS, Rng("3", "a/problem", attempt), NONE)["gpus"] != 256
    )
    assert sum(_draw(PARAMS, str(seed), ("gpus > 100",), "p").rng.attempt for seed in range(200)) > 300


def test_an_impossible_constraint_is_reported_without_an_endless_loop() -> None:
    with pytest.raises(ShardwiseError, match=r"all rejected\. Relax its constraints"):
        _draw(PARAMS, "1", ("gpus < 0",))


def test_a_rejected_draw_is_repeated_and_the_reason_is_reported_at_the_end() -> None:
    def accept(drawn: Draw) -> int:
        if drawn.values["gpus"] != 64:
            raise Reject("64 it must be")
        return 7

    drawn, accepted = draw(PARAMS, (), seed="3", problem="p", references=NONE, accept=accept)
    assert (drawn.values["gpus"], accepted) == (64, 7)

    def never(drawn: Draw) -> None:
        raise Reject("no number will do")

    with pytest.raises(ShardwiseError, match=r"all rejected. .* The last: no number will do\."):
        draw(PARAMS, (), seed="3", problem="p", references=NONE, accept=never)


def test_options_keep_their_order_when_a_draw_is_rejected() -> None:
    assert Rng("3", "p", 4).steady.shuffled("abcdef", "options") == Rng("3", "p").shuffled("abcdef", "options")
    assert Rng("3", "p", 4).shuffled("abcdef", "options") != Rng("3", "p").shuffled("abcdef", "options")


def test_a_duplex_bandwidth_reaches_the_reference_as_one_direction() -> None:
    both_ways = Parameter(fixed=600, unit="GB/s", direction="duplex")
    assert both_ways.base(both_ways.roll(0)) == 300_000_000_000


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ({}, "exactly one way, not 0"),
        ({"choice": [1], "range": [1, 2, 1]}, "exactly one way, not 2: choice, range"),
        ({"fixed": 50, "unit": "GB/s"}, "needs a direction"),
        ({"choice": ["1e9"]}, "'1e9' is text; write the number without quotes"),
        ({"choice": [1, 1]}, "must not repeat a value"),
        ({"range": [3, 1, 1]}, "low at most high"),
        ({"derived": "2 *"}, "is not an expression"),
        ({"fixed": 1, "unit": "gb"}, "GB or Gb"),
    ],
)
def test_a_bad_draw_says_what_to_do(given_: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        Parameter.model_validate(given_)
