"""The controller: runs a job to its last step, whatever its steps do.

A step that kills or blocks its process, or uses up its memory, ends that attempt. The job then runs again without the step,
so that every other step gets its result.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from shardwise.errors import ShardwiseError

from .backend import Attempt, AttemptRequest, Backend, SandboxUnavailable
from .inside import wire_format
from .inside.messages import JobRequest
from .inside.shared_memory import CALL_LIMIT, EXIT_OUT_OF_MEMORY, NO_STEP, WHOLE_STEP
from .job import (
    CallResult,
    Calls,
    CallsResult,
    Cell,
    CellResult,
    JobResult,
    Limits,
    Step,
    Value,
    ValueResult,
)
from .untrusted_results import Result, ResultReader, Unit, units

_MOST_TIMEOUTS = 2  # per function; after that, its remaining inputs are skipped
_SIGKILL = 9
_Kind = TypeVar("_Kind", CellResult, ValueResult, CallResult)


class Sandbox:
    """A sandbox, which runs one job at a time. Threads that share it wait for each other."""

    def __init__(self, backend: Backend, limits: Limits, tier: str, description: str) -> None:
        self.tier, self.description, self.limits = tier, description, limits
        self._backend, self._lock, self._owner = backend, threading.Lock(), os.getpid()
        self._closed = False

    def run(self, steps: Sequence[Step], *, seconds: float | None = None) -> JobResult:
        """Run the steps and return each result by key. Keys must differ. `seconds` can shorten the job's time limit."""
        if len({step.key for step in steps}) != len(steps):
            raise ShardwiseError("Two steps of a job have the same key. Give each step a different one.")
        if os.getpid() != self._owner:
            raise ShardwiseError("A sandbox belongs to the process that opened it. Open another one here.")
        with self._lock:
            if self._closed:
                raise ShardwiseError("This sandbox is closed. Open another one.")
            most = self.limits.job_seconds if seconds is None else min(seconds, self.limits.job_seconds)
            return _Job(self._backend, self.limits, tuple(steps), most).run()

    def close(self) -> None:
        """Stop all processes."""
        with self._lock:
            self._closed = True
            if os.getpid() == self._owner:
                self._backend.close()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


