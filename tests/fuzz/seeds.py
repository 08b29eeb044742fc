"""Seeds of the fuzzers: real notebooks, templates, locks, answers and jobs, in the bytes that each target reads."""

from __future__ import annotations

import io
import itertools
import json
import struct
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from checkout import ROOT, checkout_bank
from shardwise.course.assigning.assignments import SetDefinition, Student, assign
from shardwise.course.assigning.lockfile import Lock
from shardwise.course.assigning.simulated_class import fill, right
from shardwise.kinds import kinds
from shardwise.kinds.calls import Recorded
from shardwise.sandbox import Cell, Sandbox
from shardwise.sandbox.backend import Attempt, AttemptRequest
from shardwise.sandbox.inside import shared_memory, wire_format
from shardwise.sandbox.unsandboxed import UnsandboxedProcesses

from .targets import LIMITS, OURS, STEPS, SYMBOLS, UNITS, questions

SET = ("bytes-per-gpu", "reading-bus-bandwidth", "order-ring-events", "bytes-per-gpu-formula")
NUMBERS = (
    "1.75 GB", "1,750 MB", "7/8 GiB", "2^30 B", "6.56e-2 s", "1.75×10⁹ B", "≈ 66 ms", "−3 ms", "100 GB/s (both directions)",
    "400 Gbps per direction", "4M tokens", "$60.5 million", "12.5 %", "3.82x", "438,750 petaflop-days", "64", "405B",
    "30.84 million GPU-hours", "1e-60", "~ 5 us", "1.06 GWh", "5 micro-batches", "1_000 steps",
)  # fmt: skip
FORMULAS = (
    *OURS, "t = 2M(N-1)/N", "2⌈N/8⌉M", "N²·M", "min(M, N, 3)/sqrt(N)", "-M^-2", "exp(ln(M))", "2^N*M", "1e9*M", "M/2/N",
    "abs(M) − floor(N/2)", "a alpha beta_2", "(N)(N+1)/2", "N^0.5", "[M+N]*2",
)  # fmt: skip


@cache
def seeds(target: str) -> tuple[bytes, ...]:
    """The seeds of one target."""
    return tuple(dict.fromkeys(globals()[f"_of_{target}"]()))


# Notebooks, locks and jobs -----------------------------------------------------------------------------------------


def _of_notebook() -> Iterator[bytes]:
    handed_in = json.loads(_handed_out()[0])
    yield json.dumps(fill(handed_in, questions(), right)).encode()
    for path in sorted(ROOT.glob("notebooks/*.ipynb")):
        practice = json.loads(path.read_text("utf-8"))
        short = [cell for cell in practice["cells"] if len(json.dumps(cell)) < 1500]
        yield json.dumps({**practice, "cells": short[:8]}).encode()


def _of_archive() -> Iterator[bytes]:
    for packing in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w", packing) as file:
            file.writestr(
                "week/ada/week-1.ipynb", '{"cells": [], "metadata": {"shardwise": {"set": "a"}}, "nbformat": 4}'
            )
            file.writestr("müller.ipynb", "")
            file.writestr("../out.ipynb", "x" * 300)
        yield made.getvalue()


def _of_lock() -> Iterator[bytes]:
    yield _handed_out()[1]


@cache
def _handed_out() -> tuple[bytes, bytes]:
    """A student's notebook and the lock file of a small set."""
    made = SetDefinition.model_validate({"name": "week-1", "title": "Week 1", "problems": SET})
    with tempfile.TemporaryDirectory() as room:
        students = [Student("ada", "Ada"), Student("bo", "Bo")]
        lock = assign(checkout_bank(), made, students, bytes(32), Path(room)).lock
        notebook = (Path(room) / "notebooks" / "ada" / "week-1.ipynb").read_bytes()
        assert list(Lock(lock, bytes(32)).students()) == ["ada", "bo"]
        return notebook, lock.read_bytes()


def _of_frames() -> Iterator[bytes]:
    """Memory as real jobs leave it, and frames that say each thing that a job can say."""
    yield from _left_by_real_jobs()
    values: list[Any] = [1, -1.5, "text", None, True, [1, [2]], {"a": {1: 2}}, float("nan"), 10**100]
    frames: list[list[Any]] = [
        [0, shared_memory.WHOLE_STEP, "ok", ""],
        [3, shared_memory.WHOLE_STEP, "raised", "ValueError: no"],
        *([1, shared_memory.WHOLE_STEP, "ok", wire_format.pack(value), type(value).__name__, ""] for value in values),
        [1, shared_memory.WHOLE_STEP, "missing", None, "", ""],
        *([2, number, "returned", wire_format.pack(value), ""] for number, value in enumerate(values[:3])),
        [2, 1, "raised", None, "ZeroDivisionError"],
        [2, shared_memory.WHOLE_STEP, "missing", "no f"],
    ]
    texts = [wire_format.to_text(frame).encode() for frame in frames]
    for few in (texts, texts[:4], texts[-3:]):
        yield memory(few, finished=True)
        yield memory(few, finished=False)


