"""Calls of a student's function: one result per input, whatever happens for other inputs."""

from __future__ import annotations

import pytest

from shardwise.errors import ShardwiseError
from shardwise.sandbox import CallResult, Calls, CallsResult, Cell, CellResult, Sandbox, Value, ValueResult


def calls(sandbox: Sandbox, source: str, *inputs: dict[str, object], fresh: bool = False) -> list[CallResult]:
    if fresh:
        steps: list[Cell | Calls] = [Calls("calls", "f", inputs, source=source)]
    else:
        steps = [Cell("cell", source), Calls("calls", "f", inputs)]
    result = sandbox.run(steps).results["calls"]
    assert isinstance(result, CallsResult)
    return list(result.results)


@pytest.mark.parametrize("fresh", [False, True])
def test_a_function_is_called_once_per_input(sandbox: Sandbox, fresh: bool) -> None:
    inputs = [{"a": number, "b": [number]} for number in range(5)]
    results = calls(sandbox, "def f(a, b): return [a * 2, b]", *inputs, fresh=fresh)
    assert results == [CallResult("returned", [number * 2, [number]]) for number in range(5)]


def test_arguments_go_by_position_when_the_student_renamed_them(strongest: Sandbox) -> None:
    assert calls(strongest, "def f(p, q): return p - q", {"a": 5, "b": 3}) == [CallResult("returned", 2)]


def test_one_call_cannot_spoil_the_next_ones_input(strongest: Sandbox) -> None:
    shared: list[object] = [1]
    results = calls(strongest, "def f(x):\n    x.append(2)\n    return x", {"x": shared}, {"x": shared})
    assert results == [CallResult("returned", [1, 2])] * 2


def test_a_call_that_raises_loses_only_itself(sandbox: Sandbox) -> None:
    results = calls(sandbox, "def f(x):\n    return 6 / x", {"x": 2}, {"x": 0}, {"x": 3})
    assert results[0] == CallResult("returned", 3.0)
    assert results[1] == CallResult("raised", None, "ZeroDivisionError: division by zero (line 2 of answer cell cell)")
    assert results[2] == CallResult("returned", 2.0)


@pytest.mark.parametrize(
    ("accident", "status"),
    [
        ("while True: pass", "timeout"),
        ("import os; os._exit(1)", "killed"),
        ("bytearray(6 * 10**9)", "memory"),
        ("return {1, 2}", "unreadable"),
    ],
)
def test_a_call_with_an_accident_loses_only_itself(sandbox: Sandbox, accident: str, status: str) -> None:
    source = f"def f(x):\n    if x == 1:\n        {accident}\n    return x"
    results = calls(sandbox, source, {"x": 0}, {"x": 1}, {"x": 2})
    assert [result.status for result in results] == ["returned", status, "returned"]
    assert (results[0].value, results[2].value) == (0, 2)


def test_a_function_that_always_hangs_is_given_up_after_two_timeouts(sandbox: Sandbox) -> None:
    inputs: list[dict[str, object]] = [{"x": number} for number in range(20)]
    results = calls(sandbox, "def f(x):\n    while True: pass", *inputs)
    assert [result.status for result in results] == ["timeout"] * 2 + ["skipped"] * 18


def test_giving_up_on_one_function_keeps_what_it_returned_and_the_other_function(strongest: Sandbox) -> None:
    source = "def f(x):\n    while x: pass\n    return 'done'\ndef g(x): return x"
    inputs = tuple({"x": number} for number in (0, 1, 2, 0))
    job = strongest.run([Cell("cell", source), Calls("f", "f", inputs), Calls("g", "g", inputs)])
    f, g = job.results["f"], job.results["g"]
    assert isinstance(f, CallsResult)
    assert isinstance(g, CallsResult)
    assert [result.status for result in f.results] == ["returned", "timeout", "timeout", "skipped"]
    assert [result.value for result in g.results] == [0, 1, 2, 0]


def test_a_function_that_is_not_there_is_missing(sandbox: Sandbox) -> None:
    assert calls(sandbox, "", {"x": 1})[0] == CallResult("missing", None, "there is no function named f")
    assert calls(sandbox, "f = ...", {"x": 1})[0].status == "missing"
    assert calls(sandbox, "f = 3", {"x": 1})[0].error == "f is of type int, not a function"


def test_a_fresh_source_sees_nothing_of_the_notebook_and_leaves_nothing_in_it(strongest: Sandbox) -> None:
    job = strongest.run(
        [
            Cell("cell", "secret = 1"),
            Calls("calls", "f", ({"x": 1},), source="made = 2\ndef f(x): return 'secret' in globals()"),
            Value("made", "made"),
            Value("secret", "secret"),
        ]
    )
    assert job.results["calls"] == CallsResult((CallResult("returned", False),))
    assert job.results["made"] == ValueResult("missing")
    assert job.results["secret"] == ValueResult("ok", 1, "int")


@pytest.mark.parametrize(
    ("source", "status"), [("1 / 0", "raised"), ("while True: pass", "timeout"), ("import os; os._exit(0)", "killed")]
)
def test_a_fresh_source_that_fails_fails_for_every_input(strongest: Sandbox, source: str, status: str) -> None:
    results = calls(strongest, source, {"x": 1}, {"x": 2}, fresh=True)
    assert [result.status for result in results] == [status, status]


def test_inputs_that_cannot_be_sent_are_reported_as_our_error(strongest: Sandbox) -> None:
    with pytest.raises(ShardwiseError, match="An input of f cannot be sent to the sandbox: a value of type set"):
        strongest.run([Calls("calls", "f", ({"x": {1}},))])


def test_two_steps_with_one_key_are_refused(strongest: Sandbox) -> None:
    with pytest.raises(ShardwiseError, match="same key"):
        strongest.run([Cell("a", ""), Value("a", "x")])


def test_a_job_that_breaks_at_every_cell_ends_within_its_bounds(strongest: Sandbox) -> None:
    steps = [Cell(str(number), "import os; os._exit(1)") for number in range(40)]
    job = strongest.run(steps)
    statuses = [result.status for result in job.results.values() if isinstance(result, CellResult)]
    assert job.restarts == strongest.limits.restarts
    assert statuses == ["killed"] * 26 + ["skipped"] * 14
