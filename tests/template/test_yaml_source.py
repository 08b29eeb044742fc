"""Templates with mistakes: every fault at its place, with what was found and what to do."""

from __future__ import annotations

import math
import os
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkout import ROOT
from drawing import a_quarter_at_once
from shardwise.bank.files import template_model
from shardwise.errors import Fault, Faulty
from shardwise.template import yaml_nodes
from shardwise.template.yaml_nodes import MOST_VALUES
from shardwise.template.yaml_source import load_yaml, parse_yaml, validate
from shardwise.text_files import LARGEST

GOOD = dedent("""\
    title: What each GPU sends
    kind: quantity
    points: 2
    difficulty: easy
    source: "Patarasuk & Yuan 2009, section 3"
    params:
      gpus: {choice: [8, 16]}
      message_bytes: {choice: [1, 2], unit: GB}
    prompt: |
      {{ gpus }} GPUs all-reduce {{ message_bytes }} in a ring.
    answer:
      reference: ring.ring.bytes_sent_per_gpu
      oracle: ring.ring.simulated_bytes_sent_per_gpu
      unit: GB
    mistakes:
      - factor: 0.5
        say: That is one phase of the two.
    hints:
      - How many steps are there?
    solution: |
      Each GPU sends {{ key }} in two phases.
    """)
MODEL = template_model()


def faults(text: str, model: Any = MODEL) -> tuple[Fault, ...]:
    """Return the faults of a template."""
    with pytest.raises(Faulty) as caught:
        validate(parse_yaml(text, "problems/x.yaml"), model)
    return caught.value.faults


def said(text: str, model: Any = MODEL) -> str:
    return "\n".join(map(str, faults(text, model)))


def changed(old: str, new: str, text: str = GOOD) -> str:
    assert text.count(old) == 1, old
    return text.replace(old, new)


# Whole messages --------------------------------------------------------------------------------------------------


def test_a_misspelt_draw_is_shown_with_a_caret_and_the_right_word() -> None:
    assert said(changed("gpus: {choice:", "gpus: {chioce:")) == (
        "problems/x.yaml:7:10: params.gpus.chioce: unknown key 'chioce'\n"
        "   7 |   gpus: {chioce: [8, 16]}\n"
        "     |          ^\n"
        "     Did you mean 'choice'?"
    )


def test_a_number_in_quotes_is_not_a_number() -> None:
    assert said(changed("points: 2", 'points: "2"')) == (
        "problems/x.yaml:3:9: points: expected a number, but found '2'\n"
        '   3 | points: "2"\n'
        "     |         ^\n"
        "     Write the number without quotes: 2"
    )


def test_a_bandwidth_needs_a_direction() -> None:
    assert said(changed("unit: GB}", "unit: GB/s}")) == (
        "problems/x.yaml:8:18: params.message_bytes: a bandwidth in GB/s needs a direction: one of per direction, "
        "duplex, none\n"
        "   8 |   message_bytes: {choice: [1, 2], unit: GB/s}\n"
        "     |                  ^"
    )


def test_all_faults_of_a_file_come_at_once_in_the_order_of_the_file() -> None:
    text = changed("title:", "titel:")
    for old, new in (
        ("points: 2", "points: two"),
        ("choice: [8, 16]", "chioce: [8, 16]"),
        ("unit: GB}", "unit: gigs}"),
        ("{{ gpus }} GPUs", "{{ gpus GPUs"),
        ("factor: 0.5", "share: 0.5"),
        ("  - How many", "  - '{% steps %}'\n  - How many"),
    ):
        text = changed(old, new, text)
    text = changed("solution: |\n  Each GPU sends {{ key }} in two phases.\n", "", text)
    found = faults(text)
    assert {(fault.place.removeprefix("problems/x.yaml:"), fault.message) for fault in found} == {
        ("1:1", "title is missing"),
        ("1:1", "solution is missing"),
        ("1:1", "titel: unknown key 'titel'"),
        ("3:9", "points: expected a number, but found 'two'"),
        ("7:10", "params.gpus.chioce: unknown key 'chioce'"),
        ("8:41", "params.message_bytes.unit: “gigs” is not a unit I know."),
        ("9:9", "prompt: line 1 of this text: expected token 'end of print statement', got 'GPUs'"),
        ("16:5", "mistakes.0.share: unknown key 'share'"),
        ("19:5", "hints.0: line 1 of this text: Encountered unknown tag 'steps'."),
    }
    assert str(Faulty(found)) == "\n".join(map(str, found))


