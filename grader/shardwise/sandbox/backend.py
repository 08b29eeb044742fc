"""The interface between the controller and the backends that run its jobs, isolated or not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

from shardwise.errors import ShardwiseError

from .inside.messages import JobRequest
from .inside.shared_memory import NOT_BEGUN, RunProgress


class SandboxUnavailable(ShardwiseError):
    """No isolation works: the message says what failed and what would help."""

    def __init__(self, reason: str, remedy: str = "") -> None:
        self.reason, self.remedy = reason, remedy
        super().__init__(f"{reason}\n     {remedy}" if remedy else reason)


@dataclass(frozen=True)
class AttemptRequest:
    """An attempt at a job: the job, the space for its results and its time limits."""

    job: bytes
    results_bytes: int
    limits: JobRequest


@dataclass(frozen=True)
class Attempt:
    """How an attempt ended. Frames, `finished` and `progress` were written by the job and may be forged."""

    ended: str  # itself, limit (of one unit), deadline (of the attempt) or server (which died)
    code: int = 0  # exit status; negative, the signal
    cpu_seconds: float = 0.0
    finished: bool = False
    progress: RunProgress = NOT_BEGUN
    frames: Iterable[bytes] = field(default_factory=tuple)
    # Duration, measured by the process that watched it, which keeps running when Ctrl-Z stops this one; None if unknown.
    seconds: float | None = None


class Backend(Protocol):
    """A backend, which runs one attempt at a time."""

    def attempt(self, request: AttemptRequest) -> Attempt:
        """Run a job in a separate process until it ends or reaches a limit."""

    def close(self) -> None:
        """Stop all processes."""
