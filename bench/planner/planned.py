"""Published runs as the planner's inputs, and its predictions."""

from __future__ import annotations

from dataclasses import replace

from solutions.planner import judging as planner
from solutions.planner import memory as planner_memory
from solutions.planner import time as planner_time
from solutions.planner.configurations.published import published_model, published_names

from . import counts
from .clusters import accelerators, links
from .predictions import Prediction, Predictor, Row
from .runs import Runs
from .settings import GPT_VOCABULARY, NO_RECOMPUTATION
from .stacks import software

# PyTorch's counters omit the CUDA context, and its allocated memory omits what the allocator caches.
_WITHOUT_CONTEXT, _WITHOUT_CACHE = ("torch-gib", "torch-gib-max", "peak"), ("peak",)
_HOPELESS = 1.5  # above this ratio of predicted memory to capacity, the assumed layout cannot have run


def predictor(runs: Runs) -> Predictor:
    """Return the planner with its current constants; nothing is fitted."""
    known: dict[str, Prediction] = {}

    def predict(row: Row) -> Prediction:
        if row.run.id not in known:
            known[row.run.id] = _prediction(row, runs)
        return known[row.run.id]

    return predict


def refusal(row: Row, runs: Runs) -> str:
    """Return the reason why the planner cannot predict a row, or "". Unlike a prediction, this needs no calibrated ranges."""
    try:
        plan_of(as_it_ran(row, runs), runs)
    except ValueError as error:
        return str(error)
    return ""


def _prediction(row: Row, runs: Runs) -> Prediction:
    try:
        ran = as_it_ran(row, runs)
        plan = plan_of(ran, runs)
    except ValueError as error:
        return Prediction(why=str(error))
    return Prediction(
        plan.step_s, plan.memory_bytes, plan.fits, fit=plan.fit, room_bytes=plan.cluster.memory_bytes,
        counted_bytes=counted_bytes(row, plan.cluster, plan.memory),
        assumed="" if ran is row else "full recomputation, because the run is far from fitting without it",
    )  # fmt: skip


def counted_bytes(row: Row, cluster: planner.Cluster, held: dict[str, float]) -> float:
    """Return the part of predicted memory that the row's measuring tool counts."""
    kind = row.run.mem_kind or ""
    context = held["context"] if kind in _WITHOUT_CONTEXT else 0.0
    cached = 0.0 if kind in _WITHOUT_CACHE else planner_memory.cache_bytes(cluster, held)
    return sum(held.values()) - context + cached


def accelerator(row: Row) -> str:
    """Return the name of a row's chip in solutions/facts/hardware.yaml. Raises KeyError for an unknown chip."""
    return accelerators()[row.run.chip]


def as_it_ran(row: Row, runs: Runs) -> Row:
    """Return the row, with full recomputation if the source does not mention it and the run cannot have fit without."""
    if NO_RECOMPUTATION in row.setting.assumed:
        plan = plan_of(row, runs)
        if plan.memory_bytes > _HOPELESS * plan.cluster.memory_bytes:
            return replace(row, setting=replace(row.setting, recompute="full"))
    return row


def plan_of(row: Row, runs: Runs) -> planner.Plan:
    """Return the planner's plan, without faults. Raises ValueError if the chip is unknown or the layout cannot be modelled.

    Published runs did run, or ran out of memory. A run is therefore predicted even if it breaks one of the planner's
    divisibility rules, such as a global batch size that the replicas do not divide.
    """
    model, cluster, layout, batch = arguments(row, runs)
    held, parts = planner_memory.memory(model, layout, batch), planner_time.step(model, cluster, layout, batch)
    return planner.Plan(model, cluster, layout, batch, held, parts, ())


def arguments(row: Row, runs: Runs) -> tuple[planner.Model, planner.Cluster, planner.Layout, planner.Batch]:
    """Return a row as the planner's records. Raises ValueError for an unknown chip."""
    joined, layout, shape, run = links(row.run, runs), row.setting, row.shape, row.run
    assert shape.layers and shape.hidden and shape.heads
    model = _layered(run.model) or planner.Model(
        name=run.model, layers=shape.layers, hidden=shape.hidden,
        ffn_hidden=shape.ffn or (0 if shape.is_moe else 4 * shape.hidden), heads=shape.heads,
        kv_heads=shape.kv_heads or shape.heads, vocabulary=shape.vocab or GPT_VOCABULARY,
        head_width=shape.qk_nope or counts.head_width(shape), mlp_matrices=counts.matrices(shape),
        tied=counts.matrices(shape) == 2 if shape.tied is None else shape.tied, biases=_biased(row),
        experts=shape.experts or 0, experts_per_token=shape.top_k or 0, expert_ffn_hidden=shape.expert_ffn or 0,
        shared_experts=shape.shared_expert_ffn // (shape.expert_ffn or 1),
        dense_layers=shape.layers - (shape.moe_layers or 0) if shape.is_moe else 0,
        node_limit=4 if run.model.startswith("deepseek-v3") else 0, query_rank=shape.q_lora or 0, kv_rank=shape.kv_lora or 0, rope_head_width=shape.qk_rope or 0,
    )  # fmt: skip
    cluster = planner.Cluster(
        accelerator=joined.accelerator, gpus=run.chips, gpus_per_node=joined.domain,
        network_bytes_per_s=joined.network_bytes_per_s, rank_s=joined.rank_s,
    )  # fmt: skip
    dealt = planner.Layout(
        tp=layout.tp, cp=layout.cp, pp=layout.pp, dp=layout.dp, ep=layout.ep,
        virtual_stages=layout.virtual_stages, zero=layout.zero, micro_batch=layout.micro_batch,
        recompute=layout.recompute,
        recomputed_layers=layout.recomputed_layers or 0, schedule=layout.schedule,
        sequence_parallel=layout.sequence_parallel, precision=_precision(row),
        software=software(run, runs),
        shard_group=layout.shard_group if layout.shard_group != layout.dp * layout.cp else 0, expert_tp=layout.expert_tp,
        gradient_bytes=layout.gradient_bytes or 0, state_bytes=_state_bytes(row),
    )  # fmt: skip
    return model, cluster, dealt, planner.Batch(layout.global_batch, layout.sequence)


def _state_bytes(row: Row) -> int:
    """Return the bytes of optimizer states per parameter: BF16 moments (4) with a 16-bit remainder (6) or an FP32 master copy (8), else 12."""
    words = f"{row.run.sharding} {row.run.note}".lower()
    if "adam on bf16 weights" in words:
        return 4
    return 8 if "bf16 moments" in words else 6 if "optimizer dtype bf16" in words else 12


def _layered(name: str) -> planner.Model | None:
    """Return the published model of a name if its layers differ, which a file of runs cannot say."""
    known = {each.lower(): each for each in published_names()}
    model = published_model(known[name]) if name in known else None
    return model if model and model.pattern else None


def _biased(row: Row) -> bool:
    """Return whether matrices have biases. GPT models of Megatron and DeepSpeed have them; those of MPT and MaxText do not."""
    with_biases = ("gpt", "bloom", "zb-", "opt-", "megascale-", "mt-nlg")
    return counts.matrices(row.shape) == 2 and row.run.model.startswith(with_biases)


def _precision(row: Row) -> str:
    """Return the planner's name for a number format. It distinguishes block-scaled formats."""
    words = row.run.precision or ""
    return next((name for name in ("mxfp8", "nvfp4") if name in words), row.setting.precision)
