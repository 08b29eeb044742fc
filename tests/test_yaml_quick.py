"""What libyaml reads of a file is what ruamel.yaml reads, or nothing: values, their types, and the order of keys."""

from __future__ import annotations

import itertools
import random
from pathlib import Path
from typing import Any

import pytest

from checkout import ROOT
from shardwise.errors import Faulty
from shardwise.template import yaml_source
from shardwise.template.yaml_quick import Unsure, plain_data
from shardwise.template.yaml_source import parse, validated

FILES = sorted([*ROOT.glob("problems/**/*.yaml"), *ROOT.glob("examples/**/*.yaml"), *ROOT.glob("tests/**/*.yaml")])
WORDS = (
    *("on", "off", "yes", "No", "y", "N", "true", "TRUE", "tRue", "false", "null", "Null", "~", "", "'~'", '"null"', "=", "<<", "*", "&a"),
    *("0", "-0", "+1", "007", "0o17", "0x1F", "0b101", "1_000", "-1", "12:30", "1:2", "190:20:30", "--1", "1-2", "16-19", "1 2", "1,000"),
    *("1e9", "1E9", "1e+9", "1.e3", "1.5e-3", ".5", "-.5", "+.inf", ".NaN", "nan", "inf", "1.", "1_0.5", "-0.0", "312e12", "1e-2", "1.5.2"),
    *("2026-12-01", "2026-12-01T23:59:00Z", "2030-1-1 1:2:3", "!!str 1", "! 1", "!x y", "@a", "`a`", "%a", "a: b", "a:b", "a #b", "a#b", "#b"),
    *("'it''s'", '"a\\nb"', '"\\x41\\/"', '"\\u263a"', "×", "é", "a\tb", "\t", "- a", "? a", "[1, 2]", "[a:b, c]", "{a: 1}", "{a:1}", "{'a':1}"),
    *("[]", "{}", "[a, ]", "[, ]", "{a, b: 2}", "{1: 2}", "{true: 2}", "{a: 1, a: 2}", "{? a: 1}", "[[1], {b: [2]}]", "'a\n  b'", '"a\n\n  b"'),
    *("|\n  a\n  b", "|-\n  a\n\n", "|+\n  a\n\n", ">\n  a\n  b\n\n  c", ">-\n  a\n   b\n  c", "|2\n    a", "| # note\n  a\n# b", "a\n  b", "a\n\n  b"),
    *("\x85", "a\u2028b", "a\x07b", "\ufeff", "\x01", "\ud800", "9" * 30, "9" * 5000, "1e400", "1234567890.0123456789"),
)  # fmt: skip


def written(value: Any) -> Any:
    """A value with the type of each part."""
    if isinstance(value, dict):
        return [(key, written(inner)) for key, inner in value.items()]
    return [written(inner) for inner in value] if isinstance(value, tuple) else f"{type(value).__name__} {value!r}"


def is_read_alike(text: str) -> bool:
    """Whether libyaml read a text at all; it has to be as the other reads it then."""
    try:
        quick = plain_data(text)
    except Unsure:
        return False
    assert written(quick) == written(parse(text, "a.yaml").data), text
    return True


@pytest.mark.slow
def test_every_file_is_read_alike_and_nearly_every_one_by_libyaml() -> None:
    read = [is_read_alike(file.read_text("utf-8")) for file in FILES]
    assert len(read) > 390 and sum(read) > 0.9 * len(read)


@pytest.mark.parametrize("around", ["{}", "a: {}\nb: 1", "- {}\n- 1", "a: [{}, 1]", "{{a: {}, b: 1}}", "{}: a", "a:\n  b: {}\n  # note\nc: 1", "--- {}", "a: {}\n...\n---\nb: 1", "%YAML 1.1\n---\na: {}"])  # fmt: skip
def test_what_two_versions_of_yaml_read_differently_is_read_as_ruamel_does(around: str) -> None:
    read = []
    for word in WORDS:
        try:
            read.append(is_read_alike(around.format(word)))
        except Faulty as error:
            pytest.fail(f"libyaml read {around.format(word)!r}, and ruamel.yaml says: {error}")
    assert any(read) or "---\n" in around


@pytest.mark.slow
def test_files_with_a_character_too_much_or_too_few_are_read_alike() -> None:
    dice = random.Random(7)
    texts = [file.read_text("utf-8") for file in dice.sample(FILES, 12) if file.stat().st_size < 6000]
    read = 0
    for text, turn in itertools.product(texts, range(12)):
        place = dice.randrange(len(text))
        changed = (
            text[:place]
            + dice.choice(["", ":", "\n", " ", "#", "'", "-", "1", "\t", ": ", "\n\n", "["])
            + text[place + turn % 2 :]
        )
        try:
            read += is_read_alike(changed)
        except Faulty as error:
            pytest.fail(f"libyaml read what ruamel.yaml does not: {error}")
    assert read > 20


def test_a_file_without_a_fault_needs_ruamel_only_where_libyaml_is_unsure(monkeypatch: pytest.MonkeyPatch) -> None:
    slow: list[str] = []
    monkeypatch.setattr(yaml_source, "parse", lambda text, name: slow.append(name) or parse(text, name))
    assert validated("a: [1, 2.5]", "quick.yaml", dict[str, tuple[float, ...]]) == {"a": (1, 2.5)}
    assert validated("a: [0o7]", "unsure.yaml", dict[str, tuple[int, ...]]) == {"a": (7,)}
    with pytest.raises(Faulty, match=r"bad\.yaml:2:4"):
        validated("a: [1]\nb: x", "bad.yaml", dict[str, tuple[int, ...]])
    assert slow == ["unsure.yaml", "bad.yaml"]


def test_without_libyaml_the_other_reads_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(__import__("sys").modules, "yaml", None)
    assert not is_read_alike("a: 1")
    assert validated("a: 1", "a.yaml", dict[str, int]) == {"a": 1}
