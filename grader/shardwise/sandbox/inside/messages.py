"""The messages between controller and server, as JSON. Neither side reads a message that a student's code could have written."""

from __future__ import annotations

import json
from typing import NamedTuple

MESSAGE_BYTES = 1024  # the longest message


class Greeting(NamedTuple):
    """The server is ready; the message says as which user it runs."""

    user: int


class JobRequest(NamedTuple):
    """A request to run a job, with time limits. The job itself comes as a descriptor of shared memory."""

    cell_seconds: float
    call_seconds: float
    seconds: float  # left for this attempt
    steps: int  # number of steps in the job
    inputs: int  # number of inputs of the step with the most
    sympy: bool = False  # whether its source mentions sympy, which is then imported first


class JobReport(NamedTuple):
    """How a job's process ended."""

    ended: str  # itself, limit (of one unit) or deadline (of the attempt)
    code: int  # exit status; negative, the signal
    cpu_seconds: float
    seconds: float  # from start to end


def to_bytes(message: Greeting | JobRequest | JobReport) -> bytes:
    """Return the bytes of a message; the receiver knows its type."""
    return json.dumps(message).encode()
