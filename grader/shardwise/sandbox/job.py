"""A job's steps, limits and results: the data that enters the sandbox and leaves it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Cell:
    """A step that runs source code in the notebook's namespace."""

    key: str
    source: str


@dataclass(frozen=True)
class Value:
    """A step that fetches one variable from the notebook's namespace."""

    key: str
    name: str


@dataclass(frozen=True)
class Calls:
    """A step that calls a function once for each mapping of keyword arguments.

    With `source`, that source runs first in a separate namespace, from which the function is taken.
    """

    key: str
    name: str
    inputs: tuple[Mapping[str, object], ...]
    source: str | None = None


Step = Cell | Value | Calls


@dataclass(frozen=True)
class Limits:
    """The resource limits of a job. Times are wall-clock seconds unless they say cpu."""

    cell_seconds: float = 10.0
    call_seconds: float = 2.0
    job_seconds: float = 60.0  # for all attempts at a job together
    cpu_seconds: int = 60  # for one attempt, over all its threads
    memory_bytes: int = 2**30  # address space, including libraries
    result_bytes: int = 2**20  # for all values of a job together
    processes: int = 64  # in effect threads, because a job cannot fork
    files: int = 32  # open file descriptors
    restarts: int = 25  # how often a job is run again without the step that broke it


@dataclass(frozen=True)
class CellResult:
    """The result of a cell; `error` is one line. Its output is discarded."""

    status: str  # ok, raised, timeout, memory, killed or skipped
    error: str = ""


@dataclass(frozen=True)
class ValueResult:
    """The result of fetching a variable. `missing`: the name was never bound, or is still bound to `...`."""

    status: str  # ok, missing, unreadable, killed or skipped
    value: object = None
    type_name: str = ""
    reason: str = ""


@dataclass(frozen=True)
class CallResult:
    """The result of one function call."""

    status: str  # returned, raised, timeout, memory, killed, unreadable, missing or skipped
    value: object = None
    error: str = ""


@dataclass(frozen=True)
class CallsResult:
    """The results of all calls of a function, in the order of its inputs."""

    results: tuple[CallResult, ...]


@dataclass(frozen=True)
class JobResult:
    """The result of each step, by key."""

    results: Mapping[str, CellResult | ValueResult | CallsResult] = field(default_factory=dict)
    restarts: int = 0
    cpu_seconds: float = 0.0
    seconds: float = 0.0  # for all attempts together, except one that was repeated because it had waited
