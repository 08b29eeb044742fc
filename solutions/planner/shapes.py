"""The planner's inputs: a model (of decoder.py), a cluster, a layout and a batch, as frozen records."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import isqrt

from ..facts import hardware
from ..facts.arguments import require_counts, require_not_negative, require_positive, require_whole
from .blocks import Block as Block
from .configurations.published import named_model as named_model
from .decoder import Model as Model

SCHEDULES = {  # name in a layout, and name in the literature
    "gpipe": "GPipe", "1f1b": "1F1B", "interleaved": "interleaved 1F1B", "zb-h1": "ZB-H1", "zb-h2": "ZB-H2", "zb-v": "ZB-V",
    "dualpipe": "DualPipe", "dualpipev": "DualPipeV",
}  # fmt: skip
V_SHAPED = ("zb-v", "dualpipev")  # a GPU holds a piece from each half of the model, and the first one both ends of it
PAIRED = ("dualpipe", "dualpipev")  # a forward pass runs together with the backward pass of another micro-batch
OFFLOAD = ("none", "optimizer", "activations")  # what lives in the memory of the host
PRECISIONS = ("bf16", "fp16", "fp8", "mxfp8", "nvfp4")
EIGHT_BITS = ("fp8", "mxfp8", "nvfp4")  # formats that keep the inputs of matrix multiplications in a byte or less


@dataclass(frozen=True)
class Cluster:
    """GPUs of one type. `gpus_per_node` of them share fast links; each has network_bytes_per_s per direction to other nodes.

    `rank_s` is the time that each further rank adds to a collective, where it was measured on the cluster.
    """

    accelerator: str
    gpus: int
    gpus_per_node: int = 8
    network_bytes_per_s: float = 50e9
    rank_s: float = 0.0

    def __post_init__(self) -> None:
        require_counts(gpus=self.gpus, gpus_per_node=self.gpus_per_node)
        require_not_negative(rank_s=self.rank_s)
        require_positive(network_bytes_per_s=self.network_bytes_per_s)

    @property
    def memory_bytes(self) -> int:
        """Return GPU memory capacity, as the driver reports it."""
        return hardware.usable_bytes(accelerator=self.accelerator)


_COUNTS = ("tp", "cp", "pp", "dp", "ep", "virtual_stages", "micro_batch", "expert_tp", "ulysses", "state_bytes")


@dataclass(frozen=True)
class Layout:
    """A parallelism layout. `virtual_stages` is the number of model chunks per GPU; `software` names a row of the constants.

    ZeRO shards over `shard_group` ranks if given (HSDP), else over all DP x CP. `expert_tp` shards every expert. `ulysses` ranks
    of CP trade heads in all-to-alls, and the rest of CP is a ring. `recompute` is a word or a list of modules (recompute.py).
    `state_bytes` is the width of the optimizer states per parameter: 12 in FP32, 8 with an FP32 master copy and BF16 moments.
    """

    tp: int = 1
    cp: int = 1
    pp: int = 1
    dp: int = 1
    ep: int = 1
    virtual_stages: int = 1
    zero: int = 1
    micro_batch: int = 1
    recompute: str = "none"
    schedule: str = "1f1b"
    sequence_parallel: bool = True
    precision: str = "bf16"
    recomputed_layers: int = 0
    software: str = "megatron-2024"
    shard_group: int = 0
    expert_tp: int = 1
    gradient_bytes: int = 0
    ulysses: int = 1
    state_bytes: int = 12
    offload: str = "none"

    def __post_init__(self) -> None:
        counts = {name: getattr(self, name) for name in _COUNTS}
        if not all(type(count) is int and count >= 1 for count in counts.values()):  # a fast path for searches
            require_counts(**counts)
        for name in ("recomputed_layers", "shard_group", "gradient_bytes"):
            if getattr(self, name) != 0:
                require_whole(**{name: getattr(self, name)})

    @property
    def schedule_name(self) -> str:
        """Return the schedule's name in the literature."""
        return SCHEDULES[self.schedule]

    @property
    def local(self) -> Layout:
        """Return the layout for one GPU and one micro-batch: without settings that only change their number."""
        schedule = self.schedule if self.schedule in (*V_SHAPED, *PAIRED) else "1f1b"
        return _local(
            self.tp, self.cp, self.pp, self.ep, self.micro_batch, self.recompute, self.sequence_parallel, self.precision,
            self.recomputed_layers, self.software, self.expert_tp, schedule, self.ulysses, self.offload,
        )  # fmt: skip

    @property
    def ring(self) -> int:
        """Return the number of ranks of a context-parallel ring."""
        return max(1, self.cp // self.ulysses)

    @property
    def shards(self) -> int:
        """Return the number of ranks over which ZeRO shards."""
        return self.shard_group or self.dp * self.cp


@lru_cache(maxsize=1 << 14)  # shared by all layouts of a search that differ only elsewhere
def _local(
    tp: int, cp: int, pp: int, ep: int, micro_batch: int, recompute: str, sequence_parallel: bool, precision: str,
    recomputed_layers: int, software: str, expert_tp: int, schedule: str, ulysses: int, offload: str,
) -> Layout:  # fmt: skip
    return Layout(
        tp=tp, cp=cp, pp=pp, ep=ep, zero=0, micro_batch=micro_batch, recompute=recompute, sequence_parallel=sequence_parallel,
        precision=precision, recomputed_layers=recomputed_layers, software=software, expert_tp=expert_tp, schedule=schedule,
        ulysses=ulysses, offload=offload,
    )  # fmt: skip


@dataclass(frozen=True)
class Batch:
    """Global batch size, in sequences, and sequence length, in tokens."""

    global_batch: int
    sequence: int

    def __post_init__(self) -> None:
        require_counts(global_batch=self.global_batch, sequence=self.sequence)

    @property
    def tokens(self) -> int:
        """Return the number of tokens per step."""
        return self.global_batch * self.sequence


def local_tokens(layout: Layout, batch: Batch) -> int:
    """Return the tokens of a micro-batch on one GPU.

    >>> local_tokens(Layout(cp=2, micro_batch=4), Batch(8, 8192))
    16384
    """
    return layout.micro_batch * batch.sequence // layout.cp


def divisors(number: int, largest: int) -> list[int]:
    """Return the divisors of a number that are at most `largest`, in ascending order.

    Raises:  ValueError if a count is below 1.

    >>> divisors(12, 6)
    [1, 2, 3, 4, 6]
    """
    require_counts(number=number, largest=largest)
    small = [degree for degree in range(1, min(isqrt(number), largest) + 1) if number % degree == 0]
    large = [number // degree for degree in reversed(small) if degree * degree != number]
    return [*small, *(degree for degree in large if degree <= largest)]
