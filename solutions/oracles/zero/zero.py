"""Who owns what under ZeRO: a table of every tensor and its owners, and a step played collective by collective."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..search import smallest

Elements = NDArray[np.int64]  # of one tensor, by rank
NAMES = {0: "plain data parallelism", 1: "ZeRO-1", 2: "ZeRO-2", 3: "ZeRO-3"}
BYTES = {"fp32": 4, "bf16": 2}  # an element (IEEE 754-2019; bfloat16: Wang & Kanwar 2019)
LAYERS = 2  # of the model that plays a step; their number does not change what is sent


@dataclass(frozen=True)
class Tensor:
    """One kind of model state: how wide an element is, and from which stage on the ranks share it out."""

    name: str
    width: float
    sharded_from: int


def adam_tensors(
    *,
    weight: float = BYTES["bf16"],
    gradient: float = BYTES["bf16"],
    master: float = BYTES["fp32"],
    moment: float = BYTES["fp32"],
) -> tuple[Tensor, ...]:
    """Everything that mixed-precision Adam keeps (arXiv:1910.02054, section 3.1); no master copy if it has no width."""
    rows = (
        Tensor("weight", weight, 3),
        Tensor("gradient", gradient, 2),
        Tensor("master copy", master, 1),
        Tensor("mean of the gradient", moment, 1),
        Tensor("mean of its square", moment, 1),
    )
    return tuple(row for row in rows if row.width)


@lru_cache(maxsize=4096)
def _shards(elements: int, ranks: int) -> Elements:
    """Elements of each rank's contiguous range, when a tensor is divided as evenly as whole elements allow."""
    bounds = np.arange(ranks + 1, dtype=np.int64) * elements // ranks
    return np.diff(bounds)


def held(tensor: Tensor, *, elements: int, ranks: int, stage: int) -> Elements:
    """How many elements of a tensor each rank holds: its own range, or all of them."""
    if stage >= tensor.sharded_from:
        return _shards(elements, ranks)
    return np.full(ranks, elements, dtype=np.int64)


def bytes_by_rank(
    tensors: Sequence[Tensor], *, elements: int, ranks: int, stage: int
) -> NDArray[np.float64] | Elements:
    """The ownership table, summed up for each rank."""
    total = np.zeros(ranks, dtype=np.int64)
    for tensor in tensors:
        total = total + tensor.width * held(tensor, elements=elements, ranks=ranks, stage=stage)
    return total


def _mean(by_rank: NDArray[np.float64] | Elements) -> float:
    """What a rank has on average. Ranks differ by an element or so when their number does not divide the tensor."""
    return float(int(by_rank.sum()) / len(by_rank) if by_rank.dtype == np.int64 else by_rank.mean())


def counted(parameters: float, gpus: int, stage: int, tensors: Sequence[Tensor]) -> float:
    """What a rank holds of these rows of the table, on average."""
    return _mean(bytes_by_rank(tensors, elements=round(parameters), ranks=gpus, stage=stage))


# Memory


def state_bytes_per_gpu(*, parameters: float, gpus: int, stage: int, bytes_per_gradient: float = 2) -> float:
    """All rows of the table, on one rank."""
    return counted(parameters, gpus, stage, adam_tensors(gradient=bytes_per_gradient))


def lasting_state_bytes_per_gpu(*, parameters: float, gpus: int, stage: int) -> float:
    """All rows of the table but the gradients', on one rank."""
    rows = [row for row in adam_tensors() if row.name != "gradient"]
    return counted(parameters, gpus, stage, rows)


def sliced_state_bytes_per_gpu(
    *, parameters: float, tp: int, pp: int, dp: int, stage: int, bytes_per_gradient: float = 2
) -> float:
    """The model is cut into a slice for each place in a replica; each slice has a table over its DP group."""
    total = 0
    tensors = adam_tensors(gradient=bytes_per_gradient)
    for elements in _shards(round(parameters), tp * pp):
        by_rank = bytes_by_rank(tensors, elements=int(elements), ranks=dp, stage=stage)
        total += int(by_rank.sum())
    return total / (tp * pp * dp)


def memory_cut(*, gpus: int, stage: int) -> float:
    """The table of plain data parallelism over that of the stage, for a model that divides evenly."""
    plain, sharded = (bytes_by_rank(adam_tensors(), elements=1000 * gpus, ranks=gpus, stage=s) for s in (0, stage))
    return int(plain.sum()) / int(sharded.sum())


def gpus_for_cut(*, stage: int, share: float) -> int:
    """Let the cluster grow until the cut of its table reaches the share; the limit is that of a table without shards."""
    rows = adam_tensors()
    whole = sum(row.width for row in rows if stage < row.sharded_from)
    limit = sum(row.width for row in rows) / whole
    return smallest(lambda gpus: memory_cut(gpus=gpus, stage=stage) >= share * limit * (1 - 1e-12), largest=1 << 17)


