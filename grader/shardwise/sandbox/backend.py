"""What a controller needs from whatever runs its jobs, boundary or none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from shardwise.errors import ShardwiseError

from .inside.region import NOT_BEGUN, Progress


class SandboxUnavailable(ShardwiseError):
    """No boundary that holds: which probe failed, and what would help."""

    def __init__(self, reason: str, remedy: str = "") -> None:
        self.reason, self.remedy = reason, remedy
        super().__init__(f"{reason}\n     {remedy}" if remedy else reason)


@dataclass(frozen=True)
class Order:
    """One attempt at a job."""

    job: bytes
    room_bytes: int  # for its frames
    seconds: float  # for all of it
    cell_seconds: float
    call_seconds: float
    libraries: frozenset[str] = frozenset()  # of numpy and sympy, those it mentions: worth loading beforehand


@dataclass(frozen=True)
class Attempt:
    """How an attempt ended. Frames, `finished` and `progress` are the job's own word, the rest is ours."""

    ended: str  # itself, limit (of one unit), deadline (of the attempt), server (it died)
    code: int = 0  # exit status; negative, the signal
    cpu_seconds: float = 0.0
    finished: bool = False
    progress: Progress = NOT_BEGUN
    frames: Sequence[bytes] = field(default_factory=tuple)


class Backend(Protocol):
    """Runs one attempt at a time."""

    def attempt(self, order: Order) -> Attempt:
        """Run a job in a process of its own, to its end or to its limit."""

    def close(self) -> None:
        """Leave nothing running."""
