"""Fuzz targets: one function for each parser of what others wrote. Bytes go in; only a finding becomes an exception.

Both engines use them: hypothesis in `test_fuzz.py`, and libFuzzer by way of atheris in `coverage_guided.py`.
"""

from __future__ import annotations

import atexit
import contextlib
import itertools
import json
import math
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from checkout import checkout_bank, posed
from checkout import template as text_of_template
from shardwise import units
from shardwise.bank.files import ChapterFile, CurriculumFile, template_model
from shardwise.bank.posing import pose
from shardwise.course.assigning import lockfile
from shardwise.course.assigning.assignments import SetDefinition
from shardwise.course.assigning.lockfile import Lock
from shardwise.course.collecting import submissions
from shardwise.course.collecting import submitted_files as found_files
from shardwise.course.collecting.bounds import BOUNDS
from shardwise.course.collecting.submitted_files import BadSubmission
from shardwise.errors import Faulty, ShardwiseError, Unreadable
from shardwise.kinds.calls import Made, Recorded
from shardwise.kinds.formula import compare as formulas
from shardwise.kinds.formula.compare import FormulaError
from shardwise.markdown.feedback import as_html, as_plain
from shardwise.marking import check, read_only
from shardwise.question import Feedback, Outcome, Question
from shardwise.sandbox import Calls, Cell, Limits, Sandbox, Value
from shardwise.sandbox.backend import Attempt, AttemptRequest
from shardwise.sandbox.inside import shared_memory, wire_format
from shardwise.template import yaml_source

Target = Callable[[bytes], None]
_NUMBERS = itertools.count()

UNITS = ("GB", "GiB", "ms", "1", "step", "%", "GB/s", "PFLOP/s*day", "dollar", "GPU*h", "token", "kWh")
SYMBOLS = (("M", "N"), ("N",), ("a", "alpha", "beta_2", "T_min"), ("N_GPU", "x", "e"))
OURS = ("2*M*(N-1)/N", "ceil(log2(N))", "a + alpha*beta_2^2 - T_min", "max(N_GPU, x)/sqrt(e)")
QUESTIONS = (  # one or two of each kind but match
    "bytes-per-gpu", "tree-steps", "measured-utilisation", "reading-bus-bandwidth", "ring-or-tree", "order-by-time", "order-ring-events",
    "bytes-per-gpu-formula", "ring-time-bug", "ring-time-function",
)  # fmt: skip
STEPS = (
    Cell("setup", "x = 1"),
    Value("answer", "x"),
    Calls("calls", "f", ({"n": 1}, {"n": 2}, {"n": 3})),
    Cell("last", "print(1)"),
)
LIMITS = Limits(result_bytes=4000, restarts=2)


# What becomes of a notebook ----------------------------------------------------------------------------------------


def notebook(data: bytes) -> None:
    """What was handed in as a notebook."""
    try:
        found = submissions.parse_notebook(data, "week-1")
    except BadSubmission as error:
        _can_be_written(str(error))
        return
    texts = [found.seed, found.student, found.set or "", found.practice or "", *found.notes]
    for text in (*texts, *(part for cell in found.cells for part in (cell.key, cell.source, cell.question or ""))):
        _can_be_written(text)
    assert sum(len(cell.source) for cell in found.cells) <= BOUNDS.code_characters


def archive(data: bytes) -> None:
    """A zip archive of notebooks."""
    with _file(data, f"{next(_NUMBERS)}.zip") as path:  # another name each time: archives are remembered by theirs
        for found in found_files.find([path]):
            _can_be_written(f"{found} {found.stem} {found.inside}")
            with contextlib.suppress(BadSubmission):
                submissions.parse_notebook(found.contents(), found.stem)
            with contextlib.suppress(OSError):
                found.changed()
        path.unlink()


