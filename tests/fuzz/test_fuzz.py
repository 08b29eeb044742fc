"""Fuzzing with hypothesis: valid things with nodes swapped, lines moved and bytes flipped, and bytes that are nothing.

`EFFORT=20 pytest tests/fuzz` tries twenty times as many; with CI set, the same ones are tried each time.
"""

from __future__ import annotations

import contextlib
import json
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from drawing import tries
from shardwise.sandbox.inside import wire_format
from shardwise.template import yaml_source

from . import coverage_guided
from .coverage_guided import TOKENS
from .seeds import FORMULAS, NUMBERS, memory, seeds
from .targets import SYMBOLS, TARGETS, UNITS, questions

pytestmark = pytest.mark.slow  # what was found so far is tried in test_findings.py, which is quick
SECONDS = 30  # of CPU for one input: a bound against hanging, not for speed
BYTES = 2 * 2**30  # beyond what this process has already: a bound against bombs


def tried(examples: int) -> settings:
    """How often a target is tried. Whether the examples are new ones is reported by the profile in use."""
    slow = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much)
    return settings(max_examples=tries(examples), suppress_health_check=slow)


class TookTooLong(BaseException):
    """What no `except Exception` on the way can take for one of its own."""


@contextlib.contextmanager
def bounded() -> Iterator[None]:
    """So much CPU time, and so much memory, and no more."""

    def stop(*_: object) -> None:
        raise TookTooLong(f"over {SECONDS} s for one input")

    limits = resource.getrlimit(resource.RLIMIT_AS)
    with open("/proc/self/statm", encoding="ascii") as file:
        in_use = int(file.read().split()[0]) * resource.getpagesize()
    before = signal.signal(signal.SIGVTALRM, stop)
    resource.setrlimit(resource.RLIMIT_AS, (in_use + BYTES, limits[1]))
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        resource.setrlimit(resource.RLIMIT_AS, limits)
        signal.signal(signal.SIGVTALRM, before)


def put(target: str, data: bytes) -> None:
    with bounded():
        TARGETS[target](data)


# Ways to spoil what was sound ---------------------------------------------------------------------------------------

ODD_TEXT = st.text(max_size=12) | st.sampled_from(
    ["", "\ud800", "a\x00b", "\x1b[31m", "../../x", "`$x$`", "{{ x }}", "=1+1", "1" * 5000, "٣", "½", "nan", "-0"]
)
ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.integers(10**4000, 10**4100) | st.floats() | ODD_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ODD_TEXT, inner, max_size=4),
    max_leaves=8,
)


@st.composite
def spoilt(draw: st.DrawFn, target: str) -> bytes:
    """A seed with some of its bytes cut, doubled, moved or replaced."""
    data = bytearray(draw(st.sampled_from(seeds(target))))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.sampled_from((0, 1, 2, 8, 64))))
        there = draw(st.integers(0, len(data)))
        piece = draw(
            st.sampled_from((b"", bytes(data[start:end]) * 2, bytes(data[there : there + 40]))) | st.binary(max_size=8)
        )
        data[start:end] = piece
    return bytes(data)


@st.composite
def flipped(draw: st.DrawFn, target: str) -> bytes:
    """A seed with some of its bits the other way."""
    data = bytearray(draw(st.sampled_from(seeds(target))))
    for _ in range(draw(st.integers(1, 3))):
        data[draw(st.integers(0, len(data) - 1))] ^= draw(st.sampled_from((1, 2, 4, 8, 16, 32, 64, 128, 255)))
    return bytes(data)


@st.composite
def moved(draw: st.DrawFn, target: str) -> bytes:
    """A seed with lines moved, doubled, omitted or indented otherwise."""
    lines = draw(st.sampled_from(seeds(target))).split(b"\n")
    words = (b"", b"  ", b"- ", b"? ", b"&a ", b"*a ", b"!!int ", b"<<: ", b"|\n", b"# ", b"'", b"[")
    for _ in range(draw(st.integers(1, 4))):
        start, there = draw(st.integers(0, len(lines) - 1)), draw(st.integers(0, len(lines) - 1))
        other = draw(st.sampled_from(words)) + draw(st.sampled_from((lines[there], lines[there].strip(), lines[start])))
        lines[start : start + draw(st.integers(0, 1))] = [other] * draw(st.integers(0, 2))
        lines = lines or [b""]
    return b"\n".join(lines)


