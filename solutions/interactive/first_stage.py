"""Peak memory per GPU on the first pipeline stage of the 405B run, with 1 to 32 stages."""

from __future__ import annotations

from typing import Any

from ..activations.activations import in_flight_bytes, layer_activation_bytes
from ..activations.recompute import grouped_bytes, time_overhead
from ..capstone.capstone import state_bytes_per_gpu
from ..facts.hardware import memory_bytes
from ..layout.run_plan import fullest_stage_layers
from ..pipeline.pipeline import bubble_idle_fraction, in_flight
from ..pipeline.pipeline_traffic import boundary_message_bytes
from ..shapes import models
from ..shapes.layer_parameters import layer_parameters
from . import buttons, choice, in_bytes, layer_shape, percent, slider, written

CHAPTER = "16-capstone-405b"
STILL = "what-the-first-stage-holds"
TITLE = "Peak memory on the first stage of the 405B run"
PLAYS = "gpus"
MODEL, ACCELERATOR = "Llama-3-405B", "H100-80GB"
SEQUENCES, TOKENS = 2048, 8192  # Llama Team 2024, arXiv:2407.21783, Table 4; one sequence is a micro-batch
STAGES = (1, 2, 4, 8, 16, 32)
SHAPE = layer_shape(MODEL)
CONTROLS = {
    "gpus": slider("GPUs", [2**power for power in range(9, 17)], start="16,384", words="{:,}".format),
    "tp": slider("TP", (1, 2, 4, 8), start="8"),
    "sharded": buttons("sharded over the data-parallel replicas", {"nothing": 0, "optimizer states (ZeRO-1)": 1, "optimizer states and gradients (ZeRO-2)": 2}, start="optimizer states and gradients (ZeRO-2)"),
    "recomputed": buttons("activation recomputation", {"none": False, "full": True}, start="none"),
}  # fmt: skip
KINDS = {
    "activations": {"name": "activations", "colour": "orange"},
    "weights": {"name": "BF16 weights", "colour": "blue"},
    "states": {"name": "gradients and optimizer states", "colour": "green"},
}


def held(*, stages: int, gpus: int, tp: int, sharded: int, recomputed: bool) -> dict[str, float]:
    """Bytes of each kind on a GPU of the first stage. Raises ValueError when there are more replicas than sequences."""
    replicas = gpus // (tp * stages)
    if replicas > SEQUENCES:
        raise ValueError(f"{replicas:,} replicas, but only {SEQUENCES:,} sequences")
    layers = fullest_stage_layers(layers=models.layers(model=MODEL), stages=stages)
    weights = layers * layer_parameters(**SHAPE) / tp
    shards = {"gradient_shards": replicas if sharded == 2 else 1, "optimizer_shards": replicas if sharded else 1}
    flight = {"stages": stages, "micro_batches": SEQUENCES // replicas}
    layer = layer_activation_bytes(tokens=TOKENS, tp=tp, **SHAPE)
    if recomputed:  # every layer keeps only its input, as large as the message from one stage to the next
        activations = grouped_bytes(
            layers=layers, every=1, in_flight=in_flight(stage=0, **flight), layer_bytes=layer,
            input_bytes=boundary_message_bytes(tokens=TOKENS, hidden=SHAPE["hidden"], tp=tp),
        )  # fmt: skip
    else:
        activations = in_flight_bytes(layer_bytes=layer, stage_layers=layers, **flight)
    states = state_bytes_per_gpu(gpu_parameters=weights, **shards)
    return {"activations": activations, "weights": 2 * weights, "states": states - 2 * weights}


def show(*, gpus: int, tp: int, sharded: int, recomputed: bool) -> dict[str, Any]:
    """A bar for each number of stages, against GPU memory capacity."""
    room = memory_bytes(accelerator=ACCELERATOR)
    rows: list[dict[str, object]] = []
    fits = []
    for stages in STAGES:
        name = f"{stages} stage{'s' if stages > 1 else ''}"
        try:
            sizes = held(stages=stages, gpus=gpus, tp=tp, sharded=sharded, recomputed=recomputed)
        except ValueError:
            rows.append({"name": name, "text": "too few sequences", "parts": []})
            continue
        parts = [{"kind": kind, "size": size / 1e9, "text": written(size / 1e9)} for kind, size in sizes.items()]
        total = sum(sizes.values())
        rows.append({"name": name, "text": in_bytes(total), "parts": parts})
        if total <= room:
            fits.append(stages)
    panel = {
        "drawing": "bars",
        "title": f"Peak memory per GPU on the first stage of {MODEL}, on {gpus:,} GPUs with TP {tp}",
        "axis": {"label": "GB per GPU of the first stage"},
        "kinds": KINDS,
        "rows": rows,
        "limit": {"at": room / 1e9, "text": f"an H100 has {in_bytes(room)}"},
    }
    again = time_overhead(plain_s=1 + 2, recomputed_s=1 + 2 + 1)  # a backward pass takes as long as two forward passes
    facts = [("fewest stages that fit", str(fits[0]) if fits else "none of these")]
    if fits:
        replicas = gpus // (tp * fits[0])
        micro_batches = SEQUENCES // replicas
        idle = bubble_idle_fraction(stages=fits[0], micro_batches=micro_batches)
        facts += [
            ("replicas with that", f"{replicas:,}, each with {micro_batches:,} micro-batch{'es' if micro_batches > 1 else ''}"),
            ("pipeline bubble with that, 1F1B", percent(idle) if idle else "none"),
        ]  # fmt: skip
    facts.append(("compute added by recomputation", percent(again) if recomputed else "nothing"))
    return {"panels": [panel], "facts": facts}


def predict() -> dict[str, Any]:
    """Peak memory on the first stage with twice as many stages."""
    before, after = (held(stages=stages, gpus=16384, tp=8, sharded=2, recomputed=False) for stages in (16, 32))
    states, activations = before["weights"] + before["states"], before["activations"]
    sizes = [
        (states + activations) / 2,  # everything is halved
        states + activations / 2,  # activations alone are
        sum(after.values()),
        after["weights"]
        + after["states"]
        + 2 * activations,  # twice as many micro-batches in flight, with as many layers
    ]
    return {
        "ask": f"You train on 16,384 H100 with 16 pipeline stages under 1F1B. A GPU of the first stage needs {in_bytes(states + activations)} at peak, {in_bytes(activations)} of them "
        "activations. Now you use 32 stages with half the layers each, with the same GPUs and the same global batch. How much does a GPU of the first stage need?",
        **choice(in_bytes(sum(after.values())), map(in_bytes, sizes)),
        "why": "A stage has half the layers, but the first one now has 32 micro-batches in flight instead of 16, so its activation memory "
        f"does not change. Only its weights are halved, from {in_bytes(before['weights'])} to {in_bytes(after['weights'])}.",
    }