def frames(data: bytes) -> None:
    """The memory that a job leaves behind, as the controller reads it: header, progress and frames."""
    forged = _Forged(data)
    with Sandbox(forged, LIMITS, "none", "forged") as sandbox:
        found = sandbox.run(STEPS)
    assert list(found.results) == [step.key for step in STEPS]
    assert forged.attempts <= 2 * (2 + LIMITS.restarts)
    results: list[Any] = [*found.results.values()]
    for result in (*results[:2], *results[2].results, results[3]):
        for text in (getattr(result, name, "") for name in ("error", "type_name", "reason")):
            _can_be_written(text)
            assert not any(ord(char) < 32 and char not in "\t\n\r" for char in text)
        wire_format.pack(getattr(result, "value", None))  # nothing came in that could not have gone out


class _Forged:
    """A backend whose every job leaves the same bytes behind."""

    def __init__(self, data: bytes) -> None:
        self._ending, self._data, self.attempts, self._room = data[:1], data[1:], 0, 0

    def attempt(self, order: AttemptRequest) -> Attempt:
        """What a job of which the student wrote every byte would look like."""
        self.attempts += 1
        self._room = max(self._room, order.results_bytes)
        if order.results_bytes < self._room:  # the empty job that asks whether the server still works
            return Attempt("itself", finished=True)
        memory = bytearray(shared_memory.size_for(len(order.job), order.results_bytes))
        shared_memory.write_job(memory, order.job, order.results_bytes)
        header, rest = self._data[: shared_memory.HEADER_BYTES - 8], self._data[shared_memory.HEADER_BYTES - 8 :]
        memory[8 : 8 + len(header)] = header
        start = shared_memory.HEADER_BYTES + len(order.job)
        memory[start:] = rest[: len(memory) - start].ljust(len(memory) - start, b"\0")
        found, finished = shared_memory.read_frames(memory, len(order.job), order.results_bytes)
        ended = ("itself", "limit", "deadline", "server")[sum(self._ending) % 4]
        return Attempt(
            ended, self._ending[0] if self._ending else 0, 0.0, finished, shared_memory.read_progress(memory), found
        )

    def close(self) -> None:
        """Nothing runs."""


def lock(data: bytes) -> None:
    """A lock file as it is, and then with right signatures: its header, and every student's questions."""
    with _file(data, "week-1.lock.jsonl") as path:
        _read_lock(path)
        with lockfile.writing(path, bytes(32)) as lines:
            for line in data.splitlines(keepends=True)[:-1]:  # without the line that signs all others
                lines.sign(re.sub(rb', "signature": "[0-9a-f]{64}"\}\n$', b"}\n", line))
        _read_lock(path)


def _read_lock(path: Path) -> None:
    with contextlib.suppress(ShardwiseError):
        found = Lock(path, bytes(32))
        _can_be_written(repr(found.set_name))
        for student in found.students():
            with contextlib.suppress(ShardwiseError):
                found.questions(student)
        assert found.due is None or found.due.tzinfo


# What an author writes ---------------------------------------------------------------------------------------------


def template(data: bytes) -> None:
    """Read a problem's file."""
    with _file(data, "problem.yaml") as path:
        try:
            source = yaml_source.load_yaml(path, "problems/fuzz/problem.yaml")
            yaml_source.validate(source, _templates())
        except Faulty as error:
            _are_faults(error, "problems/fuzz/problem.yaml")


@cache
def _templates() -> TypeAdapter[Any]:
    return TypeAdapter(template_model())


def definition(data: bytes) -> None:
    """The file of a set, of a chapter, and of a curriculum."""
    with _file(data, "set.yaml") as path:
        for model in (SetDefinition, ChapterFile, CurriculumFile):
            try:
                yaml_source.validate(yaml_source.load_yaml(path, "set.yaml"), model)
            except Faulty as error:
                _are_faults(error, "set.yaml")


def _are_faults(error: Faulty, name: str) -> None:
    assert error.faults
    for fault in error.faults:
        assert fault.place.startswith(name)
        assert fault.message
        assert len(str(fault)) < 5000, "a fault that nobody reads to its end"


# What a student answers --------------------------------------------------------------------------------------------


