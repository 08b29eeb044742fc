"""A student's function on the student's own machine: stopped after a time limit, its prints swallowed, the kernel unharmed.

A source, as forms and the terminal send it, runs in a process of its own. A live function of a notebook, which needs the
notebook's other names, is called in a thread, since a thread can be stopped on every system: by an exception that is raised in
it from outside. One that does not react, such as one that sleeps or computes in C, is left behind.
"""

from __future__ import annotations

import ctypes
import io
import os
import queue
import sys
import threading
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from typing import Any, NoReturn

import __main__
from shardwise.kinds.calls import Call, Inputs, Made, Program, call_once, function_of, in_one_line, run_here
from shardwise.student.running.in_a_process import NoProcess, run_elsewhere
from shardwise.student.running.restore import Kept

SECONDS = 2.0  # for one call, as when it is graded
LOADING = 10.0  # for the rest of a source, as for a cell when it is graded; it may import something large
PATIENCE = 2  # calls that may take too long before the others are skipped, as when it is graded
_REACTION = 1.0  # seconds that a thread is given to react


class _TimeUp(BaseException):
    """Raised inside a function that takes too long; no `except Exception` of a student's catches it."""


class _Worker(threading.Thread):
    """The thread in which a student's function runs."""


class _Nowhere(io.TextIOBase):
    """Takes whatever is printed."""

    def write(self, text: str) -> int:
        return len(text)


class _Unheard:
    """A standard stream, but for workers: what they print goes nowhere."""

    def __init__(self, stream: Any) -> None:
        self._stream, self._nowhere = stream, _Nowhere()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._nowhere if isinstance(threading.current_thread(), _Worker) else self._stream, name)


class _Guards:
    """What holds while students' functions run, of which a cell's and a form's may run at once: nobody hears what they print.

    IPython's exit() and quit() would end the kernel, and say so only later, and os._exit() at once; here they end the call, as
    sys.exit() does.
    """

    def __init__(self) -> None:
        self._lock, self._running = threading.Lock(), 0
        self._streams: dict[str, _Unheard] = {}
        self._exits: dict[str, object] = {}

    def __enter__(self) -> None:
        with self._lock:
            self._running += 1
            if self._running == 1:
                self._streams = {name: _Unheard(getattr(sys, name)) for name in ("stdout", "stderr")}
                vars(sys).update(self._streams)
                self._exits = {name: vars(__main__)[name] for name in ("exit", "quit") if name in vars(__main__)}
                vars(__main__).update(dict.fromkeys(self._exits, sys.exit))
                os._exit = _exit

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._running -= 1
            if self._running == 0:
                vars(__main__).update(self._exits)
                os._exit = _END
                for name, stream in self._streams.items():
                    if getattr(sys, name) is stream:  # else a cell captures what is printed, and puts it back itself
                        setattr(sys, name, stream._stream)


_GUARDS = _Guards()
_END = os._exit


def _exit(status: int) -> NoReturn:
    """End the call of a worker; of anybody else, the process."""
    if isinstance(threading.current_thread(), _Worker):
        sys.exit(status)
    _END(status)


def run_limited(
    program: Program, name: str, inputs: Sequence[Inputs], *, seconds: float = SECONDS, loading: float = LOADING
) -> Sequence[Call]:
    """Call a function, or the function that a source defines, on every input. Raises KeyboardInterrupt when interrupted."""
    if isinstance(program, str):
        with suppress(NoProcess):
            return run_elsewhere(program, name, inputs, seconds=seconds, loading=loading, patience=PATIENCE)
    return _run_in_thread(program, name, inputs, seconds, loading)


def _run_in_thread(
    program: Program, name: str, inputs: Sequence[Inputs], seconds: float, loading: float
) -> Sequence[Call]:
    done: queue.SimpleQueue[Call] = queue.SimpleQueue()
    loaded, unwanted = threading.Event(), threading.Event()
    calls: list[Call] = []
    with _GUARDS:
        kept = Kept()
        worker = _Worker(target=_work, args=(program, name, inputs, done, loaded, unwanted, kept), daemon=True)
        try:
            try:
                worker.start()
            except RuntimeError:  # a system without threads, such as a browser
                with redirect_stdout(_Nowhere()), redirect_stderr(_Nowhere()):
                    return run_here(program, name, inputs)
            if not loaded.wait(loading):
                kept.put_back()
                _stop(worker)
            _collect(calls, worker, inputs, done, seconds, kept)
        finally:
            kept.put_back()
            kept.is_over = True
            if len(calls) < len(inputs):  # given up or interrupted; a thread that has made all its calls is left alone
                unwanted.set()
                _stop(worker)
    return [*calls, *[Made("skipped")] * (len(inputs) - len(calls))]


def _collect(
    calls: list[Call],
    worker: threading.Thread,
    inputs: Sequence[Inputs],
    done: queue.SimpleQueue[Call],
    seconds: float,
    kept: Kept,
) -> None:
    """Add what became of each call, in order; a call that takes too long is stopped.

    It needs no builtin before all is put back: the function may have replaced any, and replace it in its next call.
    """
    stopped = 0
    for _ in inputs:
        if stopped >= PATIENCE:
            break
        try:
            calls.append(done.get(timeout=seconds))
            continue
        except queue.Empty:
            kept.put_back()
            _stop(worker)
        stopped += 1
        try:
            calls.append(done.get(timeout=_REACTION))
        except queue.Empty:  # it sleeps, or catches everything: the thread is left behind
            calls.append(Made("timeout"))
            stopped = PATIENCE


def _work(
    program: Program,
    name: str,
    inputs: Sequence[Inputs],
    done: queue.SimpleQueue[Call],
    loaded: threading.Event,
    unwanted: threading.Event,
    kept: Kept,
) -> None:
    """Make all calls, one after the other, as long as somebody wants them."""
    with suppress(_TimeUp):
        try:
            function, failed = function_of(program, name)
        except _TimeUp:
            function, failed = None, Made("timeout")
        except BaseException as error:  # a KeyboardInterrupt of the student's own, for one
            function, failed = None, Made("raised", error=in_one_line(error))
        loaded.set()
        if function is not None:
            function = kept.around(function)
        for keywords in inputs:
            if unwanted.is_set():
                break
            try:
                call = failed if function is None else call_once(function, keywords)
            except _TimeUp:
                call = Made("timeout")
            except BaseException as error:
                call = Made("raised", error=in_one_line(error))
            done.put(call)


def _stop(worker: threading.Thread) -> None:
    """Raise _TimeUp in a thread that is still running."""
    if worker.is_alive() and worker.ident is not None:
        with suppress(AttributeError):  # an interpreter that is not CPython
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(worker.ident), ctypes.py_object(_TimeUp))
