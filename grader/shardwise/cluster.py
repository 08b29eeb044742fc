"""A cluster: the batch runs on the workers of a Dask scheduler, each of them checked before it is given anything.

Dask carries the tasks, and gives those of a worker that died to another one. What is ours is who may have them: a plugin
checks every worker, those that join later too, and gives a fit one a *resource* that every task asks for. The others stay
what they are: they get nothing, so that they can spoil nothing.
"""

from __future__ import annotations

import gc
import logging
import pickle
import shutil
import sys
import threading
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, Future, InvalidStateError
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from shardwise.errors import ShardwiseError
from shardwise.executors import Gone, Opener
from shardwise.worker import Settings, bank_digest, engine

if TYPE_CHECKING:
    from distributed import WorkerPlugin

Client = Any  # distributed's own, of which half is without types
Theirs = Any  # its future

# What starts workers itself, as Dask's own configuration files say: package, module, class, and the program that it runs.
STARTERS = {
    "slurm": ("dask-jobqueue", "dask_jobqueue", "SLURMCluster", "sbatch"),
    "kubernetes": ("dask-kubernetes", "dask_kubernetes.operator", "KubeCluster", None),
}
_EXTRAS = {"dask-jobqueue": "slurm", "dask-kubernetes": "kubernetes"}
_ANSWER = 10  # seconds within which a scheduler answers
_FIRST = 30  # seconds within which it has a worker
_LOOK = 5.0  # seconds between two looks at whether a worker is left
_PATIENCE = 300.0  # seconds that a batch waits for one: a nanny's new worker is there in ten, a queue may take longer
_MOST_NAMED = 20

Say = Callable[[str], None]
Checked = Mapping[str, Mapping[str, Any]]  # by address: what each worker found out about itself


@contextmanager
def cluster(place: str, settings: Settings, say: Say, workers: int | None = None) -> Iterator[tuple[Opener, int]]:
    """Workers to grade on: gives what opens an executor over those that are fit, and how wide it is.

    `place` is the address of a scheduler, or the name of what starts one with so many `workers`. Raises ShardwiseError when
    none can be reached, or none is fit to grade.
    """
    if settings.unsafe:
        raise ShardwiseError("Without a sandbox nothing is graded on a cluster: its workers hold every student's keys.")
    with ExitStack() as stack:
        client = stack.enter_context(_client(place, workers, say))
        needs = f"shardwise {engine()} {bank_digest()} tier {settings.tier or 'any'}"
        with _answering(place):
            checked = stack.enter_context(_checking(client, needs, settings.tier, say))
        say(table(checked))
        fit = [one for one in checked.values() if not one["trouble"]]
        if not fit:
            raise ShardwiseError(f"No worker of {place} is fit to grade; see above.")

        @contextmanager
        def opened() -> Iterator[Executor]:
            with _OnCluster(client, needs) as executor:
                yield executor

        # Two at least, so that a single worker has its next parcel when it is done with one.
        yield opened, max(2, workers or 0, sum(one["threads"] for one in fit))


def table(checked: Checked) -> str:
    """A line for each kind of fit worker on a machine, and one for each worker that is left out."""
    fit = Counter((one["host"], one["tier"]) for one in checked.values() if not one["trouble"])
    lines = [
        f"{host}: {count} worker{'s' * (count > 1)}, sandbox {tier}" for (host, tier), count in sorted(fit.items())
    ]
    unfit = [left_out(address, one) for address, one in sorted(checked.items()) if one["trouble"]]
    more = len(unfit) - _MOST_NAMED
    return "\n".join([*lines, *unfit[:_MOST_NAMED], *([f"… and {more} more"] if more > 0 else [])])


def left_out(address: str, one: Mapping[str, Any]) -> str:
    """What is said of a worker that gets no work."""
    return f"{one['host']}: the worker {address} is left out: {one['trouble']}"


# The way to a scheduler -------------------------------------------------------------------------------------------


@contextmanager
def _client(place: str, workers: int | None, say: Say) -> Iterator[Client]:
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
        with _answering(place):
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
def _answering(place: str) -> Iterator[None]:
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
    for name in [one for one in logging.root.manager.loggerDict if one.partition(".")[0] == "distributed"]:
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
    pythons = {name: ".".join(one["host"]["python"].split(".")[:2]) for name, one in everybody.items() if one}
    others = [f"{name} runs Python {python}" for name, python in pythons.items() if python != ours]
    if others:
        raise ShardwiseError(f"Dask needs the same Python everywhere. Here it is {ours}, and {', '.join(others)}.")


# Who may have tasks -----------------------------------------------------------------------------------------------


@contextmanager
def _checking(client: Client, needs: str, tier: str | None, say: Say) -> Iterator[Checked]:
    """What all workers found out about themselves; whoever joins while this is open finds it out, too."""
    name = f"shardwise {uuid4().hex}"  # another batch on the same scheduler has a check of its own
    client.register_plugin(_check(name, needs, tier), name=name)
    try:
        found = client.run(_finding(), name, on_error="ignore")
        checked = {address: one for address, one in found.items() if one}
        client.subscribe_topic(name, _later(set(checked), say))
        yield checked
    finally:
        if client.status == "running":
            with suppress(OSError, ValueError):  # the scheduler went, or forgot
                client.unregister_worker_plugin(name)


