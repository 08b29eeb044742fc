"""A student's function on the student's machine, with a time limit, its output discarded, and the kernel protected.

Source code, which forms and the terminal send, runs in a separate process. A live function of a notebook needs the notebook's
other names, so it is called in a thread. A thread can be stopped on every system, by raising an exception in it from outside.
A thread that does not react, because it sleeps or computes in C, is abandoned.
"""

from __future__ import annotations

import ctypes
import os
import queue
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from typing import Any

import __main__
from shardwise.kinds.calls import Call, Inputs, Made, Program, call_once, in_one_line, run_here
from shardwise.student.running.in_a_process import NoProcess, run_in_process

SECONDS = 2.0  # per call, as in grading
LOADING = 10.0  # for the rest of a source, as for a cell in grading; it may import a large package
PATIENCE = 2  # calls that may time out before the others are skipped, as in grading
_REACTION = 1.0  # seconds that a thread has to react


class _TimeUp(BaseException):
    """The exception raised inside a function that takes too long; a student's `except Exception` does not catch it."""


def run_limited(
    program: Program, name: str, inputs: Sequence[Inputs], *, seconds: float = SECONDS, loading: float = LOADING
) -> Sequence[Call]:
    """Call a function, or the function that a source defines, on every input. Raises KeyboardInterrupt."""
    if isinstance(program, str):
        with suppress(NoProcess):
            return run_in_process(program, name, inputs, seconds=seconds, loading=loading, patience=PATIENCE)
    with _guarded():
        if callable(program):
            with suppress(RuntimeError):  # on a system without threads, such as a browser
                return _run_in_thread(program, inputs, seconds)
        return run_here(program, name, inputs)


@contextmanager
def _guarded() -> Iterator[None]:
    """Discard what a function prints, and make IPython's exit() and quit() end the call instead of the kernel."""
    exits: dict[str, Any] = {name: vars(__main__)[name] for name in ("exit", "quit") if name in vars(__main__)}
    with open(os.devnull, "w", encoding="utf-8") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        vars(__main__).update(dict.fromkeys(exits, sys.exit))
        try:
            yield
        finally:
            vars(__main__).update(exits)


def _run_in_thread(function: Callable[..., Any], inputs: Sequence[Inputs], seconds: float) -> Sequence[Call]:
    """Make every call, and stop those that take too long. Raises RuntimeError if there are no threads."""
    done: queue.SimpleQueue[Call] = queue.SimpleQueue()
    unwanted = threading.Event()
    worker = threading.Thread(target=_work, args=(function, inputs, done, unwanted), daemon=True)
    calls: list[Call] = []
    stopped = 0
    try:
        worker.start()
        while len(calls) < len(inputs) and stopped < PATIENCE:
            with suppress(queue.Empty):
                calls.append(done.get(timeout=seconds))
                continue
            _stop(worker)
            stopped += 1
            try:
                calls.append(done.get(timeout=_REACTION))
            except queue.Empty:  # it sleeps or catches everything: abandon the thread
                calls.append(Made("timeout"))
                break
    finally:
        if len(calls) < len(inputs):  # abandoned or interrupted; leave a thread alone that has made all its calls
            unwanted.set()
            _stop(worker)
    return [*calls, *[Made("skipped")] * (len(inputs) - len(calls))]


def _work(
    function: Callable[..., Any], inputs: Sequence[Inputs], done: queue.SimpleQueue[Call], unwanted: threading.Event
) -> None:
    """Make all calls, one after another, until `unwanted` is set."""
    with suppress(_TimeUp):
        for keywords in inputs:
            if unwanted.is_set():
                break
            try:
                call: Call = call_once(function, keywords)
            except _TimeUp:
                call = Made("timeout")
            except BaseException as error:  # such as a KeyboardInterrupt that the function raises
                call = Made("raised", error=in_one_line(error))
            done.put(call)


def _stop(worker: threading.Thread) -> None:
    """Raise _TimeUp in a thread if it is still running."""
    if worker.is_alive() and worker.ident is not None:
        with suppress(AttributeError):  # on an interpreter other than CPython
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(worker.ident), ctypes.py_object(_TimeUp))
