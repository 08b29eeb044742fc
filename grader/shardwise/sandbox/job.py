"""A job's steps, limits and results: the data that enters the sandbox and leaves it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Cell:
    """Run this source in the notebook's namespace."""

    key: str
    source: str


@dataclass(frozen=True)
class Value:
    """Fetch one variable of the notebook's namespace."""

    key: str
    name: str


@dataclass(frozen=True)
class Calls:
    """Call a function once for each mapping of keyword arguments.

    With `source`, that source runs first in a namespace of its own and the function is taken from there.
    """

    key: str
    name: str
    inputs: tuple[Mapping[str, object], ...]
    source: str | None = None


Step = Cell | Value | Calls


@dataclass(frozen=True)
class Limits:
    """How much of the machine one job may use. Times are wall-clock seconds unless they say cpu."""

    cell_seconds: float = 10.0
    call_seconds: float = 2.0
    job_seconds: float = 60.0  # all attempts at a job together
    cpu_seconds: int = 60  # of one attempt, over all its threads
    memory_bytes: int = 2**30  # address space, libraries included
    result_bytes: int = 2**20  # all values of one job together
    processes: int = 64  # which means threads, since a job cannot fork
    files: int = 32  # open file descriptors
    restarts: int = 25  # how often a job is tried again without the step that broke it


@dataclass(frozen=True)
class CellResult:
    """How a cell ran; `error` is one line. What it printed is dropped."""

    status: str  # ok, raised, timeout, memory, killed, skipped
    error: str = ""


@dataclass(frozen=True)
class ValueResult:
    """A variable. `missing`: the name was never bound, or is still bound to `...`."""

    status: str  # ok, missing, unreadable, killed, skipped
    value: object = None
    type_name: str = ""
    reason: str = ""


@dataclass(frozen=True)
class CallResult:
    """A call of a function."""

    status: str  # returned, raised, timeout, memory, killed, unreadable, missing, skipped
    value: object = None
    error: str = ""


@dataclass(frozen=True)
class CallsResult:
    """Every call of a function, in the order of its inputs."""

    results: tuple[CallResult, ...]


@dataclass(frozen=True)
class JobResult:
    """The result of each step, by key."""

    results: Mapping[str, CellResult | ValueResult | CallsResult] = field(default_factory=dict)
    restarts: int = 0
    cpu_seconds: float = 0.0
    seconds: float = 0.0  # that its attempts took together, but for one that was made once more since it had waited
