"""Values from the sandbox: plain data of bounded size, and a reason for everything else."""

from __future__ import annotations

import contextlib
import math
import struct
import time
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shardwise.sandbox import Calls, CallsResult, Cell, Limits, Sandbox, Step, Value, ValueResult
from shardwise.sandbox.inside import wire_format
from shardwise.sandbox.inside.shared_memory import Frames
from shardwise.sandbox.untrusted_results import ResultReader


def value(sandbox: Sandbox, expression: str, before: str = "") -> ValueResult:
    result = sandbox.run([Cell("cell", f"{before}\nx = {expression}"), Value("value", "x")]).results["value"]
    assert isinstance(result, ValueResult)
    return result


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5) | st.integers(), inner, max_size=4),
    max_leaves=15,
)


@settings(max_examples=25, deadline=None)
@given(plain=PLAIN)
def test_plain_data_comes_back_as_it_was(strongest: Sandbox, plain: object) -> None:
    job = strongest.run([Cell("def", "def same(x): return x"), Calls("call", "same", ({"x": plain},))])
    calls = job.results["call"]
    assert isinstance(calls, CallsResult)
    assert (calls.results[0].status, calls.results[0].value) == ("returned", plain)
    literal = value(strongest, repr(plain).replace("inf", "float('inf')"))
    assert (literal.status, literal.value) == ("ok", plain)


@given(plain=PLAIN)
def test_inputs_are_converted_like_results(plain: object) -> None:
    assert (
        wire_format.unpack(wire_format.pack(plain))
        == wire_format.unpack(wire_format.from_text(wire_format.to_text(wire_format.pack(plain)).encode()))
        == plain
    )


@pytest.mark.parametrize(
    "text",
    [b"", b"[", b"1 2", b"[1]]", b"[1],[2]", b"\xff", b"[" * 300, b'["\xed\xa0\x80"]', b"9" * 4002, b"[NaN", b"nul"],
)
def test_only_invalid_json_is_a_value_error(text: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        wire_format.from_text(text)


@pytest.mark.parametrize(
    ("expression", "expected", "type_name"),
    [
        ("(1, (2, 3))", [1, [2, 3]], "tuple"),
        ("np.float32(0.5)", 0.5, "float32"),
        ("np.int64(7)", 7, "int64"),
        ("np.bool_(True)", True, "bool"),
        ("np.arange(6).reshape(2, 3)", [[0, 1, 2], [3, 4, 5]], "ndarray"),
        ("np.array(5.0)", 5.0, "ndarray"),
        ("{0: [np.int8(1)], 'b': 2.0}", {0: [1], "b": 2.0}, "dict"),
        ("sympy.Symbol('p') * 2 + 1", "2*p + 1", "Add"),
        ("sympy.Integer(4)", 4, "Integer"),
        ("collections.Counter('aab')", {"a": 2, "b": 1}, "Counter"),
        ("float('inf')", math.inf, "float"),
        ("True", True, "bool"),
        ("None", None, "NoneType"),
        ("[..., 1]", [None, 1], "list"),  # a part of a form without an answer
    ],
)
def test_values_of_numpy_sympy_and_collections_become_plain(
    sandbox: Sandbox, expression: str, expected: object, type_name: str
) -> None:
    result = value(sandbox, expression, "import numpy as np, sympy, collections")
    assert (result.status, result.value) == ("ok", expected)
    assert type(result.value) is type(expected)
    assert result.type_name.startswith(type_name)  # bool_ in numpy 1, bool in numpy 2


def test_nan_stays_nan(sandbox: Sandbox) -> None:
    assert math.isnan(value(sandbox, "float('nan')").value)  # type: ignore[arg-type]


def test_an_unanswered_question_is_missing_not_wrong(sandbox: Sandbox) -> None:
    job = sandbox.run([Cell("cell", "x = ..."), Value("dots", "x"), Value("unbound", "y")])
    assert job.results["dots"] == job.results["unbound"] == ValueResult("missing")


@pytest.mark.parametrize(
    ("expression", "type_name", "reason"),
    [
        ("{1, 2}", "set", "a value of type set"),
        ("lambda: 0", "function", "a value of type function"),
        ("1j", "complex", "a value of type complex"),
        ("{(1, 2): 3}", "dict", "a dict with a key of type tuple"),
        ("list(range(10_001))", "list", "more than 10,000 elements"),
        ("[[0] * 1000 for _ in range(200)]", "list", "more than 10,000 elements"),
        ("np.zeros(10**6)", "ndarray", "more than 100,000 elements"),
        ("'x' * 10**6", "str", "a string of more than 100,000 characters"),
        ("10**5000", "int", "an integer of more than 4000 digits"),
        ("'\\ud800'", "str", "a string with an incomplete character (a lone surrogate)"),
        ("eval('[' * 30 + ']' * 30)", "list", "nested more than 20 levels deep"),
        ("np.array(['2020-01-01'], dtype='datetime64[D]')[0]", "datetime64", "a value of type datetime64"),
    ],
)
def test_a_value_that_cannot_be_packed_says_why(
    strongest: Sandbox, expression: str, type_name: str, reason: str
) -> None:
    result = value(strongest, expression, "import numpy as np")
    assert result == ValueResult("unreadable", None, type_name, reason)


def test_a_list_that_contains_itself_is_unreadable(strongest: Sandbox) -> None:
    result = value(strongest, "[]; x.append(x)")
    assert (result.status, result.reason) == ("unreadable", "nested more than 20 levels deep")


def test_a_value_that_fights_back_is_unreadable_and_the_next_one_is_not(sandbox: Sandbox) -> None:
    hostile = "class Bad(list):\n    def __iter__(self): raise SystemExit\nx = Bad()\ny = 5"
    job = sandbox.run([Cell("cell", hostile), Value("x", "x"), Value("y", "y")])
    assert job.results["x"] == ValueResult("unreadable", None, "Bad", "reading it raised SystemExit")
    assert job.results["y"] == ValueResult("ok", 5, "int")


def test_a_value_that_hangs_when_read_is_killed_and_the_next_one_is_not(strongest: Sandbox) -> None:
    hostile = "class Slow(list):\n    def __iter__(self):\n        while True: pass\nx = Slow()\ny = 5"
    job = strongest.run([Cell("cell", hostile), Value("x", "x"), Value("y", "y")])
    assert job.results["x"] == ValueResult("killed")
    assert job.results["y"] == ValueResult("ok", 5, "int")


def test_values_too_large_together_are_unreadable_one_by_one(strongest: Sandbox) -> None:
    many = [Value(str(number), "x") for number in range(20)]
    results = strongest.run([Cell("cell", "x = 'x' * 90_000"), *many]).results
    statuses = [results[str(number)].status for number in range(20)]  # type: ignore[union-attr]
    assert statuses == ["ok"] * 11 + ["unreadable"] * 9
    assert "more than 1,048,576 bytes" in results["19"].reason  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "text",
    [b"[" * 500 + b'"' + b'\\"' * 500_000, b"[" * 500 + b'"\\' * 500_000, b"[" * 1_000_000, b"[" + b"{}," * 300_000 + b"1]"],
    ids=["a string without an end", "many of them", "brackets", "empty objects"],
)  # fmt: skip
def test_a_forged_frame_is_read_in_the_time_that_its_length_takes(text: bytes) -> None:
    began = time.process_time()
    with contextlib.suppress(ValueError):
        wire_format.from_text(text)
    assert time.process_time() - began < 2  # an unterminated string once took minutes