def _later(known: set[str], say: Say) -> Callable[[tuple[float, Mapping[str, Any]]], None]:
    """Says who joined and is left out."""

    def heard(event: tuple[float, Mapping[str, Any]]) -> None:
        one = event[1]
        if one["address"] not in known and one["trouble"]:
            say(left_out(one["address"], one))
        known.add(one["address"])

    return heard


# What is defined within a function travels as it is, and not by its name: scheduler and workers need not have shardwise to
# read it, so that one without it can say so.


def _check(topic: str, needs: str, tier: str | None) -> WorkerPlugin:
    """What makes a worker look whether it is fit, and take the resource that tasks need when it is."""
    from distributed import WorkerPlugin

    sent_by, bank = engine(), bank_digest()

    class Check(WorkerPlugin):
        async def setup(self, worker: Any) -> None:
            import asyncio
            import platform

            from distributed.core import Status

            tier, trouble = await asyncio.get_running_loop().run_in_executor(None, self.look)
            threads = worker.state.nthreads
            self.found = {"address": worker.contact_address, "host": platform.node(), "threads": threads,
                          "tier": tier, "trouble": trouble}  # fmt: skip
            if not trouble:
                await worker.set_resources(**{needs: threads})
                # A scheduler that has tasks for nobody looks again when a worker begins to run, not when it gets a resource.
                worker.status = Status.paused
                worker.status = Status.running
            worker.log_event(topic, self.found)

        def look(self) -> tuple[str, str]:
            """The tier of the sandbox here, or why there is to be no grading here."""
            try:
                from shardwise import worker as ours
                from shardwise.sandbox import open_sandbox

                if ours.engine() != sent_by:
                    return (
                        "",
                        f"it runs shardwise {ours.engine()}, and this batch was sent by {sent_by}. Install the same",
                    )
                if ours.bank_digest() != bank:
                    return "", f"its bank is {ours.bank_digest()}, and here it is {bank}. Install the same"
                with open_sandbox(tier=tier) as sandbox:
                    return sandbox.tier, ""
            except ImportError as error:
                return "", f"shardwise is not installed there ({error})"
            except Exception as error:
                return "", getattr(error, "reason", "") or f"{type(error).__name__}: {error}"

    return Check()


def _finding() -> Callable[..., Any]:
    def finding(name: str, dask_worker: Any) -> Any:
        return getattr(dask_worker.plugins.get(name), "found", None)

    return finding


def _carrier() -> Callable[[bytes], bytes]:
    """What a worker does with a parcel, which nobody opens on the way: the scheduler has no use for keys and classes."""

    def graded(parcel: bytes) -> bytes:
        import pickle

        outcome: tuple[Any, Exception | None]
        try:
            call, arguments = pickle.loads(parcel)
            outcome = (call(*arguments), None)
        except Exception as error:  # travels as a result does: nothing on the way has to understand it
            outcome = (None, error)
        return pickle.dumps(outcome)

    return graded


# There and back ---------------------------------------------------------------------------------------------------


class _OnCluster(Executor):
    """Sends calls to the workers that have the resource; when nothing will come back any more, says so with Gone.

    Dask has an executor as well; with that one a call whose scheduler goes while its result is on its way never ends.
    """

    def __init__(self, client: Client, needs: str) -> None:
        self._client, self._needs = client, needs
        self._carry = _carrier()
        self._pending: dict[Future[Any], Theirs] = {}
        self._ended = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        parcel = pickle.dumps((partial(fn, **kwargs) if kwargs else fn, args))
        ours: Future[Any] = Future()
        try:
            theirs = self._client.submit(self._carry, parcel, pure=False, resources={self._needs: 1})
            self._pending[ours] = theirs
            theirs.add_done_callback(lambda one: self._back(one, ours))
        except Exception as error:
            raise self._gone(error) from None
        return ours

    def _back(self, theirs: Theirs, ours: Future[Any]) -> None:
        """Hand over a result. An error is the task's own when Dask says so, and else one of the way here."""
        from distributed import KilledWorker

        try:
            result, raised = pickle.loads(theirs.result())
            _end(ours, result, raised)
        except KilledWorker:
            _end(ours, error=ShardwiseError("every worker that graded this died"))
        except BaseException as error:
            _end(ours, error=error if theirs.status == "error" else self._gone(error))
        finally:
            self._pending.pop(ours, None)

    def _gone(self, error: BaseException) -> Gone:
        return Gone(
            f"The scheduler {self._client.scheduler.address} went away ({type(error).__name__}). What was graded is kept: "
            "run the same command again, there or without a cluster."
        )

    def _watch(self) -> None:
        """End what waits when for a long time no worker is left that could do it."""
        alone = 0.0
        while not self._ended.wait(_LOOK):
            alone = alone + _LOOK if self._pending and not self._hands() else 0.0
            if alone >= _PATIENCE:
                for one in list(self._pending):
                    _end(
                        one,
                        error=Gone(
                            "No worker is left that could go on. What was graded is kept: run the same command again."
                        ),
                    )

    def _hands(self) -> float:
        try:
            workers = self._client.scheduler_info()["workers"].values()
        except Exception:  # not answering; should it be gone, the results say so
            return 1.0
        return float(sum(one["resources"].get(self._needs, 0) for one in workers))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Let go of what is on its way; the batch leaves with nothing there, or does not want it any more."""
        self._ended.set()
        if self._pending and self._client.status == "running":
            self._client.cancel(list(self._pending.values()))


def _end(future: Future[Any], result: Any = None, error: BaseException | None = None) -> None:
    with suppress(InvalidStateError):  # it ended before: nobody waits for a result that comes after all
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)