def memory(frames: Sequence[bytes], *, finished: bool, ending: int = 0, at: tuple[int, int, int] = (1, -1, 0)) -> bytes:
    """What the target `frames` reads: how the job ended, the header behind the sizes, and the frames."""
    written = b"".join(struct.pack("<I", len(frame)) + frame for frame in frames)
    header = bytearray(shared_memory.HEADER_BYTES)
    struct.pack_into("<IiI", header, 8, *at)
    struct.pack_into("<II", header, 32, len(written), finished)
    return bytes([ending]) + bytes(header[8:]) + written


def _left_by_real_jobs() -> Iterator[bytes]:
    """The steps of the target, run in an ordinary process. The code is ours, so no boundary is needed."""
    for source in ("x = 2.5\ndef f(n): return [n] * n", "x = {'a': (1, None)}\ndef f(n): return 1 / (n - 2)", "1 / 0"):
        recorder = _Recorder()
        with Sandbox(recorder, LIMITS, "none", "recorded") as sandbox:
            sandbox.run((Cell("setup", source), *STEPS[1:]))
        for attempt in recorder.attempts:
            at = attempt.progress
            yield memory(list(attempt.frames), finished=attempt.finished, at=(at.step, at.input, at.limit))


class _Recorder(UnsandboxedProcesses):
    """Ordinary processes, and what became of each attempt."""

    def __init__(self) -> None:
        super().__init__(LIMITS)
        self.attempts: list[Attempt] = []

    def attempt(self, order: AttemptRequest) -> Attempt:
        self.attempts.append(super().attempt(order))
        return self.attempts[-1]


# Files of authors --------------------------------------------------------------------------------------------------


def _of_template() -> Iterator[bytes]:
    """A fifth of them: reading YAML takes most of the time that the fuzzers have."""
    for path in [path for path in sorted(checkout_bank().lessons.glob("*/*.yaml")) if path.name != "chapter.yaml"][::5]:
        yield path.read_bytes()


def _of_definition() -> Iterator[bytes]:
    for path in (*sorted(ROOT.glob("examples/*/set.yaml")), *sorted(checkout_bank().lessons.glob("*/chapter.yaml"))):
        yield path.read_bytes()
    yield b"name: week-1\ntitle: Week 1\nproblems:\n  - bytes-per-gpu\n  - {id: ring-time, points: 5}\nattempts: 3\n"
    yield b"due: 2026-12-01T23:59:00+01:00\nproblems: &some [a, b]\nmore: *some\n<<: {a: !!str 1}\n? x\n: >-\n  folded\n"


# Answers -----------------------------------------------------------------------------------------------------------


def _of_number() -> Iterator[bytes]:
    for text, (place, _) in zip(NUMBERS, itertools.cycle(enumerate(UNITS)), strict=False):
        yield bytes([place]) + text.encode()


def _of_formula() -> Iterator[bytes]:
    for place, text in itertools.product(range(len(SYMBOLS)), FORMULAS):
        yield bytes([place]) + text.encode()


def _of_answer() -> Iterator[bytes]:
    """The sample answers of every kind."""
    for place, question in enumerate(questions()):
        for sample in kinds()[question.kind].samples(question):
            yield from (bytes([place]) + raw for raw in _written(sample.raw))


def _of_returned() -> Iterator[bytes]:
    (question,) = (question for question in questions() if question.kind == "code")
    for sample in kinds()["code"].samples(question):
        if isinstance(sample.raw, Recorded):
            yield wire_format.to_text(wire_format.pack([call.value for call in sample.raw.calls])).encode()
    yield b'[{"error": "ValueError: no"}, 1.5, "text", [1, 2], {"d": [["a", 1]]}, null, NaN]'


def _written(raw: Any) -> list[bytes]:
    """An answer as the data that leaves the sandbox, and a text also as it is."""
    if isinstance(raw, Recorded):
        return []
    plain = [raw.encode()] if isinstance(raw, str) else []
    return [*plain, wire_format.to_text(wire_format.pack(raw)).encode()]
