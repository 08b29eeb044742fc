"""What a checkpoint holds, how long it takes to write, how often one can be written in the background, and how many are kept."""

from __future__ import annotations

from math import ceil

from ..facts.arguments import require_counts, require_fraction, require_not_negative, require_positive, require_whole
from ..zero.adam import optimizer_bytes


def checkpoint_bytes(
    *, parameters: float, bytes_per_weight: float = 2, bytes_per_master: float = 4, bytes_per_moment: float = 4
) -> float:
    """Size of a checkpoint from which Adam can go on: working weights, master copy and both moments.

        bytes = (b_w + b_master + 2 · b_moment) · P

    Gradients are not in it: between two steps they are used up. Where there is a master copy, the 16-bit weights are a
    cast of it and need not be saved either (b_w = 0). Step number, random states and the reader's place take next to nothing.

    Units:   parameters is a count; bytes per element, 0 for what is not saved. Result in bytes.
    Raises:  ValueError if parameters or bytes_per_moment is not positive, a width is negative, or neither weights nor
             a master copy are saved.
    Source:  Rajbhandari et al. 2020, arXiv:1910.02054, section 3.1 (states); Micikevicius et al. 2018,
             arXiv:1710.03740, section 3.1 (the 16-bit weights are a cast of the master copy).

    >>> checkpoint_bytes(parameters=70e9) / 1e9                        # 14 bytes per parameter
    980.0
    >>> checkpoint_bytes(parameters=70e9, bytes_per_weight=0) / 1e9    # the 16-bit weights are rebuilt: 12 bytes
    840.0
    """
    require_not_negative(bytes_per_weight=bytes_per_weight, bytes_per_master=bytes_per_master)
    if bytes_per_weight == bytes_per_master == 0:
        raise ValueError("a checkpoint needs the weights or a master copy of them")
    states = optimizer_bytes(
        parameters=parameters, bytes_per_master=bytes_per_master, bytes_per_moment=bytes_per_moment
    )
    return bytes_per_weight * parameters + states


def write_bytes_per_s(*, nodes: int, node_bytes_per_s: float, store_bytes_per_s: float) -> float:
    """Rate at which a sharded checkpoint leaves the cluster, each node writing its own part.

        rate = min(nodes · rate of a node, limit of the store)

    Units:   nodes is a count; bytes per second, one direction. Result in bytes per second.
    Raises:  ValueError if an argument is not positive.
    Source:  Llama Team 2024, arXiv:2407.21783, section 3.3.1 (a store with a limit: 2 TB/s sustained, 7 TB/s peak).

    >>> write_bytes_per_s(nodes=8, node_bytes_per_s=5e9, store_bytes_per_s=100e9) / 1e9
    40.0
    >>> write_bytes_per_s(nodes=64, node_bytes_per_s=5e9, store_bytes_per_s=100e9) / 1e9   # more nodes do not help
    100.0
    """
    require_counts(nodes=nodes)
    require_positive(node_bytes_per_s=node_bytes_per_s, store_bytes_per_s=store_bytes_per_s)
    return min(nodes * node_bytes_per_s, store_bytes_per_s)


def write_seconds(
    *, checkpoint_bytes: float, nodes: int, node_bytes_per_s: float, store_bytes_per_s: float
) -> float:  # fmt: skip
    """Time until a sharded checkpoint is in the store.

        seconds = bytes / min(nodes · rate of a node, limit of the store)

    Units:   bytes; nodes is a count; bytes per second, one direction. Result in seconds.
    Raises:  ValueError if an argument is not positive.
    Source:  Llama Team 2024, arXiv:2407.21783, section 3.3.1.

    >>> write_seconds(checkpoint_bytes=980e9, nodes=1, node_bytes_per_s=10e9, store_bytes_per_s=2e12)
    98.0
    >>> write_seconds(checkpoint_bytes=980e9, nodes=64, node_bytes_per_s=10e9, store_bytes_per_s=200e9)  # not 98 s / 64
    4.9
    """
    require_positive(checkpoint_bytes=checkpoint_bytes)
    rate = write_bytes_per_s(nodes=nodes, node_bytes_per_s=node_bytes_per_s, store_bytes_per_s=store_bytes_per_s)
    return checkpoint_bytes / rate


