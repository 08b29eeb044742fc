"""Connections to a Dask scheduler: one that is already running, or one that starts jobs or pods as workers."""

from __future__ import annotations

import gc
import logging
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from typing import Any

from shardwise.errors import ShardwiseError

Client = Any  # distributed.Client, which is only partly typed
Say = Callable[[str], None]

# Systems that start workers as configured for Dask: package, module, class, and the program that they need.
STARTERS = {
    "slurm": ("dask-jobqueue", "dask_jobqueue", "SLURMCluster", "sbatch"),
    "kubernetes": ("dask-kubernetes", "dask_kubernetes.operator", "KubeCluster", None),
}
_EXTRAS = {"dask-jobqueue": "slurm", "dask-kubernetes": "kubernetes"}
_ANSWER = 10  # seconds in which a scheduler has to answer
_FIRST = 30  # seconds in which it has to have a worker


@contextmanager
def connected_client(place: str, workers: int | None, say: Say) -> Iterator[Client]:
    """Connect to a scheduler that has a worker. TLS and time-outs follow Dask's configuration."""
    distributed = _module("distributed", "distributed")
    import dask
    from distributed.versions import VersionMismatchWarning

    if not dask.config.get("logging", None):  # the user did not configure Dask's log
        _hush()
    with ExitStack() as stack:
        # Dask's warning about 10 MB messages is meant for data analysis.
        stack.enter_context(dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 GiB"}))
        where: Any = stack.enter_context(_started(place, workers)) if place in STARTERS else _address(place)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", VersionMismatchWarning)  # we check the versions that matter for each worker
            client = _connected(distributed, where, place)
        stack.callback(client.close, timeout=_ANSWER)
        _await_workers(client, place, say)
        with answering(place):
            _same_python(client)
        yield client


def _address(place: str) -> str:
    from distributed.comm.addressing import get_address_host_port

    try:
        get_address_host_port(place, strict=True)
    except ValueError as error:
        raise ShardwiseError(
            f"{place!r} is not the address of a scheduler ({error}). An address looks like tcp://node1:8786."
        ) from None
    return place


def _connected(distributed: Any, where: Any, place: str) -> Client:
    try:
        return distributed.Client(where, timeout=_ANSWER, set_as_default=False)
    except Exception as error:  # many kinds: for example, nobody listens or a certificate is missing
        why = str(error) or type(error).__name__
    gc.collect()  # the error holds half a client, which closes quickly now but not when Python exits
    raise ShardwiseError(f"No Dask scheduler answers at {place}: {why}")


@contextmanager
def answering(place: str) -> Iterator[None]:
    """Turn any Dask failure in this block into an error about the connection to the scheduler."""
    try:
        yield
    except ShardwiseError:
        raise
    except Exception as error:
        raise ShardwiseError(
            f"The Dask scheduler at {place} stopped answering: {str(error) or type(error).__name__}"
        ) from None


@contextmanager
def _started(place: str, workers: int | None) -> Iterator[Any]:
    """Run a scheduler in this process whose workers are jobs or pods that end with it."""
    if workers is None:
        raise ShardwiseError(f"Use --workers to set how many workers {place} should start.")
    package, module, name, program = STARTERS[place]
    starter = getattr(_module(module, package), name)
    if program and not shutil.which(program):
        raise ShardwiseError(f"{program} is not installed here. Run this command where you submit jobs to {place}.")
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Port .* is already in use", UserWarning)  # about the dashboard
            started = starter()
    except Exception as error:  # not configured, no sbatch, or no Kubernetes
        raise ShardwiseError(f"{name} of {package} could not start: {error}") from None
    with started:
        started.scale(workers)
        yield started


def _module(name: str, package: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        extra = _EXTRAS.get(package, "dask")
        raise ShardwiseError(
            f'Grading on a cluster needs {package} ({error}): pip install "shardwise[{extra}]"'
        ) from None


def _hush() -> None:
    """Silence Dask's log, which shows tracebacks for lost connections: we report what matters ourselves."""
    for name in [name for name in logging.root.manager.loggerDict if name.partition(".")[0] == "distributed"]:
        logging.getLogger(name).setLevel(logging.CRITICAL)


def _await_workers(client: Client, place: str, say: Say) -> None:
    if place in STARTERS:
        say(f"Waiting for the first worker from {place}. Press Ctrl-C to stop.")
        client.wait_for_workers(1)
        return
    try:
        client.wait_for_workers(1, timeout=_FIRST)
    except TimeoutError:
        raise ShardwiseError(
            f"The scheduler at {place} has no workers. Start workers:  dask worker {place} --nthreads 1 --nworkers auto"
        ) from None


def _same_python(client: Client) -> None:
    """Raise ShardwiseError if a worker's Python differs: Dask sends functions as byte code, which it could not read."""
    versions = client.get_versions()
    everybody = {"the scheduler": versions["scheduler"], **versions["workers"]}
    ours = "{}.{}".format(*sys.version_info)
    pythons = {name: ".".join(about["host"]["python"].split(".")[:2]) for name, about in everybody.items() if about}
    others = [f"{name} runs Python {python}" for name, python in pythons.items() if python != ours]
    if others:
        raise ShardwiseError(
            f"Dask needs the same Python version everywhere. It is {ours} here, but {', '.join(others)}."
        )