@pytest.mark.slow
def test_frames_of_180_cells_take_some_tens_of_megabytes_whatever_a_job_writes() -> None:
    """They once took 2.3 GB; here, each kind of frame has one attempt, and the results of all of them are kept."""
    steps: list[Step] = [Cell(f"c{number}", "") for number in range(180)]
    steps += [Value(f"v{number}", "x") for number in range(20)]
    steps += [Calls(f"f{number}", "f", ({"n": 1},) * 20) for number in range(10)]
    reader, kept = ResultReader(steps, Limits()), dict[object, object]()
    wide = b'[%d, -1, "ok", "' + "\N{GRINNING FACE}".encode() * 30_000 + b'"]'
    many = b'[%d, -1, "ok", [' + b"[1, []], " * 9_000 + b'1], "", ""]'
    returned = b'[%d, %d, "returned", [' + b"[]," * 9_000 + b'1], ""]'
    attempts = [[wide % number for number in range(180)], [many % number for number in range(180, 200)]]
    attempts += [
        [returned % (number, call) for number in range(200, 210) for call in range(20)],
        [b"[" + b"{}," * 350_000 + b"1]"] * 9,
    ]
    written = [
        Frames(b"".join(struct.pack("<I", len(frame)) + frame for frame in frames)[: reader.space])
        for frames in attempts
    ]
    tracemalloc.start()
    for frames in written:
        kept.update(reader.read(frames))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(kept) > 50
    assert reader.space + peak < 100_000_000


def test_values_forged_in_many_attempts_are_bounded_together() -> None:
    steps = [Value(f"v{number}", "x") for number in range(50)]
    reader = ResultReader(steps, Limits(result_bytes=10_000))
    frame = b'[%d, -1, "ok", "' + b"x" * 3_000 + b'", "str", ""]'
    kept = [reader.read([frame % number]) for number in (1, 2, 3, 4, 2, 4, 1)]
    assert [list(found) for found in kept] == [[(1, -1)], [(2, -1)], [(3, -1)], [], [(2, -1)], [], [(1, -1)]]
