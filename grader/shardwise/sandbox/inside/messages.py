"""The messages between controller and server, as JSON. Neither side reads a message that a student's code could have written."""

from __future__ import annotations

import json
from typing import NamedTuple

MESSAGE_BYTES = 1024  # no message is longer


class Greeting(NamedTuple):
    """The server is ready: as which user it runs, and what its kernel offers."""

    user: int
    landlock: int  # its version, 0 for none


class JobRequest(NamedTuple):
    """Run a job: its time limits. The job itself comes as a descriptor of shared memory."""

    cell_seconds: float
    call_seconds: float
    seconds: float  # left for this attempt
    sympy: bool  # whether the job mentions it
    steps: int  # that the job has
    inputs: int  # of its step that has the most


class JobReport(NamedTuple):
    """How a job's process ended."""

    ended: str  # itself, limit (of one unit), deadline (of the attempt)
    code: int  # exit status; negative, the signal
    cpu_seconds: float
    seconds: float  # from its beginning to its end


def to_bytes(message: Greeting | JobRequest | JobReport) -> bytes:
    """Return a message as it is sent; whoever receives it knows which of them it is."""
    return json.dumps(message).encode()