def needed_bytes_per_gpu(*, parameters: float, gpus: int, stage: int, activation_bytes: float) -> float:
    """The table on one rank, and the activations, which no stage shards."""
    return counted(parameters, gpus, stage, adam_tensors()) + activation_bytes


def room_bytes_per_gpu(
    *, parameters: float, gpus: int, stage: int, device_bytes: float, reserved_bytes: float = 0
) -> float:
    """Take the rows of the table out of the free memory one after the other; what is left is for activations."""
    left = device_bytes - reserved_bytes
    for row in adam_tensors():
        left -= counted(parameters, gpus, stage, [row])
    if left < 0:
        raise ValueError("the states do not fit")
    return left


def nearest_stage(*, parameters: float, gpus: int, measured_bytes: float) -> int:
    """Sort the stages by the distance of their table from what was measured, and take the nearest."""
    if gpus < 2:
        raise ValueError("on one GPU every stage holds the same")
    misses = [(abs(counted(parameters, gpus, s, adam_tensors()) - measured_bytes), s) for s in NAMES]
    return sorted(misses)[0][1]


# Traffic


@dataclass(frozen=True)
class Entry:
    """One collective that was played."""

    name: str
    when: str  # in the step
    message_bytes: float  # of the whole message
    sent_bytes: float  # by a rank, on average


class Ledger:
    """Counts what each rank sends, collective by collective, over direct messages between all pairs of ranks."""

    def __init__(self, ranks: int) -> None:
        self.ranks = ranks
        self.sent: NDArray[np.float64] = np.zeros(ranks)
        self.entries: list[Entry] = []

    def reduce_scatter(self, elements: int, width: float, when: str = "") -> None:
        """Each rank sends every other rank its contribution to the range that the other owns."""
        self._note("reduce-scatter", when, elements, width, axis=1)

    def all_gather(self, elements: int, width: float, when: str = "") -> None:
        """Each rank sends the range that it owns to every other rank."""
        self._note("all-gather", when, elements, width, axis=0)

    def all_reduce(self, elements: int, width: float, when: str = "") -> None:
        """Contributions go to the owners, and the sums come back."""
        self.reduce_scatter(elements, width, when)
        self.all_gather(elements, width, when)

    def _note(self, name: str, when: str, elements: int, width: float, axis: int) -> None:
        sent = width * _sent(elements, self.ranks, axis)
        self.sent += sent
        self.entries.append(Entry(name, when, width * elements, float(sent.mean())))


@lru_cache(maxsize=4096)
def _sent(elements: int, ranks: int, axis: int) -> Elements:
    """What each rank sends when `messages[r, o]` elements, owner o's range, cross between r and o: to owners or by them."""
    messages = np.tile(_shards(elements, ranks), (ranks, 1))
    np.fill_diagonal(messages, 0)
    by_rank: Elements = messages.sum(axis=axis)
    return by_rank


@lru_cache(maxsize=4096)
def play_step(
    parameters: int, ranks: int, stage: int, gradient: float = 2, keep_weights: bool = False, weight: float = 2
) -> Ledger:
    """One training step of a model of a few layers; weights are gathered whenever a layer runs that does not hold them."""
    ledger = Ledger(ranks)
    layers = [int(part) for part in _shards(parameters, LAYERS)]
    whole = [stage < 3] * LAYERS
    order = list(range(LAYERS))
    for layer in order:
        if not whole[layer]:
            ledger.all_gather(layers[layer], weight, "forward")
        whole[layer] = stage < 3 or keep_weights
    for layer in reversed(order):
        if not whole[layer]:
            ledger.all_gather(layers[layer], weight, "backward")
        (ledger.all_reduce if stage == 0 else ledger.reduce_scatter)(layers[layer], gradient, "backward")
    if stage in (1, 2):  # each rank has updated its own range of the weights, and all need all of them
        for layer in order:
            ledger.all_gather(layers[layer], weight, "update")
    return ledger


def step_traffic_bytes(*, parameters: float, gpus: int, stage: int) -> float:
    """What a rank sent in a step that was played."""
    return float(play_step(round(parameters), gpus, stage).sent.mean())


def step_traffic_seconds(*, parameters: float, gpus: int, stage: int, bandwidth_bytes_per_s: float) -> float:
    """The collectives of a played step, one after the other."""
    clock = 0.0
    for entry in play_step(round(parameters), gpus, stage).entries:
        clock += entry.sent_bytes / bandwidth_bytes_per_s
    return clock
