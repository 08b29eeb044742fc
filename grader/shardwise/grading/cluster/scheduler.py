"""The way to a Dask scheduler: one that runs already, or one that starts jobs or pods as workers."""

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

Client = Any  # distributed's own, of which half is without types
Say = Callable[[str], None]

# What starts workers itself, as Dask's own configuration files say: package, module, class, and the program that it runs.
STARTERS = {
    "slurm": ("dask-jobqueue", "dask_jobqueue", "SLURMCluster", "sbatch"),
    "kubernetes": ("dask-kubernetes", "dask_kubernetes.operator", "KubeCluster", None),
}
_EXTRAS = {"dask-jobqueue": "slurm", "dask-kubernetes": "kubernetes"}
_ANSWER = 10  # seconds within which a scheduler answers
_FIRST = 30  # seconds within which it has a worker


@contextmanager
def connected_client(place: str, workers: int | None, say: Say) -> Iterator[Client]:
    """A connection to a scheduler that has a worker. TLS and time-outs are as Dask's own configuration says."""
    distributed = _module("distributed", "distributed")
    import dask
    from distributed.versions import VersionMismatchWarning

    if not dask.config.get("logging", None):  # nobody asked for Dask's own log
        _hush()
    with ExitStack() as stack:
        # Dask's advice on parcels of 10 MB is for people who analyse data.
        stack.enter_context(dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 GiB"}))
        where: Any = stack.enter_context(_started(place, workers)) if place in STARTERS else _address(place)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", VersionMismatchWarning)  # what has to be equal is checked worker by worker
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
            f"{place!r} is no address of a scheduler ({error}). One looks like tcp://node1:8786."
        ) from None
    return place


def _connected(distributed: Any, where: Any, place: str) -> Client:
    try:
        return distributed.Client(where, timeout=_ANSWER, set_as_default=False)
    except Exception as error:  # of a dozen kinds: nobody listens, a certificate that is missing
        why = str(error) or type(error).__name__
    gc.collect()  # half a client hangs on that error, and closes in no time now, but not when Python ends
    raise ShardwiseError(f"No Dask scheduler answers at {place}: {why}")


@contextmanager
def answering(place: str) -> Iterator[None]:
    """Any failure of Dask's is one of the way to the scheduler, and said so."""
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
    """A scheduler in this process whose workers are jobs or pods; they end with it."""
    if workers is None:
        raise ShardwiseError(f"Say with --workers how many workers {place} shall start.")
    package, module, name, program = STARTERS[place]
    starter = getattr(_module(module, package), name)
    if program and not shutil.which(program):
        raise ShardwiseError(f"There is no {program} here. Run this where jobs for {place} are submitted.")
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Port .* is already in use", UserWarning)  # of the dashboard
            started = starter()
    except Exception as error:  # nothing configured, no sbatch, no Kubernetes
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
    """Dask logs lost connections and the like with tracebacks; what matters of that is said by us."""
    for name in [name for name in logging.root.manager.loggerDict if name.partition(".")[0] == "distributed"]:
        logging.getLogger(name).setLevel(logging.CRITICAL)


def _await_workers(client: Client, place: str, say: Say) -> None:
    if place in STARTERS:
        say(f"Waiting for the first worker from {place}, as long as it takes.")
        client.wait_for_workers(1)
        return
    try:
        client.wait_for_workers(1, timeout=_FIRST)
    except TimeoutError:
        raise ShardwiseError(
            f"The scheduler at {place} has no workers. Start some:  dask worker {place} --nthreads 1 --nworkers auto"
        ) from None


def _same_python(client: Client) -> None:
    """Dask sends functions as byte code, which another Python cannot read. Raises ShardwiseError."""
    versions = client.get_versions()
    everybody = {"the scheduler": versions["scheduler"], **versions["workers"]}
    ours = "{}.{}".format(*sys.version_info)
    pythons = {name: ".".join(about["host"]["python"].split(".")[:2]) for name, about in everybody.items() if about}
    others = [f"{name} runs Python {python}" for name, python in pythons.items() if python != ours]
    if others:
        raise ShardwiseError(f"Dask needs the same Python everywhere. Here it is {ours}, and {', '.join(others)}.")
