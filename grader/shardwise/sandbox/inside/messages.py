"""What controller and server say to each other: fixed numbers, so that there is nothing in it to be parsed."""

from __future__ import annotations

import struct
from typing import NamedTuple

_GREETING = struct.Struct("<II")
_ORDER = struct.Struct("<ddd?")
_REPORT = struct.Struct("<Bid")
_ENDED = ("itself", "limit", "deadline")
MESSAGE_BYTES = 64  # no message is longer


class Greeting(NamedTuple):
    """What the server is, once it is ready."""

    user: int
    landlock: int  # its version, 0 for none

    def to_bytes(self) -> bytes:
        return _GREETING.pack(*self)


class Order(NamedTuple):
    """What the controller says about a job besides the job itself."""

    cell_seconds: float
    call_seconds: float
    seconds: float  # left for this attempt
    sympy: bool  # whether the job mentions it

    def to_bytes(self) -> bytes:
        return _ORDER.pack(*self)


class Report(NamedTuple):
    """How a job's process ended."""

    ended: str  # itself, limit (of one unit), deadline (of the attempt)
    code: int  # exit status; negative, the signal
    cpu_seconds: float

    def to_bytes(self) -> bytes:
        return _REPORT.pack(_ENDED.index(self.ended), self.code, self.cpu_seconds)


def read_greeting(data: bytes) -> Greeting:
    """What `Greeting.to_bytes` wrote."""
    return Greeting(*_GREETING.unpack(data))


def read_order(data: bytes) -> Order:
    """What `Order.to_bytes` wrote."""
    return Order(*_ORDER.unpack(data))


def read_report(data: bytes) -> Report:
    """What `Report.to_bytes` wrote."""
    ended, code, cpu_seconds = _REPORT.unpack(data)
    return Report(_ENDED[ended], code, cpu_seconds)
