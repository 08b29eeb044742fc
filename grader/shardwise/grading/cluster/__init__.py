"""Grading on a cluster: a batch runs on the workers of a Dask scheduler, each of which is checked first.

Dask transports the tasks and reassigns those of a worker that dies. We decide which workers may have tasks: a plugin checks
every worker, including those that join later, and gives each fit one a *resource* that every task requires. Unfit workers
get no tasks, so they can do no harm.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial

from shardwise.errors import ShardwiseError
from shardwise.grading.cluster.executor import OnCluster
from shardwise.grading.cluster.scheduler import Say, answering, connected_client
from shardwise.grading.cluster.worker_checks import checking, table
from shardwise.grading.running.executors import Opener
from shardwise.grading.worker import Settings, engine

__all__ = ["cluster", "table"]


@contextmanager
def cluster(place: str, settings: Settings, say: Say, workers: int | None = None) -> Iterator[tuple[Opener, int]]:
    """Yield a function that opens an executor on the fit workers of a cluster, and its width.

    `place` is the address of a scheduler, or the name of a system that starts one with this many `workers`. Raises
    ShardwiseError if no scheduler can be reached, or no worker is fit to grade.
    """
    if settings.unsafe:
        raise ShardwiseError("Cannot grade on a cluster without a sandbox: its workers receive every student's keys.")
    with ExitStack() as stack:
        client = stack.enter_context(connected_client(place, workers, say))
        needs = f"shardwise {engine()} tier {settings.tier or 'any'}"
        with answering(place):
            checked = stack.enter_context(checking(client, needs, settings.tier, say))
        say(table(checked))
        fit = [worker for worker in checked.values() if not worker["trouble"]]
        if not fit:
            raise ShardwiseError(f"No worker of {place} can grade; the reasons are above.")
        # At least two, so that a single worker already has its next notebook when it finishes one.
        yield partial(OnCluster, client, needs), max(2, workers or 0, sum(worker["threads"] for worker in fit))
