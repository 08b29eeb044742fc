"""What fuzzing found, once each: the smallest input that showed it, and what is said to it now."""

from __future__ import annotations

import contextlib
import io
import json
import struct
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from shardwise import units
from shardwise.bank.files import template_model
from shardwise.course.assigning.keys import key_fingerprint
from shardwise.course.assigning.lockfile import FORMAT, Lock, writing
from shardwise.course.collecting import submissions
from shardwise.course.collecting import submitted_files as found_files
from shardwise.course.collecting.submitted_files import BadSubmission
from shardwise.errors import Faulty, ShardwiseError, Unreadable
from shardwise.kinds.calls import Made
from shardwise.marking import check
from shardwise.question import Outcome
from shardwise.template import yaml_nodes, yaml_source
from shardwise.template.expressions import BadExpression, evaluate, with_values
from shardwise.template.yaml_nodes import DEEPEST

from .targets import questions


def faults(text: str) -> str:
    with pytest.raises(Faulty) as caught:
        yaml_source.validate(yaml_source.parse_yaml(text, "x.yaml"), template_model())
    return str(caught.value)


# Numbers with units -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["5×10⁻ GB", "5 x 10⁻", "5·10^⁻ GB", "5×10¹⁻² GB"])
def test_a_power_of_ten_with_a_sign_and_no_digits_behind_it_is_no_number(text: str) -> None:
    with pytest.raises(Unreadable):
        units.read(text, "GB")
    assert units.read("5×10⁻³ GB", "GB").value == 5_000_000


def test_a_tiny_number_to_a_large_power_is_refused_before_it_is_worked_out() -> None:
    with pytest.raises(Unreadable, match="That power is too large"):
        units.read("1e-99^999", "1")
    assert units.read("0^3", "1").value == 0


# YAML ---------------------------------------------------------------------------------------------------------------


def test_brackets_that_nothing_closes_are_refused_at_the_first_that_is_too_deep() -> None:
    """100,000 of them crash libyaml's own composer."""
    assert f"is nested more than {DEEPEST} levels deep" in faults("[" * 100_000 + "}")
    assert f"is nested more than {DEEPEST} levels deep" in faults("{a: " * 100_000 + "]")


def test_a_file_of_too_many_values_is_refused_before_its_end_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (yaml_nodes, yaml_source):
        monkeypatch.setattr(module, "MOST_VALUES", 1000)
    text = "- 1\n" * 3000 + "}"  # at whose end stands what is no YAML
    assert "has more than 1,000 values" in faults(text)


def test_an_anchor_may_be_set_anew() -> None:
    source = yaml_source.parse_yaml("a: &x 1\nb: *x\nc: &x 2\nd: *x\n", "x.yaml")
    assert source.data == {"a": 1, "b": 1, "c": 2, "d": 2}


def test_a_power_that_takes_for_ever_is_refused_before_it_is_worked_out() -> None:
    with pytest.raises(ShardwiseError, match="a power in this expression has thousands of digits"):
        evaluate("9 ** (9 ** 7)", {})
    assert evaluate("2 ** 40", {}) == 2**40


HUGE = (
    "'x' | center(900000000)", "'x'.center(900000000)", "'x' * 900000000", "[0] * 900000000", "'%900000000d' % 1",
    "'%900000000d' | format(1)", "'{:900000000}'.format(1)", "1 | number(900000000)", "(1).to_bytes(900000000)",
    "lipsum(n=900000)", "'x' | indent(900000000)", "[[0] * 90000] * 90000 | string", "'x'.ljust(900000000)",
)  # fmt: skip


@pytest.mark.parametrize("source", HUGE)
def test_no_text_of_a_template_takes_all_memory(source: str) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(BadExpression):
            with_values(f"{{{{ {source} }}}}", {})
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


def test_a_loop_prints_up_to_a_number_of_characters() -> None:
    with pytest.raises(BadExpression, match="the limit is 100,000"):
        with_values("{% for a in range(1000) %}{% for b in range(1000) %}x{% endfor %}{% endfor %}", {})


@pytest.mark.parametrize(
    "text",
    [
        "where: ['" + "(" * 300 + "1" + ")" * 300 + "']",
        "where: ['" + "-" * 3000 + "1']",
        "where: ['" + "1+" * 3000 + "1']",
        "prompt: '" + "{% if 1 %}" * 500 + "{% endif %}" * 500 + "'",
        "prompt: '" + "{% for a in b %}" * 30 + "{% endfor %}" * 30 + "'",
    ],
)
def test_expressions_and_texts_that_are_nested_too_deeply_are_a_fault_of_their_file(text: str) -> None:
    assert "nested too deeply" in faults(f"kind: choice\n{text}\n")


# Locks --------------------------------------------------------------------------------------------------------------

KEY = bytes(32)
HEADER = {"format": FORMAT, "set": "week-1", "key": key_fingerprint(KEY)}


def signed(path: Path, *lines: bytes) -> Path:
    """A lock file with right signatures, whatever it holds."""
    with writing(path, KEY) as writer:
        for line in lines:
            writer.sign(line + b"\n")
    return path