# One fault each --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("kind: quantity", "kind: [quantity]", "kind: unknown kind a list"),
        ("kind: quantity", "kind: quantty", "Did you mean 'quantity'?"),
        ("kind: quantity\n", "", "kind is missing"),
        ("difficulty: easy", "difficulty: eazy", "expected 'easy', 'medium' or 'hard', but found 'eazy'"),
        ("points: 2", "points: true", "points: expected a number, but found True"),
        ("points: 2", "points: .nan", "points: expected a number above 0, but found nan"),
        ("title: What each GPU sends", "title: 7", "title: expected text, but found 7"),
        ("title: What each GPU sends", 'title: "a\\ud800b"', "title: Input should be a valid string"),
        ("unit: GB}", "unit: gb}", "Did you mean GB or Gb? A capital B is a byte, a small b a bit."),
        ("unit: GB}", "unit: GB, direction: both}", "expected 'per direction', 'duplex' or 'none'"),
        ("choice: [1, 2]", 'choice: [1, "2"]', "'2' is text, but the unit GB needs a number"),
        ("choice: [8, 16]", 'choice: ["8", "16"]', "'8' is text; write the number without quotes"),
        ("choice: [8, 16]", "choice: 8", "A list with one entry is [8]."),
        ("choice: [8, 16]", "choice: [8], range: [1, 2, 1]", "exactly one way, not 2: choice, range"),
        ("choice: [8, 16]", "range: [1, 2]", "params.gpus.range: expected more than 2 values"),
        ("gpus: {choice: [8, 16]}", "gpus: [8, 16]", "To draw one of several values, write {choice: [a, b]}."),
        ("gpus: {choice: [8, 16]}", "gpus:", "a parameter must be drawn in exactly one way, not 0"),
        ("gpus: {choice: [8, 16]}", "GPUs: 8", "'GPUs' is not a valid parameter name"),
        ("gpus: {choice: [8, 16]}", "key: 8", "'key' is not a valid parameter name"),
        ("gpus: {choice: [8, 16]}", "gpus: {derived: 2 *}", "“2 *” is not an expression"),
        ("prompt: |", "where: [gpus > 1, gpus +]\nprompt: |", "9:19: where.1: “gpus +” is not an expression"),
        ("{{ gpus }} GPUs", "{% if gpus %} GPUs", "The innermost block that needs to be closed is 'if'."),
        ("  oracle: ring.ring.simulated_bytes_sent_per_gpu\n", "", "answer.oracle is missing"),
        ("reference: ring.ring.bytes_sent_per_gpu", "reference: bytes_sent", "answer.reference: expected text that matches the regular expression"),
        ("  unit: GB\n", "  unit: GB/s\n", "answer: a bandwidth needs a direction"),
        ("  unit: GB\n", "  unit: GB\n  rel_tol: 1\n", "answer.rel_tol: expected a number below 0.5, but found 1"),
        ("  - factor: 0.5\n    say", "  - say", "16:5: mistakes.0: a mistake has either a factor or a value"),
        ("factor: 0.5", "value: key * * 2", "16:12: mistakes.0.value: “key * * 2” is not an expression"),
        ("say: That is one phase of the two.", "say: no", "mistakes.0.say: expected at least 10 characters"),
        ("hints:\n  - How many steps are there?", "hints: []", "expected at least 1 entry, but found an empty list"),
    ],
)  # fmt: skip
def test_each_fault_says_what_was_found_and_what_was_expected(old: str, new: str, words: str) -> None:
    assert words in said(changed(old, new))


def test_an_empty_value_is_faulted_at_its_key() -> None:
    (fault,) = faults(changed("hints:\n  - How many steps are there?", "hints:"))
    assert (fault.place, fault.message) == ("problems/x.yaml:18:1", "hints: expected a list, but found nothing")