def steps_between_background_saves(
    *,
    checkpoint_bytes: float,
    gpus: int,
    copy_bytes_per_s: float,
    store_bytes_per_s: float,
    step_s: float,
    largest_overhead: float,
) -> int:
    """Fewest steps between checkpoints that are copied to host memory while training waits, and drain while it goes on.

        stall = bytes / (GPUs · copy rate)          steps ≥ stall / (overhead · step)
        drain = bytes / store rate                  steps ≥ drain / step

    The copy stops training; its share of the training time is the overhead. The next copy needs the host's buffer, so the
    drain must have ended.

    Units:   bytes; copy rate of one GPU and rate of the store in bytes per second, one direction; seconds; overhead as
             a fraction of the training time. Result is a count of steps.
    Raises:  ValueError if an argument is not positive, or the overhead is above 1.
    Source:  Jiang et al. 2024 (MegaScale), arXiv:2402.15627, section 4.3 (the two stages).

    >>> steps_between_background_saves(checkpoint_bytes=96e9, gpus=64, copy_bytes_per_s=10e9,
    ...                                store_bytes_per_s=2e9, step_s=6, largest_overhead=0.01)   # the drain decides
    8
    """
    require_counts(gpus=gpus)
    require_positive(
        checkpoint_bytes=checkpoint_bytes,
        copy_bytes_per_s=copy_bytes_per_s,
        store_bytes_per_s=store_bytes_per_s,
        step_s=step_s,
    )
    require_fraction(largest_overhead=largest_overhead)
    stall_s = checkpoint_bytes / gpus / copy_bytes_per_s
    drain_s = checkpoint_bytes / store_bytes_per_s
    return max(ceil(stall_s / (largest_overhead * step_s)), ceil(drain_s / step_s))


def kept_checkpoints(*, saves: int, keep_last: int, keep_every: int = 0) -> int:
    """Checkpoints that a retention rule leaves: the last ones, and of the older ones every k-th.

        kept = min(saves, last) + ⌊(saves - last) / k⌋          without the second term when k = 0

    Saves are numbered from 1, and those whose number is a multiple of keep_every stay for good.

    Units:   counts; keep_every = 0 deletes all but the last ones. Result is a count.
    Raises:  ValueError if saves or keep_last is below 1, or keep_every is negative or no whole number.
    Source:  arithmetic.

    >>> kept_checkpoints(saves=960, keep_last=24, keep_every=24)   # hourly for 40 days: a day's worth, and one a day before
    63
    """
    require_counts(saves=saves, keep_last=keep_last)
    require_whole(keep_every=keep_every)
    older = max(saves - keep_last, 0)
    return min(saves, keep_last) + (older // keep_every if keep_every else 0)


def stored_bytes(*, checkpoint_bytes: float, saves: int, keep_last: int, keep_every: int = 0) -> float:
    """Space that the checkpoints take which a retention rule leaves.

        stored = kept · bytes

    Units:   bytes; counts. Result in bytes.
    Raises:  ValueError as in kept_checkpoints, or if the size is not positive.
    Source:  arithmetic.

    >>> stored_bytes(checkpoint_bytes=980e9, saves=960, keep_last=960) / 1e12   # hourly for 40 days, nothing deleted
    940.8
    """
    require_positive(checkpoint_bytes=checkpoint_bytes)
    return kept_checkpoints(saves=saves, keep_last=keep_last, keep_every=keep_every) * checkpoint_bytes


def storage_dollars_per_month(
    *, checkpoint_bytes: float, saves: int, keep_last: int, dollars_per_gb_month: float, keep_every: int = 0
) -> float:
    """Monthly price of the checkpoints that a retention rule leaves.

        dollars = kept · bytes / 10⁹ · price

    Units:   bytes; counts; dollars for a decimal gigabyte and month. Result in dollars a month.
    Raises:  ValueError as in kept_checkpoints, or if size or price is not positive.
    Source:  arithmetic; Amazon S3 Standard costs 0.023 dollars a GB and month (first 50 TB, us-east-1, 2024), others differ.

    >>> bill = dict(checkpoint_bytes=980e9, saves=960, dollars_per_gb_month=0.023)
    >>> round(storage_dollars_per_month(keep_last=960, **bill)), round(storage_dollars_per_month(keep_last=3, **bill))
    (21638, 68)
    """
    require_positive(dollars_per_gb_month=dollars_per_gb_month)
    stored = stored_bytes(checkpoint_bytes=checkpoint_bytes, saves=saves, keep_last=keep_last, keep_every=keep_every)
    return stored / 1e9 * dollars_per_gb_month
