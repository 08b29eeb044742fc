"""The shared memory through which a job enters the sandbox and its results leave it.

The controller creates one block per attempt and seals its size: whatever a notebook writes there, reading it never blocks
and never crashes. Everything after the job is written by a process that also runs the student's code, so it has to be checked.
"""

from __future__ import annotations

import json
import mmap
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

HEADER_BYTES = 64
_JOB = struct.Struct("<II")  # bytes of the job, bytes for the results after it
_PROGRESS = struct.Struct("<IiI")  # step, input, and which limit applies
_USED = struct.Struct("<II")  # bytes of frames written, and whether every step is done
_FRAME = struct.Struct("<I")
_PROGRESS_AT, _USED_AT = 8, 32

Readable = mmap.mmap | bytes | bytearray

NO_STEP = 0xFFFFFFFF  # the job has not started its first step
WHOLE_STEP = -1  # instead of the index of an input
CELL_LIMIT, CALL_LIMIT = 0, 1
EXIT_BROKEN, EXIT_OUT_OF_MEMORY = 70, 72  # exit statuses of a job's process; the student's code caused any other


@dataclass(frozen=True)
class RunProgress:
    """The unit that a job claims to be running. A student who forges it only shifts the blame among their own steps."""

    step: int
    input: int
    limit: int


NOT_BEGUN = RunProgress(NO_STEP, WHOLE_STEP, CELL_LIMIT)


class FullError(Exception):
    """There is no space left for results."""


def size_for(job_bytes: int, results_bytes: int) -> int:
    """Return the bytes to map for a job and its results, rounded up to pages."""
    exact = HEADER_BYTES + job_bytes + results_bytes
    return -(-exact // mmap.PAGESIZE) * mmap.PAGESIZE


def write_job(memory: mmap.mmap | bytearray, job: bytes, results_bytes: int) -> None:
    """Write a job into fresh memory."""
    _JOB.pack_into(memory, 0, len(job), results_bytes)
    _PROGRESS.pack_into(memory, _PROGRESS_AT, NO_STEP, WHOLE_STEP, CELL_LIMIT)
    memory[HEADER_BYTES : HEADER_BYTES + len(job)] = job


def read_job(memory: mmap.mmap) -> Any:
    """Return the job, read by the process that will run it."""
    job_bytes, _ = _JOB.unpack_from(memory, 0)
    return json.loads(memory[HEADER_BYTES : HEADER_BYTES + job_bytes])


def read_progress(memory: Readable) -> RunProgress:
    """Return the latest progress that the job has reported."""
    return RunProgress(*_PROGRESS.unpack_from(memory, _PROGRESS_AT))


class Writer:
    """The writing end, with progress before each unit of work and a frame after it."""

    def __init__(self, memory: mmap.mmap) -> None:
        job_bytes, self._results_bytes = _JOB.unpack_from(memory, 0)
        self._memory, self._start, self._used = memory, HEADER_BYTES + job_bytes, 0

    def begin(self, step: int, input_index: int, limit: int) -> None:
        """Report which unit of work comes next. Its time limit starts when the server sees this."""
        progress = _PROGRESS.pack(step, input_index, limit)
        self._memory[_PROGRESS_AT : _PROGRESS_AT + _PROGRESS.size] = (
            progress  # in one write, because the server reads it concurrently
        )

    def write(self, frame: bytes) -> None:
        """Append a frame, which counts only when it is complete."""
        used = self._used + _FRAME.size + len(frame)
        if used > self._results_bytes:
            raise FullError
        self._memory[self._start + self._used : self._start + used] = _FRAME.pack(len(frame)) + frame
        self._used = used
        _USED.pack_into(self._memory, _USED_AT, used, 0)

    def finish(self) -> None:
        """Report that every step is done."""
        _USED.pack_into(self._memory, _USED_AT, self._used, 1)


@dataclass(frozen=True)
class Frames:
    """The frames that a job has written, split lazily, because a forger can write millions of them."""

    written: bytes

    def __iter__(self) -> Iterator[bytes]:
        at = 0
        while at + _FRAME.size <= len(self.written):
            (length,) = _FRAME.unpack_from(self.written, at)
            at += _FRAME.size
            if length == 0 or at + length > len(self.written):
                return
            yield self.written[at : at + length]
            at += length


def read_frames(memory: Readable, job_bytes: int, results_bytes: int) -> tuple[Frames, bool]:
    """Return the frames within the sizes that the controller chose, and whether the job reports that it finished."""
    used, finished = _USED.unpack_from(memory, _USED_AT)
    start = HEADER_BYTES + job_bytes
    written = memory[start : start + min(used, results_bytes)]
    return Frames(bytes(written)), bool(finished)
