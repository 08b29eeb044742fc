"""The messages between controller and server: numbers of fixed size, so that there is nothing to parse."""

from __future__ import annotations

import struct
from typing import NamedTuple

_GREETING = struct.Struct("<II")
_JOB_REQUEST = struct.Struct("<ddd?II")
_JOB_REPORT = struct.Struct("<Bidd")
_ENDED = ("itself", "limit", "deadline")
MESSAGE_BYTES = 64  # no message is longer


class Greeting(NamedTuple):
    """The server is ready: as which user it runs, and what its kernel offers."""

    user: int
    landlock: int  # its version, 0 for none

    def to_bytes(self) -> bytes:
        return _GREETING.pack(*self)


class JobRequest(NamedTuple):
    """Run a job: its time limits. The job itself comes as a descriptor of shared memory."""

    cell_seconds: float
    call_seconds: float
    seconds: float  # left for this attempt
    sympy: bool  # whether the job mentions it
    steps: int  # that the job has
    inputs: int  # of its step that has the most

    def to_bytes(self) -> bytes:
        return _JOB_REQUEST.pack(*self)


class JobReport(NamedTuple):
    """How a job's process ended."""

    ended: str  # itself, limit (of one unit), deadline (of the attempt)
    code: int  # exit status; negative, the signal
    cpu_seconds: float
    seconds: float  # from its beginning to its end

    def to_bytes(self) -> bytes:
        return _JOB_REPORT.pack(_ENDED.index(self.ended), self.code, self.cpu_seconds, self.seconds)


def read_greeting(data: bytes) -> Greeting:
    """What `Greeting.to_bytes` wrote."""
    return Greeting(*_GREETING.unpack(data))


def read_job_request(data: bytes) -> JobRequest:
    """What `JobRequest.to_bytes` wrote."""
    return JobRequest(*_JOB_REQUEST.unpack(data))


def read_job_report(data: bytes) -> JobReport:
    """What `JobReport.to_bytes` wrote."""
    ended, code, cpu_seconds, seconds = _JOB_REPORT.unpack(data)
    return JobReport(_ENDED[ended], code, cpu_seconds, seconds)