class _Job:
    """A job and its attempts."""

    def __init__(self, backend: Backend, limits: Limits, steps: tuple[Step, ...], seconds: float) -> None:
        self._backend, self._limits, self._steps = backend, limits, steps
        self._units = tuple(units(steps))
        self._reader = ResultReader(steps, limits)
        self._found: dict[Unit, Result] = {}
        self._blamed: dict[Unit, str] = {}  # the units that ended an attempt, with how they did
        self._skip: dict[int, set[int]] = {}
        self._packed_steps = [_packed_step(step) for step in steps]
        self._sympy = any("sympy" in (getattr(step, "source", None) or "") for step in steps)
        self._seconds = self._left = seconds
        self._restarts, self._cpu_seconds = 0, 0.0
        self._tried_the_same_again = self._waited_for_a_processor = False

    def run(self) -> JobResult:
        """Make attempts until one reaches the last step or no more are allowed."""
        while True:
            attempt, took = self._attempt()
            self._left -= took
            self._cpu_seconds += attempt.cpu_seconds
            found = self._reader.read(attempt.frames)
            self._found.update(found)
            if attempt.finished and attempt.ended == "itself":
                self._blamed.update(dict.fromkeys(self._unanswered(), "killed"))
                break
            if self._waited(attempt, took):
                self._left += took
                continue
            if self._may_be_our_fault(attempt):
                continue
            self._blame(attempt, found)
            if attempt.ended == "deadline" or self._left <= 0 or self._restarts >= self._limits.restarts:
                break
            self._restarts += 1
        return JobResult(self._results(), self._restarts, self._cpu_seconds, self._seconds - self._left)

    def _attempt(self) -> tuple[Attempt, float]:
        """Make one attempt; return it and its duration in seconds."""
        request = _request(
            {"steps": self._packed_steps, "skip": {step: sorted(numbers) for step, numbers in self._skip.items()}},
            self._limits,
            results_bytes=self._reader.space,
            seconds=max(0.05, self._left),
            sympy=self._sympy,
        )
        began = time.monotonic()
        attempt = self._backend.attempt(request)
        return attempt, time.monotonic() - began if attempt.seconds is None else attempt.seconds

    def _waited(self, attempt: Attempt, took: float) -> bool:
        """Return whether a cell or call may have run out of time because the machine was busy; then the attempt is repeated.

        That is so if it spent at least half of the time limit without computing. The student's code may have slept, and will
        sleep again. But it may also have waited for a processor or a disk, and must not lose points for that. There is one
        repetition per job, and only if the attempt took at most a quarter of the job's time. That time does not count, because
        later steps would have less.
        """
        if self._waited_for_a_processor or attempt.ended != "limit" or took > self._seconds / 4:
            return False
        limit = self._limits.call_seconds if attempt.progress.limit == CALL_LIMIT else self._limits.cell_seconds
        if took - attempt.cpu_seconds < limit / 2:
            return False
        self._waited_for_a_processor = True
        return True

    def _may_be_our_fault(self, attempt: Attempt) -> bool:
        """Return whether to repeat the attempt: once, if the server died or the job seems not to have started.

        The second time, an empty job decides. If it fails too, the error is ours: raise SandboxUnavailable. If not, the
        student's code is to blame, because it can make a job look as if it never started.
        """
        if attempt.ended != "server" and attempt.progress.step != NO_STEP:
            return False
        if not self._tried_the_same_again:
            self._tried_the_same_again = True
            return True
        control = self._backend.attempt(
            _request({"steps": [], "skip": {}}, self._limits, results_bytes=0, seconds=10.0, sympy=self._sympy)
        )
        if not control.finished:
            raise SandboxUnavailable(
                "The sandbox stopped working: even an empty job does not finish.", "Open a new one."
            )
        return False

    def _unanswered(self) -> list[Unit]:
        """Return the units without a result. An honest job writes all results before it reports that it has finished."""
        return [unit for unit in self._units if unit not in self._found and not self._skipped(unit)]

    def _blame(self, attempt: Attempt, found: Mapping[Unit, Result]) -> None:
        """Exclude the unit that ended this attempt from the next one."""
        step, number = self._culprit(attempt, found)
        if step < 0:
            return
        status = self._cause(attempt)
        self._skip.setdefault(step, set()).add(number)
        for unit in self._units:
            if unit in self._found and unit not in found:
                continue  # it had answered in time, before another step made the job restart
            if unit == (step, number) or (number == WHOLE_STEP and unit[0] == step):
                self._blamed[unit] = status
        timeouts = [unit for unit, why in self._blamed.items() if unit[0] == step and why == "timeout"]
        if number != WHOLE_STEP and len(timeouts) >= _MOST_TIMEOUTS:
            self._skip[step].update(each for index, each in self._units if index == step and each > number)

    def _culprit(self, attempt: Attempt, found: Mapping[Unit, Result]) -> Unit:
        """Return the unit that the job claims it was running, if it exists; otherwise the first unit without a result."""
        step, number = attempt.progress.step, attempt.progress.input
        if step < len(self._steps) and not self._skipped((step, number)):
            count = len(self._inputs(step))
            if number == WHOLE_STEP or 0 <= number < count:
                return step, number
        open_units = [unit for unit in self._units if unit not in found and not self._skipped(unit)]
        open_units = open_units or [unit for unit in self._units if not self._skipped(unit)]
        return open_units[0] if open_units else (-1, WHOLE_STEP)

    def _inputs(self, index: int) -> Sequence[object]:
        step = self._steps[index]
        return step.inputs if isinstance(step, Calls) else ()

    def _skipped(self, unit: Unit) -> bool:
        numbers = self._skip.get(unit[0], set())
        return unit[1] in numbers or WHOLE_STEP in numbers

    def _cause(self, attempt: Attempt) -> str:
        if attempt.ended in ("limit", "deadline"):
            return "timeout"
        if attempt.ended == "itself" and attempt.code == EXIT_OUT_OF_MEMORY:
            return "memory"
        used_up = attempt.cpu_seconds >= self._limits.cpu_seconds - 1
        return "timeout" if attempt.code == -_SIGKILL and used_up else "killed"

    def _results(self) -> dict[str, CellResult | ValueResult | CallsResult]:
        results: dict[str, CellResult | ValueResult | CallsResult] = {}
        for index, step in enumerate(self._steps):
            if isinstance(step, Cell):
                results[step.key] = self._result((index, WHOLE_STEP), CellResult)
            elif isinstance(step, Value):
                results[step.key] = self._result((index, WHOLE_STEP), ValueResult)
            else:
                calls = (self._result((index, number), CallResult) for number in range(len(step.inputs)))
                results[step.key] = CallsResult(tuple(calls))
        return results

    def _result(self, unit: Unit, kind: type[_Kind]) -> _Kind:
        found, blamed = self._found.get(unit), self._blamed.get(unit)
        if isinstance(found, kind) and (blamed is None or blamed == found.status):
            return found
        if blamed is None:
            return kind("skipped")
        return kind("killed" if kind is ValueResult else blamed)


def _request(job: dict[str, Any], limits: Limits, *, results_bytes: int, seconds: float, sympy: bool) -> AttemptRequest:
    amounts = {"result_bytes": limits.result_bytes, "memory_bytes": limits.memory_bytes}
    data = json.dumps({**job, **amounts}).encode()
    inputs = max((len(step.get("inputs", ())) for step in job["steps"]), default=0)
    times = JobRequest(limits.cell_seconds, limits.call_seconds, seconds, len(job["steps"]), inputs, sympy)
    return AttemptRequest(data, results_bytes, times)


def _packed_step(step: Step) -> dict[str, object]:
    if isinstance(step, Cell):
        return {"step": "cell", "key": step.key, "source": step.source}
    if isinstance(step, Value):
        return {"step": "value", "key": step.key, "name": step.name}
    try:
        inputs = [{str(name): wire_format.pack(value) for name, value in each.items()} for each in step.inputs]
    except wire_format.Unpackable as refused:
        raise ShardwiseError(f"An input of {step.name} cannot be sent to the sandbox: {refused}.") from None
    return {"step": "calls", "key": step.key, "name": step.name, "source": step.source, "inputs": inputs}