@pytest.mark.parametrize("header", [b"[" * 5000, b"[1]", b'"set"', b"null", b"", b'{"format": 3}'])
def test_a_lock_of_another_shape_is_no_lock_file(tmp_path: Path, header: bytes) -> None:
    path = tmp_path / "week-1.lock.jsonl"
    path.write_bytes(header)
    with pytest.raises(ShardwiseError, match=r"week-1\.lock\.jsonl (is not a lock|cannot be read as a lock)"):
        Lock(path, KEY)


def test_a_signed_line_without_a_student_is_no_line_of_a_lock_file(tmp_path: Path) -> None:
    path = signed(tmp_path / "week-1.lock.jsonl", json.dumps(HEADER).encode(), b'{"name": "Ada"}')
    with pytest.raises(ShardwiseError, match=r"week-1\.lock\.jsonl cannot be read as a lock file"):
        Lock(path, KEY)


@pytest.mark.parametrize(
    "line",
    [
        b'{"student": "ada"}',
        b'no JSON "student": "ada"}',
        b'{"questions": 5, "student": "ada"}',
        b'{"questions": [1], "student": "ada"}',
        b'{"questions": ["kind"], "student": "ada"}',
        b'{"questions": [[]], "student": "ada"}',
        b'{"questions": [{"kind": "choice", "form": 1, "key": []}], "student": "ada"}',
        b'{"questions": ' + b"[" * 5000 + b', "student": "ada"}',
    ],
)
def test_a_damaged_line_of_a_lock_is_said_to_be_that(tmp_path: Path, line: bytes) -> None:
    lock = Lock(signed(tmp_path / "week-1.lock.jsonl", json.dumps(HEADER).encode(), line), KEY)
    with pytest.raises(ShardwiseError, match="damaged"):
        lock.questions("ada")
    with pytest.raises(KeyError):
        lock.questions("bo")


@pytest.mark.parametrize("due", ["soon", 5, ["2026-12-01"], "2026-12-01", "2026-12-01T23:59:00"])
def test_a_due_date_that_no_clock_can_be_compared_with_is_refused(tmp_path: Path, due: Any) -> None:
    path = signed(tmp_path / "week-1.lock.jsonl", json.dumps({**HEADER, "due": due}).encode())
    with pytest.raises(ShardwiseError, match="A due date needs an offset"):
        _ = Lock(path, KEY).due


# Answers ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("raw", [{10**5000: 1}, {"line": 1, "input": {-(10**5000): 1}}])
def test_a_key_of_thousands_of_digits_is_unreadable_and_not_our_fault(raw: Any) -> None:
    for question in questions():
        feedback = check(question, raw, runner=lambda program, name, inputs: [Made("missing")] * len(inputs))
        assert feedback.outcome == Outcome.UNREADABLE, question.id


# Submissions --------------------------------------------------------------------------------------------------------


def handed_in(**changes: Any) -> bytes:
    sound = {"cells": [], "metadata": {"shardwise": {"set": "week-1"}}, "nbformat": 4}
    return json.dumps({**sound, **changes}).encode()


def test_half_a_character_for_a_format_does_not_get_into_the_report() -> None:
    with pytest.raises(BadSubmission, match="This notebook has format") as caught:
        submissions.parse_notebook(handed_in(nbformat="\ud800"), "ada")
    str(caught.value).encode()


def test_half_a_character_for_a_question_or_a_seed_does_not_get_into_the_report() -> None:
    cell = {"cell_type": "code", "metadata": {"shardwise": {"role": "answer", "question": "\ud800"}}, "source": "x = 1"}
    found = submissions.parse_notebook(handed_in(cells=[cell, cell]), "ada")
    assert len(found.notes) == 1
    for text in (*found.notes, *(cell.question or "" for cell in found.cells)):
        text.encode()
    submissions.parse_notebook(
        handed_in(metadata={"shardwise": {"practice": "a", "seed": "\ud800"}}), "ada"
    ).seed.encode()


def zipped(spoil: Callable[[bytearray], None], packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    """An archive of one notebook, spoilt."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", packing) as file:
        file.writestr("ada/week-1.ipynb", handed_in() * 3)
    data = bytearray(made.getvalue())
    spoil(data)
    return bytes(data)


def _month_0(data: bytearray) -> None:
    struct.pack_into("<H", data, data.index(b"PK\1\2") + 14, 0)


def _of_version_99(data: bytearray) -> None:
    data[data.index(b"PK\1\2") + 6] = 99


def _name_not_utf_8(data: bytearray) -> None:
    at = data.index(b"PK\1\2")
    struct.pack_into("<H", data, at + 8, 0x800)
    data[at + 46] = 0xFF


def _inner_name_not_utf_8(data: bytearray) -> None:
    struct.pack_into("<H", data, 6, 0x800)
    data[30] = 0xFF


def _corrupt(data: bytearray) -> None:
    for at in range(60, 75):
        data[at] ^= 0x55


@pytest.mark.parametrize("packing", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
@pytest.mark.parametrize("spoil", [_month_0, _of_version_99, _name_not_utf_8, _inner_name_not_utf_8, _corrupt])
def test_a_spoilt_archive_stops_nothing(tmp_path: Path, spoil: Callable[[bytearray], None], packing: int) -> None:
    path = tmp_path / "class.zip"
    path.write_bytes(zipped(spoil, packing))
    (found,) = found_files.find([path])
    assert found.changed().tzinfo
    with contextlib.suppress(BadSubmission):
        submissions.parse_notebook(found.contents(), found.stem)
