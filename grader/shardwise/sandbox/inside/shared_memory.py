"""The shared memory through which a job enters the sandbox and its results leave it.

The controller makes one per attempt and seals its size: whatever a notebook writes there, reading it never waits and never
crashes. All behind the job itself is written by a process that also runs the student's code, so it has to be checked.
"""

from __future__ import annotations

import json
import mmap
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

HEADER_BYTES = 64
_JOB = struct.Struct("<II")  # bytes of the job, bytes for its results behind it
_PROGRESS = struct.Struct("<IiI")  # step, input, which limit applies
_USED = struct.Struct("<II")  # bytes of frames written, whether every step was done
_FRAME = struct.Struct("<I")
_PROGRESS_AT, _USED_AT = 8, 32

Readable = mmap.mmap | bytes | bytearray

NO_STEP = 0xFFFFFFFF  # the job has not begun its first step
WHOLE_STEP = -1  # in place of the number of an input
CELL_LIMIT, CALL_LIMIT = 0, 1
EXIT_BROKEN, EXIT_OUT_OF_MEMORY = 70, 72  # of a job's process; any other status is the student's doing


@dataclass(frozen=True)
class RunProgress:
    """What a job says it is busy with. A student who forges it only shifts the blame among their own steps."""

    step: int
    input: int
    limit: int


NOT_BEGUN = RunProgress(NO_STEP, WHOLE_STEP, CELL_LIMIT)


class FullError(Exception):
    """There is no space left for results."""


def size_for(job_bytes: int, results_bytes: int) -> int:
    """Bytes to map for a job and its results, in whole pages."""
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
    """The latest progress, as the job tells it."""
    return RunProgress(*_PROGRESS.unpack_from(memory, _PROGRESS_AT))


class Writer:
    """The writing end: progress before each unit of work, a frame after it."""

    def __init__(self, memory: mmap.mmap) -> None:
        job_bytes, self._results_bytes = _JOB.unpack_from(memory, 0)
        self._memory, self._start, self._used = memory, HEADER_BYTES + job_bytes, 0

    def begin(self, step: int, input_index: int, limit: int) -> None:
        """Say which unit of work comes next. Its time limit starts when the server sees this."""
        progress = _PROGRESS.pack(step, input_index, limit)
        self._memory[_PROGRESS_AT : _PROGRESS_AT + _PROGRESS.size] = progress  # at once: the server reads it meanwhile

    def write(self, frame: bytes) -> None:
        """Append one frame; it counts only once it is complete."""
        used = self._used + _FRAME.size + len(frame)
        if used > self._results_bytes:
            raise FullError
        self._memory[self._start + self._used : self._start + used] = _FRAME.pack(len(frame)) + frame
        self._used = used
        _USED.pack_into(self._memory, _USED_AT, used, 0)

    def finish(self) -> None:
        """Every step is done."""
        _USED.pack_into(self._memory, _USED_AT, self._used, 1)


@dataclass(frozen=True)
class Frames:
    """What a job has written, cut into frames as they are asked for: a forger can make millions of them."""

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
    """Every frame that lies within the sizes that the controller chose, and whether the job says it finished."""
    used, finished = _USED.unpack_from(memory, _USED_AT)
    start = HEADER_BYTES + job_bytes
    written = memory[start : start + min(used, results_bytes)]
    return Frames(bytes(written)), bool(finished)
