"""Loader workers and their queue: how many keep a step fed, when the GPU waits, and what a stall costs."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from ..facts.arguments import require_counts, require_not_negative, require_positive, require_whole


def workers_for_step(*, samples: int, sample_s: float, step_s: float) -> int:
    """The fewest worker processes that prepare a GPU's samples as fast as the GPU uses them, on average.

        workers = ⌈samples · time of a sample / step⌉

    Units:   samples of one step on one GPU, a count; seconds. Result is a count.
    Raises:  ValueError if an argument is not positive.
    Source:  arithmetic; one core for each worker.

    >>> workers_for_step(samples=256, sample_s=0.012, step_s=0.4)
    8
    """
    require_counts(samples=samples)
    require_positive(sample_s=sample_s, step_s=step_s)
    return max(1, ceil(samples * sample_s / step_s * (1 - 1e-12)))


def fed_step_seconds(*, step_s: float, batch_s: float, workers: int) -> float:
    """Time from step to step in the long run, when each of several workers prepares whole batches of its own.

        step = max(computing, time of a batch / workers)

    A longer queue does not change this: it lends batches and has to get them back.

    Units:   seconds; workers is a count. Result in seconds.
    Raises:  ValueError if an argument is not positive.
    Source:  a queue with a constant rate on both sides; Mohan et al. 2021, arXiv:2007.06775, section 2.2 (prep stalls).

    >>> fed_step_seconds(step_s=0.4, batch_s=3.0, workers=6), fed_step_seconds(step_s=0.4, batch_s=3.0, workers=8)
    (0.5, 0.4)
    """
    require_positive(step_s=step_s, batch_s=batch_s)
    require_counts(workers=workers)
    return max(step_s, batch_s / workers)


def waiting_seconds(*, load_s: Sequence[float], step_s: float, prefetch: int, workers: int = 1) -> float:
    """How long a GPU waits for data in total, with loaders that work ahead by a bounded number of batches.

        loaded(i) = max(loaded(i - workers), taken(i - workers · prefetch)) + load(i)
        taken(i)  = max(loaded(i), taken(i-1) + step)

    Batches are dealt to the workers in turn. A worker begins batch i when its last one is loaded and at most `prefetch` of
    its batches, this one included, are loaded or being loaded and not yet taken. The GPU takes the batches in their order,
    each when its last step is done. Waiting for the first batch counts.

    Units:   seconds; prefetch and workers are counts. Result in seconds.
    Raises:  ValueError if a time is negative, the step is not positive, no batch is given, or another argument is not a count.
    Source:  Lindley 1952, doi:10.1017/S0305004100027638 (the recursion of a queue), with a bound on the queue;
             torch.utils.data.DataLoader (PyTorch 2.8), which deals batches in turn and returns them in order.

    >>> waiting_seconds(load_s=[1, 1, 1, 4, 1, 1], step_s=2, prefetch=1)   # the slow batch stops the GPU
    3.0
    >>> waiting_seconds(load_s=[1, 1, 1, 4, 1, 1], step_s=2, prefetch=2)   # only the first is waited for
    1.0
    >>> waiting_seconds(load_s=[3] * 6, step_s=2, prefetch=1, workers=2)   # together one every 1.5 s
    3.0
    """
    require_positive(step_s=step_s)
    require_counts(prefetch=prefetch, workers=workers)
    if not load_s:
        raise ValueError("load_s needs one batch at least")
    require_not_negative(**{f"load_{place}": seconds for place, seconds in enumerate(load_s)})
    ahead = workers * prefetch
    loaded: list[float] = []
    taken: list[float] = []
    free = waited = 0.0
    for batch, seconds in enumerate(load_s):
        before = loaded[batch - workers] if batch >= workers else 0.0
        room = taken[batch - ahead] if batch >= ahead else 0.0
        loaded.append(max(before, room) + seconds)
        waited += max(0.0, loaded[batch] - free)
        taken.append(max(loaded[batch], free))
        free = taken[batch] + step_s
    return waited


def uneven_waiting_seconds(
    *, batches: int, fast_s: float, slow_s: float, slow_every: int, step_s: float, prefetch: int
) -> float:
    """How long a GPU waits in all when every so many batches one takes longer to prepare.

    Batch i, counted from 1, takes slow_s where slow_every divides i, else fast_s. The rest is as in waiting_seconds.

    Units:   seconds; counts. Result in seconds.
    Raises:  ValueError as waiting_seconds, or if a number is not a count.
    Source:  waiting_seconds of this module.

    >>> uneven_waiting_seconds(batches=100, fast_s=1, slow_s=12, slow_every=10, step_s=2.5, prefetch=2)    # 2.1 s on average
    71.0
    >>> uneven_waiting_seconds(batches=100, fast_s=1, slow_s=12, slow_every=10, step_s=2.5, prefetch=5)
    1.0
    """
    require_counts(batches=batches, slow_every=slow_every)
    require_not_negative(fast_s=fast_s, slow_s=slow_s)
    load_s = [fast_s if number % slow_every else slow_s for number in range(1, batches + 1)]
    return waiting_seconds(load_s=load_s, step_s=step_s, prefetch=prefetch)


def stall_wait_seconds(*, stall_s: float, ready_batches: int, step_s: float) -> float:
    """How long the GPU stands still when no data come for a while.

        wait = max(0, stall - (ready + 1) · step)

    The stall begins with a step: the GPU has just taken a batch, and so many finished ones are in the queue. The next one is
    there when the stall is over.

    Units:   seconds; ready_batches is a count. Result in seconds.
    Raises:  ValueError if the step is not positive, or another argument is negative.
    Source:  arithmetic: the step that runs and the batches in the queue last so long.

    >>> stall_wait_seconds(stall_s=30, ready_batches=8, step_s=2.5)
    7.5
    """
    require_not_negative(stall_s=stall_s)
    require_whole(ready_batches=ready_batches)
    require_positive(step_s=step_s)
    return max(0.0, stall_s - (ready_batches + 1) * step_s)


def batches_for_stall(*, stall_s: float, step_s: float) -> int:
    """The fewest finished batches in the queue with which a stall does not stop the GPU.

        batches = ⌈stall / step⌉ - 1

    Units:   seconds; the stall begins with a step. Result is a count.
    Raises:  ValueError if a time is not positive.
    Source:  stall_wait_seconds of this module, solved for the queue.

    >>> batches_for_stall(stall_s=30, step_s=2.5)
    11
    """
    require_positive(stall_s=stall_s, step_s=step_s)
    return max(0, ceil(stall_s / step_s * (1 - 1e-12)) - 1)


def refill_seconds(*, batches: int, step_s: float, load_s: float) -> float:
    """How long a queue takes to fill up again after it has run empty, while the GPU goes on.

        time = batches / (1 / time of a load - 1 / step)

    Units:   batches is a count; load_s is the time between two batches from all workers together. Result in seconds.
    Raises:  ValueError if an argument is not positive, or loading is not quicker than the step.
    Source:  arithmetic: what the loader makes less what the GPU takes.

    >>> refill_seconds(batches=8, step_s=2.5, load_s=2.0)
    80.0
    """
    require_counts(batches=batches)
    require_positive(step_s=step_s, load_s=load_s)
    if load_s >= step_s:
        raise ValueError("the loader is not quicker than the GPU, so the queue never fills")
    return batches * step_s * load_s / (step_s - load_s)


def index_bytes_on_host(
    *, samples: float, bytes_per_sample: float, gpus: int, workers_per_gpu: int, shared: bool
) -> float:
    """Memory of one host that holds an index of all samples, such as their shuffled order.

        bytes = samples · bytes of an entry · copies,    copies = 1 if shared, else gpus · (1 + workers)

    Each GPU has one training process, and each of these has its own loader workers. A memory-mapped file is shared: all
    processes read the same pages. A Python list or an array that each process makes for itself is not.

    Units:   samples, gpus, workers are counts; bytes of one entry. Result in bytes.
    Raises:  ValueError if an argument is not positive, or the workers are negative.
    Source:  counting; entries of 8 bytes are NumPy's int64.

    >>> index_bytes_on_host(samples=1.5e9, bytes_per_sample=8, gpus=8, workers_per_gpu=8, shared=False) / 1e9
    864.0
    """
    require_positive(samples=samples, bytes_per_sample=bytes_per_sample)
    require_counts(gpus=gpus)
    require_whole(workers_per_gpu=workers_per_gpu)
    copies = 1 if shared else gpus * (1 + workers_per_gpu)
    return samples * bytes_per_sample * copies
