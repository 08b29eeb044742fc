"""A cluster: the batch runs on the workers of a Dask scheduler, each of them checked before it is given anything.

Dask carries the tasks, and gives those of a worker that died to another one. What is ours is who may have them: a plugin
checks every worker, those that join later too, and gives a fit one a *resource* that every task asks for. The others stay
what they are: they get nothing, so that they can spoil nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager

from shardwise.errors import ShardwiseError
from shardwise.grading.cluster.executor import OnCluster
from shardwise.grading.cluster.scheduler import Say, answering, connected_client
from shardwise.grading.cluster.worker_checks import checking, table
from shardwise.grading.running.executors import Opener
from shardwise.grading.worker import Settings, engine

__all__ = ["cluster", "table"]


@contextmanager
def cluster(place: str, settings: Settings, say: Say, workers: int | None = None) -> Iterator[tuple[Opener, int]]:
    """Workers to grade on: gives what opens an executor over those that are fit, and how wide it is.

    `place` is the address of a scheduler, or the name of what starts one with so many `workers`. Raises ShardwiseError when
    none can be reached, or none is fit to grade.
    """
    if settings.unsafe:
        raise ShardwiseError("Without a sandbox nothing is graded on a cluster: its workers hold every student's keys.")
    with ExitStack() as stack:
        client = stack.enter_context(connected_client(place, workers, say))
        needs = f"shardwise {engine()} tier {settings.tier or 'any'}"
        with answering(place):
            checked = stack.enter_context(checking(client, needs, settings.tier, say))
        say(table(checked))
        fit = [worker for worker in checked.values() if not worker["trouble"]]
        if not fit:
            raise ShardwiseError(f"No worker of {place} is fit to grade; see above.")

        @contextmanager
        def opened() -> Iterator[Executor]:
            with OnCluster(client, needs) as executor:
                yield executor

        # Two at least, so that a single worker has its next notebook when it is done with one.
        yield opened, max(2, workers or 0, sum(worker["threads"] for worker in fit))