@st.composite
def swapped(draw: st.DrawFn, tree: Any) -> Any:
    """Data with some of its nodes replaced by others of its own or by odd ones, omitted or doubled."""
    tree = json.loads(json.dumps(tree))
    for _ in range(draw(st.integers(1, 3))):
        inner, name = _node(draw, tree)
        if inner is None:
            return draw(ODD)
        what = draw(st.sampled_from(("odd", "odd", "other", "gone", "deep")))
        if what == "gone":
            del inner[name]
        elif what == "other":
            other, place = _node(draw, tree)
            inner[name] = json.loads(json.dumps(other[place])) if other else None
        elif what == "deep":
            inner[name] = json.loads("[" * 90 + "]" * 90)
        else:
            inner[name] = draw(ODD)
    return tree


def _node(draw: st.DrawFn, tree: Any) -> tuple[Any, Any]:
    """A node somewhere in a tree: what holds it, and its name or number there."""
    held: tuple[Any, Any] = (None, None)
    while isinstance(tree, dict | list) and tree and (held[0] is None or draw(st.integers(0, 4))):
        name = draw(st.sampled_from(sorted(tree) if isinstance(tree, dict) else range(len(tree))))
        held, tree = (tree, name), tree[name]
    return held


def written(data: Any) -> bytes:
    return json.dumps(data).encode()


@pytest.mark.parametrize("target", TARGETS)
def test_what_the_fuzzers_start_from_is_read_without_a_finding(target: str) -> None:
    assert seeds(target)
    for seed in seeds(target):
        put(target, seed)
    put(target, b"")


@pytest.mark.parametrize("target", TARGETS)
def test_any_bytes_are_read_or_refused_in_words(target: str) -> None:
    @tried(50)
    @given(st.binary(max_size=200) | ODD_TEXT.map(lambda text: text.encode("utf-8", "surrogatepass")))
    def fuzz(data: bytes) -> None:
        put(target, data)

    fuzz()


@pytest.mark.parametrize("target", TARGETS)
def test_what_is_nearly_sound_is_read_or_refused_in_words(target: str) -> None:
    @tried(30 if target in ("template", "definition") else 100)
    @given(spoilt(target) | moved(target) | flipped(target))
    def fuzz(data: bytes) -> None:
        put(target, data)

    fuzz()


@tried(100)
@given(st.data())
def test_a_notebook_with_cells_and_metadata_swapped(data: st.DataObject) -> None:
    put("notebook", written(data.draw(swapped(json.loads(data.draw(st.sampled_from(seeds("notebook"))))))))


@tried(100)
@given(st.data())
def test_a_lock_with_values_swapped(data: st.DataObject) -> None:
    lines = [json.loads(line) for line in seeds("lock")[0].splitlines()]
    put("lock", b"".join(written(line) + b"\n" for line in data.draw(swapped(lines)) or []))


@pytest.mark.parametrize("target", ["template", "definition"])
def test_a_template_with_values_swapped(target: str) -> None:
    @tried(50)
    @given(st.data())
    def fuzz(data: st.DataObject) -> None:
        sound = yaml_source.parse_yaml(data.draw(st.sampled_from(seeds(target))).decode(), "seed").data
        put(target, json.dumps(data.draw(swapped(sound)), ensure_ascii=False).encode("utf-8", "surrogatepass"))

    fuzz()


@tried(100)
@given(st.data(), st.booleans(), st.integers(0, 255), st.sampled_from(("utf-8", "utf-16", "utf-32-le", "latin-1")))
def test_frames_with_values_swapped(data: st.DataObject, finished: bool, ending: int, encoding: str) -> None:
    sound = [
        [0, -1, "ok", "", "output"],
        [1, -1, "ok", data.draw(ODD.map(_packed)), "list", ""],
        *([2, number, "returned", data.draw(ODD.map(_packed)), ""] for number in range(3)),
        [3, -1, "raised", data.draw(ODD_TEXT), ""],
    ]
    spoiled = data.draw(st.just(sound) | swapped(sound))
    frames = [json.dumps(frame).encode(encoding) for frame in (spoiled if isinstance(spoiled, list) else [spoiled])]
    at = data.draw(
        st.tuples(st.integers(0, 2**32 - 1) | st.integers(0, 4), st.integers(-5, 5), st.integers(0, 2**32 - 1))
    )
    put("frames", memory(frames, finished=finished, ending=ending, at=at))


