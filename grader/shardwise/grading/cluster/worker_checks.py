"""Worker checks: every worker of a cluster is checked, and a fit one gets a resource that every task requires."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from shardwise.grading.cluster.scheduler import Client, Say
from shardwise.grading.worker import engine

if TYPE_CHECKING:
    from distributed import WorkerPlugin

Checked = Mapping[str, Mapping[str, Any]]  # by address: each worker's report about itself
_MOST_NAMED = 20


def table(checked: Checked) -> str:
    """Return a line for each kind of fit worker on a machine, and one for each excluded worker."""
    fit = Counter((worker["host"], worker["tier"]) for worker in checked.values() if not worker["trouble"])
    lines = [
        f"{host}: {count} worker{'s' * (count > 1)}, sandbox {tier}" for (host, tier), count in sorted(fit.items())
    ]
    unfit = [left_out(address, worker) for address, worker in sorted(checked.items()) if worker["trouble"]]
    more = len(unfit) - _MOST_NAMED
    return "\n".join([*lines, *unfit[:_MOST_NAMED], *([f"… and {more} more"] if more > 0 else [])])


def left_out(address: str, worker: Mapping[str, Any]) -> str:
    """Return the message about a worker that gets no tasks."""
    return f"{worker['host']}: excluded the worker {address}: {worker['trouble']}"


@contextmanager
def checking(client: Client, needs: str, tier: str | None, say: Say) -> Iterator[Checked]:
    """Yield the reports of all workers; workers that join during this block check themselves too."""
    name = f"shardwise {uuid4().hex}"  # so that another batch on the same scheduler has a different check
    client.register_plugin(_check(name, needs, tier), name=name)
    try:
        found = client.run(_finding(), name, on_error="ignore")
        checked = {address: worker for address, worker in found.items() if worker}
        client.subscribe_topic(name, _later(set(checked), say))
        yield checked
    finally:
        if client.status == "running":
            with suppress(OSError, ValueError):  # the scheduler is gone, or has forgotten the plugin
                client.unregister_worker_plugin(name)


def _later(known: set[str], say: Say) -> Callable[[tuple[float, Mapping[str, Any]]], None]:
    """Return a handler that reports new workers that are excluded."""

    def heard(event: tuple[float, Mapping[str, Any]]) -> None:
        worker = event[1]
        if worker["address"] not in known and worker["trouble"]:
            say(left_out(worker["address"], worker))
        known.add(worker["address"])

    return heard


# Defined inside a function, the class is pickled by value, not by name. So scheduler and workers can read it without
# shardwise, and a worker without it can report that.


def _check(topic: str, needs: str, tier: str | None) -> WorkerPlugin:
    """Return the plugin with which a worker checks itself and, if it is fit, takes the resource that tasks require."""
    from distributed import WorkerPlugin

    sent_by = engine()

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
                # A scheduler with unassigned tasks looks again when a worker starts to run, not when it gets a resource.
                worker.status = Status.paused
                worker.status = Status.running
            worker.log_event(topic, self.found)

        def look(self) -> tuple[str, str]:
            """Return the sandbox tier of this worker, and why it must not grade."""
            try:
                from shardwise.grading import worker as ours
                from shardwise.sandbox import SandboxUnavailable, open_sandbox

                engine = ours.engine()
            except ImportError as error:
                return "", f"shardwise is not installed on it ({error})"
            if engine != sent_by:
                return "", f"it runs shardwise {engine}, but this batch comes from {sent_by}; install the same version"
            try:
                with open_sandbox(tier=tier) as sandbox:
                    return sandbox.tier, ""
            except SandboxUnavailable as error:
                return "", error.reason
            except Exception as error:
                return "", f"{type(error).__name__}: {error}"

    return Check()


def _finding() -> Callable[..., Any]:
    def finding(name: str, dask_worker: Any) -> Any:
        return getattr(dask_worker.plugins.get(name), "found", None)

    return finding