def test_a_union_of_types_gives_one_fault_and_not_one_for_each_type() -> None:
    (fault,) = faults(changed("factor: 0.5", "value: [1]"))
    assert fault.message == "mistakes.0.value: expected text or a number, but found a list"


@pytest.mark.parametrize("word", ["no", "'true'"])
def test_a_word_that_is_a_boolean_in_yaml_1_1_is_not_read_as_an_expression(word: str) -> None:
    text = changed("kind: quantity", "kind: choice").split("answer:")[0] + dedent(f"""\
        answer:
          options:
            - {{text: more, correct: true, say: Yes indeed.}}
            - {{text: less, correct: {word}, say: Not so.}}
        hints: [Think of it.]
        solution: It is more, because it is not less.
        """)
    assert f"in YAML 1.2 {word.strip(chr(39))!r} is a string" in said(text)


# What is no YAML -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "points: 2\npoints: 3",
            '2:1: not valid YAML: while constructing a mapping found duplicate key "points" with value "3" (original value: "2")\n'
            "   2 | points: 3\n     | ^\n     Keep one of the two.",
        ),
        (changed("points: 2", " points: 2"), "3:8: not valid YAML: mapping values are not allowed here\n   3 |  points: 2\n     |        ^"),
        (changed("points: 2", "\tpoints: 2"), "   3 |  points: 2\n     | ^\n     YAML does not allow tabs for indentation. Use spaces."),
        (changed("points: 2", "points: *two"), "3:9: not valid YAML: found undefined alias 'two'"),
        (changed("title: What", 'title: "What'), "5:10: not valid YAML: while parsing a block mapping expected <block end>"),
        (changed("title: What", 'title: "What').split("source")[0], "not valid YAML: while scanning a quoted scalar"),
        (GOOD + "---\n" + GOOD, "expected a single document in the stream but found another document"),
        ("a: &a [*a]\n", "is nested more than 30 levels deep, or contains itself"),
        ("a: &a\n  <<: *a\n", "is nested more than 30 levels deep, or contains itself"),
        ("a: {<<: 3}\n", "1:9: not valid YAML: while constructing a mapping expected a mapping or list of mappings for merging"),
        ("title: {{ gpus }}\n", "1:9: not valid YAML: while constructing a mapping found a key that is a list or a mapping"),
        ("title: {{ gpus }}\n", "A text that begins with { or [ needs quotes."),
        ("hints: [Why?]\na: 1\nb: c: d\n", "3:5: not valid YAML: mapping values are not allowed in this context"),
        ("a: \x00\n", "unacceptable character #x0000"),
        ("points: " + "9" * 5000, "1:9: cannot read this as a whole number"),
        ("points: 0x" + "f" * 5000, "1:9: cannot read this as a whole number"),
        ("points: [1, !!float '']", "1:13: cannot read this as a number"),
        ("points: !!bool x", "1:9: cannot read this as a Boolean"),
        (changed("points: 2", "points: 2026-02-30"), "3:9: cannot read this as a date: day is out of range for month"),
        ("", "this file: expected keys with values, but found nothing"),
        ("hello", "this file: expected keys with values, but found 'hello'"),
        ("- a", "this file: expected keys with values, but found a list"),
        (changed("points: 2", "points: !!python/object/apply:os.getcwd []"), "points: expected a number"),
    ],
)  # fmt: skip
def test_a_file_that_is_not_a_template_is_reported_with_its_place(text: str, words: str) -> None:
    assert words in said(text)


@pytest.mark.parametrize("ninefold", ["[{}]", "{{<<: [{}]}}"])
def test_multiplying_aliases_are_not_expanded(ninefold: str) -> None:
    bomb = "a: &a {x: [x, x, x, x]}\n" + "".join(
        f"{new}: &{new} {ninefold.format(', '.join(['*' + old] * 9))}\n"
        for old, new in zip("abcdefgh", "bcdefghi", strict=True)
    )
    assert f"has more than {MOST_VALUES:,} values when its aliases are written out" in said(bomb)