def _packed(value: Any) -> Any:
    with contextlib.suppress(wire_format.Unpackable):
        return wire_format.pack(value)
    return None


# Coverage-guided fuzzing, which CI does not run -----------------------------------------------------------------------


def test_both_engines_have_the_same_targets() -> None:
    assert set(TOKENS) == set(TARGETS)


def test_a_finding_can_be_put_to_its_target_again(tmp_path: Path) -> None:
    def again(data: bytes, *target: str) -> subprocess.CompletedProcess[str]:
        (tmp_path / "finding").write_bytes(data)
        command = [sys.executable, coverage_guided.__file__, "--replay", str(tmp_path / "finding"), *target]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    assert "reads" in (sound := again(b"\x001 GB", "number")).stdout
    assert (sound.returncode, again(b"", "no-such-target").returncode, again(b"").returncode) == (0, 2, 2)


# What students type -------------------------------------------------------------------------------------------------


@tried(300)
@given(
    st.integers(0, 255),
    st.lists(
        st.sampled_from(NUMBERS)
        | st.sampled_from(UNITS)
        | st.sampled_from(
            (
                "e",
                "E-",
                "^",
                "**",
                "x 10^",
                "×10",
                "⁻",
                "⁹",
                "/",
                "/0",
                ",",
                "_",
                ".",
                "-",
                "−",
                "$",
                "%",
                "k",
                "M",
                " per ",
            )
        )
        | st.integers(0, 10**9).map(str)
        | st.floats(allow_nan=False).map(str)
        | st.text(max_size=3),
        max_size=6,
    ).map("".join),
)
def test_numbers_with_units_that_nobody_would_write(asked: int, text: str) -> None:
    put("number", bytes([asked]) + text.encode("utf-8", "surrogatepass"))


def _formulas(names: Sequence[str]) -> st.SearchStrategy[str]:
    """Formulas that follow the grammar, and some that nearly do."""
    leaf = st.sampled_from((*names, "2", "0", "1e9", ".5", "0.125", "64", "1e-64", "x", "²"))
    of_one = st.sampled_from(
        ("sqrt({})", "log2({})", "ceil({})", "({})", "-{}", "exp({})", "abs {}", "⌈{}⌉", "⌊{}⌋", "[{}]", "{}²", "{}⁻¹")
    )
    of_two = st.sampled_from(
        (
            "{} + {}",
            "{}-{}",
            "{}*{}",
            "{}/{}",
            "{}^{}",
            "{}**{}",
            "{} {}",
            "{}{}",
            "min({}, {})",
            "max({},{})",
            "{} = {}",
        )
    )
    return st.recursive(
        leaf,
        lambda inner: st.builds(str.format, of_one, inner) | st.builds(str.format, of_two, inner, inner),
        max_leaves=30,
    )


@tried(125)
@given(st.data(), st.integers(0, len(SYMBOLS) - 1))
def test_formulas_by_the_grammar_and_past_it(data: st.DataObject, first: int) -> None:
    text = data.draw(_formulas(SYMBOLS[first]) | st.lists(st.sampled_from(FORMULAS), max_size=4).map("".join))
    put("formula", bytes([first]) + text.encode("utf-8", "surrogatepass"))


@tried(150)
@given(st.integers(0, len(questions()) - 1), ODD.map(_packed))
def test_answers_of_any_sort_to_questions_of_every_kind(place: int, raw: Any) -> None:
    put("answer", bytes([place]) + wire_format.to_text(raw).encode())


@tried(100)
@given(st.data())
def test_sample_answers_with_parts_swapped(data: st.DataObject) -> None:
    seed = data.draw(st.sampled_from(seeds("answer")))
    with contextlib.suppress(ValueError):  # a text: there is nothing to swap in it
        put("answer", seed[:1] + written(data.draw(swapped(json.loads(seed[1:])))))


@tried(100)
@given(st.lists(ODD.map(_packed) | st.fixed_dictionaries({"error": ODD_TEXT}), max_size=5))
def test_functions_that_return_anything(values: list[Any]) -> None:
    put("returned", wire_format.to_text(values).encode())
