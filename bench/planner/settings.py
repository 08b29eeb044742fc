"""Layouts of published runs in the planner's terms, with every assumption that was made."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import prod

from .runs import Run, Shape

NODE = 8  # GPUs per node where the source does not say: HGX and DGX boards
NO_RECOMPUTATION = "no recomputation"  # assumed where a source does not mention it
GPT_VOCABULARY = 50304  # GPT-2's 50,257 tokens, padded to a multiple of 128

# All but attention is recomputed.
_KEEPS_QKV = ("save_qkv", "full except qkv", "mlp recomputed", "mlp output kept", "some layers")
_MODULES = {  # of the planner, and the words of a source that mean them
    "layernorm": ("norm", *_KEEPS_QKV),
    "mla_up_proj": ("mla up-projection",),
    "moe_act": ("moe activation",),
    "mlp": ("mlp, moe", *_KEEPS_QKV),
    "moe": ("whole moe", "mlp, moe", *_KEEPS_QKV),
}
_SHAPE = {"layers": "number of layers", "hidden": "hidden size", "heads": "number of heads"}


@dataclass(frozen=True)
class Setting:
    """A complete layout, as a prediction needs it."""

    tp: int
    cp: int
    pp: int
    dp: int
    ep: int
    virtual_stages: int
    zero: int
    shard_group: int  # ranks over which the states are sharded: dp, or fewer with HSDP
    micro_batch: int
    global_batch: int
    sequence: int
    recompute: str  # none, selective, operators, full, partial, or a list of modules
    recomputed_layers: int | None
    schedule: str
    sequence_parallel: bool
    precision: str  # bf16, fp16, fp8 or fp4
    expert_tp: int  # ranks that shard each expert
    gradient_bytes: int | None  # width of the reduced gradients, if the source reports it
    assumed: tuple[str, ...]

    @property
    def micro_batches(self) -> int:
        """Return the number of micro-batches per data-parallel replica and step."""
        return max(1, round(self.global_batch / (self.dp * self.micro_batch)))


class Unclear(Exception):
    """A run that cannot be predicted, and the reason."""


def setting(row: Run, shape: Shape) -> Setting:
    """Return the layout of a run. Raises Unclear if an input is missing that an assumption would decide."""
    missing = [key for key in ("tp", "pp", "dp", "seq_len") if getattr(row, key) is None]
    missing += ["global_batch"] * (row.sequences is None)
    missing += [words for key, words in _SHAPE.items() if getattr(shape, key) is None]
    if missing:
        raise Unclear(f"not reported: {', '.join(missing)}")
    assert row.tp and row.pp and row.dp and row.seq_len and row.sequences
    assumed: list[str] = []
    cp = row.cp or 1
    left = row.chips // prod((row.tp, cp, row.pp, row.dp))
    if left > 1:
        cp *= left
        assumed.append(f"context parallelism over the {left} ranks that no other axis uses")
    micro_batch = row.micro_batch or 1
    if row.micro_batch is None:
        if row.chip.startswith("TPU"):  # one compiled program usually processes its batch at once
            micro_batch = max(1, row.sequences // row.dp)
        assumed.append(f"micro-batch size {micro_batch}")
    schedule = _schedule(row, assumed)
    zero, group = _sharding(row, assumed)
    recompute, layers = _recompute(row, shape, assumed)
    if shape.vocab is None:
        assumed.append(f"vocabulary size {GPT_VOCABULARY:,}")
    return Setting(
        tp=row.tp, cp=cp, pp=row.pp, dp=row.dp, ep=row.ep or 1, virtual_stages=_chunks(row, shape, schedule, assumed),
        zero=zero, shard_group=group or row.dp * cp, micro_batch=micro_batch, global_batch=row.sequences,
        sequence=row.seq_len, recompute=recompute, recomputed_layers=layers, schedule=schedule,
        sequence_parallel=bool(row.sp) and row.tp > 1, precision=precision(row.precision or "", assumed),
        expert_tp=row.etp or (row.tp if shape.is_moe else 1),  # Megatron's default
        gradient_bytes=_gradient_bytes(row), assumed=tuple(assumed),
    )  # fmt: skip


def precision(words: str, assumed: list[str] | None = None) -> str:
    """Return the number format of the matrix multiplications: "fp8 linear, bf16 rest" is fp8."""
    for name in ("fp4", "fp8", "bf16", "fp16"):
        if name in words:
            if assumed is not None and "assumed" in words:
                assumed.append(name)
            return name
    if assumed is not None:
        assumed.append("bf16")
    return "bf16"


def _gradient_bytes(row: Run) -> int | None:
    words = f"{row.sharding} {row.note}".lower()
    in_bf16 = "gradients reduced in bf16", "gradients and reductions in bf16"
    if any(said in words for said in in_bf16) or "fms-fsdp" in row.source:  # its policies/mixed_precision.py, bfSixteen
        return 2
    if re.search(r"gradients (reduced|accumulated) in (an unsharded )?fp32", words):
        return 4
    return None


def _schedule(row: Run, assumed: list[str]) -> str:
    words = (row.schedule or "").lower()
    if row.pp == 1:
        return "1f1b"
    for found, name in (("zb-2p", "zb-h2"), ("zb-1p", "zb-h1"), ("zb-h1", "zb-h1"), ("zb-h2", "zb-h2"), ("zb-v", "zb-v"),
                        ("dualpipe", "dualpipe"), ("interleaved", "interleaved"), ("1f1b-i", "interleaved"),
                        ("gpipe", "gpipe"), ("1f1b", "1f1b")):  # fmt: skip
        if found in words:
            return name
    if row.vpp and row.vpp > 1:
        return "interleaved"
    assumed.append("1F1B")
    return "1f1b"


def _chunks(row: Run, shape: Shape, schedule: str, assumed: list[str]) -> int:
    if row.vpp:
        return row.vpp
    if schedule != "interleaved":
        return 1
    assert shape.layers and row.pp
    fits = [chunks for chunks in range(2, 1 + shape.layers // row.pp) if shape.layers % (row.pp * chunks) == 0]
    chunks = fits[0] if fits else 2
    assumed.append(f"{chunks} chunks per stage")
    return chunks


def _sharding(row: Run, assumed: list[str]) -> tuple[int, int | None]:
    words = (row.sharding or "").lower()
    if "assumed" in words:
        assumed.append(f"ZeRO-{words[4]}" if words.startswith("zero") else words)
    group = None
    if found := re.search(r"over (\d+) (?:gpus|chips)|each group of (\d+) gpus|\((\d+)-way fsdp", words):
        group = int(next(filter(None, found.groups())))
    if "hsdp" in words or "inside a node" in words:
        return 3, row.chips_per_node or NODE
    if found := re.search(r"zero-?([0-3])", words):
        # MegaScale and Llama 3 reduce once per step, so gradients stay whole until then
        if found[1] == "2" and (row.pp or 1) > 1:
            assumed.append("ZeRO-1, as gradients are reduced once per step")
            return 1, group
        return int(found[1]), group
    if "fsdp" in words:
        return 3, group
    if words.startswith("none"):
        return 0, group
    assumed.append("ZeRO-1")
    return 1, group


def _recompute(row: Run, shape: Shape, assumed: list[str]) -> tuple[str, int | None]:
    words = (row.recompute or "").lower()
    if not words:
        assumed.append(NO_RECOMPUTATION)
        return "none", None
    if "assumed" in words or "not stated" in words:
        assumed.append(f"recomputation: {words.split()[0]}")
    if found := re.search(r"full, (\d+) of \d+ layers", words):
        return "partial", int(found[1])
    if "every second layer" in words:
        return "partial", (shape.layers or 0) // 2
    if words.startswith("none"):
        return "none", None
    if "per operator" in words:
        return "operators", None
    if "saves matrix products" in words:
        return "none", None
    if (words.startswith("full") and "full except qkv" not in words) or "rest recomputed" in words:
        return "full", None
    if modules := [name for name, said in _MODULES.items() if any(word in words for word in said)]:
        return ",".join(modules), None
    return "selective", None