def test_a_file_too_large_to_be_written_by_hand_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text("a: " + "x" * LARGEST)
    with pytest.raises(Faulty, match="it has 1,000,003 bytes, but the limit is 1,000,000"):
        load_yaml(path, "x.yaml")
    path.write_bytes(b"title: caf\xe9\n")
    with pytest.raises(Faulty, match=r"x.yaml:1: is not UTF-8: invalid continuation byte\n +Save it as UTF-8"):
        load_yaml(path, "x.yaml")
    with pytest.raises(Faulty, match=r"y.yaml: cannot be read: No such file or directory"):
        load_yaml(tmp_path / "y.yaml", "y.yaml")
    with pytest.raises(Faulty, match="cannot be read: Is a directory"):
        load_yaml(tmp_path)
    os.mkfifo(tmp_path / "pipe.yaml")
    with pytest.raises(Faulty, match=r"pipe\.yaml: cannot be read: it is a pipe, a socket or a device"):
        load_yaml(tmp_path / "pipe.yaml", "pipe.yaml")


# YAML 1.2 --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"),
        ("on", "on"),
        ("true", True),
        ("null", None),
        ("'~'", "~"),
        ("12:30", "12:30"),
        ("1_000", 1000),
        ("1.5.2", "1.5.2"),
        ("1e9", 1e9),
        ("1e-2", 0.01),
        ("312e12", 312e12),
        ("1.0e+9", 1e9),
        ("017", 17),
        ("0o17", 15),
        ("0x1F", 31),
        ("'1e9'", "1e9"),
        (".inf", math.inf),
        ("2026-11-21", "2026-11-21"),
        ("2026-12-01 23:59:00 +01:00", "2026-12-01 23:59:00+01:00"),
        ("2026-12-01T23:59:00Z", "2026-12-01T23:59:00+00:00"),
        ("!!str 1", "1"),
        ("!unknown 1", "1"),
    ],
)
def test_yaml_is_read_as_1_2(text: str, value: object) -> None:
    found = parse_yaml(f"x: {text}\n", "x").data["x"]
    assert found == value
    assert type(found) is type(value)


def test_windows_line_ends_and_a_byte_order_mark_change_nothing() -> None:
    assert validate(parse_yaml("\ufeff" + GOOD.replace("\n", "\r\n"), "x"), MODEL) == validate(
        parse_yaml(GOOD, "x"), MODEL
    )


def test_an_alias_can_replace_a_value() -> None:
    text = changed("{choice: [8, 16]}", "&draw {choice: [8, 16]}").replace(
        "  message_bytes:", "  nodes: *draw\n  message_bytes:"
    )
    assert validate(parse_yaml(text, "x"), MODEL).params["nodes"].choice == (8, 16)


def test_a_mapping_can_merge_others_and_its_own_keys_take_precedence() -> None:
    source = parse_yaml("a: &a {x: 1, y: 2}\nb: &b {x: 3, z: 4}\nc: {<<: [*a, *b], y: 5}\n", "x")
    assert list(source.data["c"].items()) == [("y", 5), ("x", 1), ("z", 4)]
    assert source.fault(("c", "z"), "").place == "x:2:17"


@pytest.mark.slow
def test_files_are_read_alike_without_libyaml(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [*ROOT.glob("problems/**/*.yaml"), *ROOT.glob("examples/**/*.yaml")]
    quick = [load_yaml(path) for path in paths]
    monkeypatch.setattr(yaml_nodes, "_QuickReader", yaml_nodes._PythonReader)
    assert [load_yaml(path) for path in paths] == quick


@settings(max_examples=a_quarter_at_once(150))
@given(st.integers(0, len(GOOD)), st.text(st.sampled_from("{}[]:,-&*!|>'\"%@`#?\n\t \x00\ud800a1e"), max_size=6))
def test_reading_a_file_raises_only_faults(place: int, inserted: str) -> None:
    text = GOOD[:place] + inserted + GOOD[place:]
    found: tuple[Fault, ...] = ()
    try:
        validate(parse_yaml(text, "x"), MODEL)
    except Faulty as error:
        found = error.faults
    assert all(fault.place.startswith("x") and fault.message for fault in found)


@pytest.mark.parametrize("sign", ["\\e[2J", "\\x9b2J", "\\u202e", "\\t"])
def test_a_fault_is_safe_for_a_terminal(sign: str) -> None:
    told = said(f'{GOOD}"a{sign}b": 1\n')
    assert told.replace("\n", "").isprintable()
    assert "unknown key" in told
