"""What is planned, in a line each: the run, its layout, its batch, and where an axis sits."""

from __future__ import annotations

from shardwise.units import show_number
from shardwise_bank.solutions.planner.judging import Batch, Cluster, Layout, Plan
from shardwise_bank.solutions.planner.places import Place

AXES = ("tp", "cp", "pp", "dp", "ep")
SENT = {
    "tp": "activations, in every layer",
    "cp": "keys and values, in every layer",
    "ep": "tokens to their experts and back, in every layer of experts",
    "pp": "one tensor a micro-batch, between neighbouring stages",
}
LARGEST_NODE = 16  # fast links that join more GPUs make a rack


def as_sentence(words: str) -> str:
    """A planner's words as a sentence."""
    return f"{words[:1].upper()}{words[1:]}."


def title(plan: Plan) -> str:
    """What is planned."""
    return f"{plan.model.name} on {plan.cluster.gpus:,} {plan.cluster.accelerator}"


def layout_line(layout: Layout) -> str:
    """A layout in one line."""
    sizes = " × ".join(f"{axis.upper()} {getattr(layout, axis)}" for axis in AXES[:4])
    expert = f", EP {layout.ep}" if layout.ep > 1 else ""
    chunks = f" with {layout.virtual_stages} chunks" if layout.virtual_stages > 1 else ""
    again = "no recomputation" if layout.recompute == "none" else f"{layout.recompute} recomputation"
    return f"{sizes}{expert}, ZeRO {layout.zero}, micro-batch {layout.micro_batch}, {layout.schedule_name}{chunks}, {again}, {layout.precision.upper()}"


def batch_line(batch: Batch) -> str:
    """A batch in one line."""
    return f"{batch.global_batch:,} sequences of {batch.sequence:,} tokens a step, {show_number(batch.tokens / 1e6, 3)}M tokens"


def where_it_sits(place: Place, cluster: Cluster) -> str:
    """Where the ranks of one group are, and over which links they talk."""
    unit = "node" if cluster.gpus_per_node <= LARGEST_NODE else "rack"
    if place.nodes == 1:
        apart = "next to each other" if place.stride == 1 else f"every {place.stride} GPUs"
        return f"{apart}, in one {unit}: fast links"
    if place.inside == 1:
        return f"one GPU in each of {place.nodes:,} {unit}s: the network"
    return f"{place.inside} GPUs in each of {place.nodes:,} {unit}s: fast links, and the network between"


def what_it_sends(axis: str, layout: Layout) -> str:
    """What travels in a group of that axis, and how often."""
    if axis != "dp":
        return SENT[axis]
    if layout.zero == 3:
        return "weights and gradients, for every micro-batch"
    if layout.zero == 2 and layout.pp == 1:
        return "gradients for every micro-batch, weights once a step"
    return "gradients, and weights that were updated, once a step" if layout.zero else "gradients, once a step"
