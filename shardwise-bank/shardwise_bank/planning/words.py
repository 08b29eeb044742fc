"""A run, its layout, its batch and the placement of its axes, in one line each."""

from __future__ import annotations

from collections import Counter

from shardwise.units import show_amount, show_number
from shardwise_bank.solutions.planner.blocks import ATTENTION, RECURRENT
from shardwise_bank.solutions.planner.judging import Batch, Cluster, Layout, Model, Plan
from shardwise_bank.solutions.planner.memory import keeps_whole
from shardwise_bank.solutions.planner.places import Place
from shardwise_bank.solutions.planner.recompute import recompute_phrase

AXES = ("tp", "cp", "pp", "dp", "ep")
SENT = {
    "tp": "activations, in every layer",
    "cp": "keys and values, in every layer",
    "ep": "tokens, to their experts and back, in every MoE layer",
    "pp": "one activation tensor per micro-batch, between neighbouring stages",
}
BUCKETS = {
    "optimizer": "optimizer states",
    "working": "working tensors",
    "gathered": "gathered weights",
    "context": "CUDA and NCCL",
}
LARGEST_NODE = 16  # GPUs; where fast links join more, call it a rack


def as_sentence(words: str) -> str:
    """Return a remark of the planner as a sentence."""
    return f"{words[:1].upper()}{words[1:]}."


def short_amount(value: float, unit: str) -> str:
    """Return a number of base units in this unit, with three digits."""
    return show_amount(value, unit, digits=3)


def part_name(part: str) -> str:
    """Return a part of the step time in words: "tensor parallel" for tensor_parallel."""
    return part.replace("_", " ")


def model_line(model: Model) -> str:
    """Return the total and the active parameters of a model, and its kinds of layers if they differ."""
    words = f"{show_number(model.parameters / 1e9, 3)} billion parameters"
    if model.experts:
        words += f", {show_number(model.active_parameters / 1e9, 3)} active"
    if len(mixers := Counter(block.mixer for block in model.blocks if block.mixer != "none")) > 1:
        known = ATTENTION | RECURRENT
        words += "; " + ", ".join(f"{count} layers with {known[mixer]}" for mixer, count in mixers.items())
    return words


def title(plan: Plan) -> str:
    """Return the model and the cluster of a plan."""
    return f"{plan.model.name} on {plan.cluster.gpus:,} {plan.cluster.accelerator}"


def layout_line(layout: Layout) -> str:
    """Return a layout in one line."""
    sizes = " × ".join(f"{axis.upper()} {getattr(layout, axis)}" for axis in AXES[:4])
    expert = f", EP {layout.ep}" if layout.ep > 1 else ""
    chunks = f" with {layout.virtual_stages} virtual stages" if layout.virtual_stages > 1 else ""
    again = recompute_phrase(layout.recompute)
    group = f" over {layout.shard_group} ranks" if layout.shard_group else ""
    more = [f"Ulysses {layout.ulysses}"] * (layout.ulysses > 1) + [f"{layout.offload} on the host"] * (
        layout.offload != "none"
    )
    more += [f"{layout.state_bytes}-byte optimizer states"] * (layout.state_bytes != 12)
    line = f"{sizes}{expert}, ZeRO {layout.zero}{group}, micro-batch size {layout.micro_batch}, {layout.schedule_name}{chunks}, {again}, {layout.precision.upper()}"
    return ", ".join((line, *more))


def batch_line(batch: Batch) -> str:
    """Return a batch in one line."""
    return f"global batch size {batch.global_batch:,}, sequence length {batch.sequence:,}: {show_number(batch.tokens / 1e6, 3)}M tokens per step"


def fit_line(plan: Plan) -> str:
    """Return whether a plan fits, and how much headroom it has."""
    headroom = short_amount(abs(plan.headroom_bytes), "GB")
    if plan.fit == "no":
        return f"does not fit: {headroom} over capacity"
    if plan.fit == "yes":
        return f"fits, {headroom} of headroom"
    upper = show_amount(plan.memory_range[1], "GB", digits=3)
    return f"fits on paper, tight: {headroom} of headroom; 80% of similar runs stayed below {upper}"


def range_words(ends: tuple[float, float], unit: str = "") -> str:
    """Return a range in one unit, such as "8.1 to 10.5 s"."""
    if not unit:
        return " to ".join(show_number(end, 3) for end in ends)
    if unit == "%":
        return " to ".join(f"{end:.1%}" for end in ends)
    low, high = (short_amount(end, unit) for end in ends)
    return f"{low.removesuffix(unit).rstrip()} to {high}"


def where_it_sits(place: Place, cluster: Cluster) -> str:
    """Return where the ranks of one group are, and which links connect them."""
    unit = "node" if cluster.gpus_per_node <= LARGEST_NODE else "rack"
    if place.nodes == 1:
        spacing = (
            "neighbouring GPUs"
            if place.stride == 1
            else f"every {place.stride}th GPU"
            if place.stride > 3
            else f"every {('second', 'third')[place.stride - 2]} GPU"
        )
        return f"{spacing} in one {unit}: fast links"
    if place.inside == 1:
        return f"one GPU in each of {place.nodes:,} {unit}s: network"
    return f"{place.inside} GPUs in each of {place.nodes:,} {unit}s: fast links within, network between"


def what_it_sends(axis: str, layout: Layout) -> str:
    """Return what the ranks of a group of that axis send each other, and how often."""
    if axis == "cp" and layout.ulysses > 1:
        return (
            f"{SENT[axis]}, in a ring, and heads in all-to-alls"
            if layout.ring > 1
            else "heads of queries, keys, values and outputs, in every layer"
        )
    if axis != "dp":
        return SENT[axis]
    if keeps_whole(layout):
        return "weights and gradients, once per step"
    if layout.zero == 3:
        return "weights and gradients, for every micro-batch"
    if layout.zero == 2:
        return "gradients for every micro-batch, weights once per step"
    return "gradients and updated weights, once per step" if layout.zero else "gradients, once per step"