def number(data: bytes) -> None:
    """A number with its unit. The first byte says which unit is asked for, and which direction."""
    first, text = data[0] if data else 0, _text(data[1:])
    asked, direction = UNITS[first % len(UNITS)], units.DIRECTIONS[first // len(UNITS) % 3]
    try:
        reading = units.read(text, asked, direction)
    except Unreadable as error:
        _is_short(str(error))
        return
    assert isinstance(reading.value, float) and not math.isnan(reading.value)
    _is_short(reading.text)


def formula(data: bytes) -> None:
    """A formula. The first byte says which symbols there are, and with what it is compared."""
    first, text = data[0] % len(SYMBOLS) if data else 0, _text(data[1:])
    names, ours = SYMBOLS[first], formulas.parse_formula(OURS[first], SYMBOLS[first])
    try:
        theirs = formulas.parse_formula(text, names)
    except FormulaError as error:
        _is_short(str(error))
        return
    assert len(str(theirs)) < 100_000
    points = [dict.fromkeys(names, value) for value in (1.0, 2.0, 0.5, 1e12)]
    formulas.difference(theirs, ours, points)
    for point in points:
        assert isinstance(formulas.formula_value(theirs, point), float)


def answer(data: bytes) -> None:
    """An answer to a question, JSON or text. The first byte says which question."""
    question = questions()[data[0] % len(questions()) if data else 0]
    raw = _raw(data[1:])
    feedback = check(question, raw, runner=_runner(raw))
    _is_feedback(feedback)
    shown = read_only(question.form, question.kind, raw, question=question.id, points=question.points)
    _is_feedback(shown)


def returned(data: bytes) -> None:
    """What a student's function returned or raised: JSON, a value for each call."""
    question = next(question for question in questions() if question.kind == "code")
    calls = _runner(_raw(data))(question.key, "f", question.key.cases)  # type: ignore[attr-defined]
    _is_feedback(check(question, Recorded(tuple(calls))))


def _is_feedback(feedback: Feedback) -> None:
    assert feedback.outcome != Outcome.BROKEN, feedback.say
    assert 0 <= feedback.credit <= 1
    for text in (feedback.model_dump_json(), as_plain(feedback), as_html(feedback)):
        _can_be_written(text)


def _runner(raw: Any) -> Callable[..., Sequence[Made]]:
    """Calls that came back from a sandbox with these values. What fuzzing makes up is never executed."""
    values = raw if isinstance(raw, list) and raw else [raw]

    def run(program: object, name: str, inputs: Sequence[Mapping[str, Any]]) -> Sequence[Made]:
        return [_call(values[place % len(values)]) for place in range(len(inputs))]

    return run


def _call(value: Any) -> Made:
    status = ("raised", "timeout", "memory", "killed", "unreadable", "missing", "skipped", "surprise")
    if isinstance(value, dict) and isinstance(value.get("error"), str):
        return Made(status[len(value) % len(status)], None, value["error"])
    return Made("returned", value)


@cache
def questions() -> tuple[Question, ...]:
    """Real questions, some of each kind."""
    of_the_bank = tuple(pose(checkout_bank().find(name), "fuzz") for name in QUESTIONS)
    return (*of_the_bank, posed(text_of_template("match")), posed(text_of_template("schedule")))


# Common to them ----------------------------------------------------------------------------------------------------


def _text(data: bytes) -> str:
    """Text with everything that can are in a Python string, halves of characters included."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _raw(data: bytes) -> Any:
    """A value as it comes out of the sandbox, or else a text."""
    try:
        return wire_format.unpack(wire_format.from_text(data))
    except ValueError:
        pass
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return _text(data)


def _can_be_written(text: str) -> None:
    text.encode("utf-8")


def _is_short(text: str) -> None:
    assert len(text) < 1000


@contextlib.contextmanager
def _file(data: bytes, name: str) -> Iterator[Path]:
    """A file with these bytes, always the same one: it is written anew for each of a million inputs."""
    path = _folder() / name
    path.write_bytes(data)
    yield path


@cache
def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="shardwise-fuzz-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


TARGETS: Mapping[str, Target] = {
    target.__name__: target
    for target in (notebook, archive, frames, lock, template, definition, number, formula, answer, returned)
}
