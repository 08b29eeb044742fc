"""Memory of one GPU through a step, with more or less recomputation, and where its peak is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..activations.loss_memory import loss_bytes
from ..activations.recompute import flop_per_byte
from ..activations.step_memory import moment_bytes, peak_moment
from ..facts.hardware import memory_bytes
from ..oracles.activations.activations import BF16_BYTES, kept_widths
from ..oracles.activations.step_memory import play_step
from ..shapes import models
from . import buttons, choice, in_bytes, layer_shape, short, slider, written

CHAPTER = "06-activation-memory"
STILL = "memory-through-a-step"
TITLE = "GPU memory through a step"
GPUS = 64
CARD = "H100-80GB"
DROPPED = {  # tensors that a layer no longer keeps when a part of it is recomputed
    "norm output": ("normed input", "normed middle"),
    "SwiGLU product": ("gated",),
    "layer": tuple(name for name in kept_widths(1, 1, 1, 1) if name != "input"),
}
CONTROLS = {
    "recomputed": buttons("recomputed", {"nothing": (), "norm outputs and SwiGLU products": ("norm output", "SwiGLU product"), "all layers": ("layer",)}, start="nothing"),
    "gradient_shards": buttons("gradients", {"replicated (ZeRO-1)": 1, "sharded (ZeRO-2)": GPUS}, start="replicated (ZeRO-1)"),
    "model": buttons("model", ("Llama-3-8B", "Mistral-7B", "Llama-2-13B"), start="Llama-3-8B"),
    "tokens": slider("tokens", (1024, 2048, 4096, 8192, 16384), start="8,192", words="{:,}".format),
    "chunks": slider("chunks of the loss", (1, 2, 4, 8, 16), start="1"),
}  # fmt: skip
KINDS = {"states": "grey", "gradients": "green", "activations": "blue", "logits": "orange"}  # from the ground up
PLACES = {
    "loss": "in the loss",
    "backward starts": "at the start of the backward pass",
    "backward ends": "at the end of the backward pass",
    "update": "in the optimizer step",
}
LOSS, UPDATE, AFTER = 5.0, 4.0, 2.0  # widths that make them visible, as in the still; a layer's forward pass has 1
FRAMES = 40


@dataclass(frozen=True)
class Moment:
    """A part of a step with constant memory: its start and end, its name and layer, and GB of each kind."""

    begun: float
    ended: float
    name: str
    layer: int
    sizes: list[float]

    @property
    def total(self) -> float:
        """GB of all kinds."""
        return sum(self.sizes)

    @property
    def phase(self) -> str:
        """The phase under which it is drawn: the first word of its name, such as “backward” of “backward starts”."""
        return self.name.split()[0]


def step_of(
    *, recomputed: tuple[str, ...], gradient_shards: int, model: str, tokens: int, chunks: int
) -> dict[str, Any]:
    """The bytes of a step, as arguments of the simulated step and of the formulas for its moments."""
    widths = kept_widths(**layer_shape(model))
    parameters, layers = models.parameters(model=model), models.layers(model=model)
    dropped = BF16_BYTES * tokens * sum(widths[name] for part in recomputed for name in DROPPED[part])
    return {
        "layers": layers,
        "kept_layer_bytes": BF16_BYTES * tokens * sum(widths.values()) - dropped,
        "recomputed_layer_bytes": dropped,
        "layer_gradient_bytes": 2 * parameters / layers / gradient_shards,
        "loss_bytes": loss_bytes(tokens=tokens // chunks, vocabulary=models.vocabulary(model=model)),
        "lasting_bytes": 2 * parameters + 12 * parameters / GPUS,
    }


def play(step: dict[str, Any], again: float) -> list[Moment]:
    """The simulated step over time. A layer's backward pass takes as long as two forward passes, and `again` more if recomputed."""
    layers = step["layers"]
    backward = (
        again / 2,
        2.0,
        0.0,
        again / 2,
    )  # recomputes, leaves gradients, frees what it recomputed and what was kept
    lengths = [1.0, *[1.0] * layers, LOSS, 0.0, *backward * layers, UPDATE, 0.0, *[0.0] * (layers - 1), AFTER]
    moments, clock = [], 0.0
    for length, (name, layer, held) in zip(lengths, play_step(**step).log, strict=True):
        if length:
            held["activations"] = held.get("activations", 0.0) + held.get("recomputed", 0.0)
            sizes = [short(held.get(kind, 0.0) / 1e9) for kind in KINDS]
            moments.append(Moment(clock, clock + length, name, layer, sizes))
        clock += length
    return moments


def status(moment: Moment) -> str:
    """The current place in the step, and its memory."""
    passes = {name: f"{name} pass of layer {moment.layer}" for name in ("forward", "backward")}
    where = {"between": "before the step", "gradients": "after the step", **passes}.get(moment.phase, moment.phase)
    return f"{where}, {in_bytes(moment.total * 1e9)}"


def show(*, recomputed: tuple[str, ...], gradient_shards: int, model: str, tokens: int, chunks: int) -> dict[str, Any]:
    """Memory through the step, with its peak."""
    step = step_of(recomputed=recomputed, gradient_shards=gradient_shards, model=model, tokens=tokens, chunks=chunks)
    moments = play(step, again=float(recomputed == ("layer",)))
    fullest = {name: max((one for one in moments if one.name == name), key=lambda one: one.total) for name in PLACES}
    at = peak_moment(**{name: size for name, size in step.items() if name != "lasting_bytes"})
    peak, memory = moment_bytes(moment=at, **step), memory_bytes(accelerator=CARD)
    phases = {name: [one for one in moments if one.phase == name] for name in ("forward", "loss", "backward", "update")}
    panel = {
        "drawing": "stack",
        "title": f"Memory of one of {GPUS} GPUs through a step of {model} with {tokens:,} tokens",
        "x": {"low": 0, "high": 1 + 4 * step["layers"] + LOSS + UPDATE + AFTER},
        "y": {"label": "GB per GPU", "low": 0, "high": max(88.0, short(1.1 * peak / 1e9))},
        "phases": [{"name": name, "from": found[0].begun, "to": found[-1].ended} for name, found in phases.items()],
        "kinds": [{"name": name, "colour": colour} for name, colour in KINDS.items()],
        "moments": [
            {"from": one.begun, "to": one.ended, "sizes": one.sizes, "name": one.name if one in fullest.values() else ""}
            for one in moments
        ],
        "marks": [
            {"y": memory / 1e9, "text": f"{CARD} has {in_bytes(memory)}"},
            {"x": (fullest[at].begun + fullest[at].ended) / 2, "y": peak / 1e9, "text": in_bytes(peak), "colour": "red"},
        ],
    }  # fmt: skip
    prices = [flop_per_byte(part=part, sequence=tokens, causal=True, **layer_shape(model)) for part in recomputed]
    facts = [
        ("peak", f"{in_bytes(peak)}, {PLACES[at]}"),
        (f"on an {CARD}", "fits" if peak <= memory else "does not fit"),
        ("kept by all layers", in_bytes(step["layers"] * step["kept_layer_bytes"])),
        ("recomputed FLOP per byte freed", " and ".join(map(written, prices)) or "none"),
    ]
    frames: list[dict[str, Any]] = []
    for place in range(1, FRAMES + 1):
        now = moments[-1].ended * place / FRAMES
        moment = next(one for one in moments if one.ended >= now)
        panels = [{"now": short(now)} if place < FRAMES else {}]
        frames.append({"panels": panels, "facts": [("now", status(moment)), *facts]})
    return {"panels": [panel], "facts": facts, "frames": frames}


def predict() -> dict[str, Any]:
    """By how much the peak falls when the tensors that cause it shrink."""
    peaks, gradients = [], []
    for shards in (1, GPUS):
        step = step_of(recomputed=("layer",), gradient_shards=shards, model="Llama-3-8B", tokens=8192, chunks=1)
        peaks.append(max(moment_bytes(moment=moment, **step) for moment in PLACES))
        gradients.append(step["layers"] * step["layer_gradient_bytes"])
    saved = gradients[0] - gradients[1]
    return {
        "ask": f"You train Llama 3 8B with full recomputation and 8,192 tokens per GPU. Memory peaks at {in_bytes(peaks[0])}, at the end of the backward pass. Now ZeRO-2 "
        f"shards the gradients over {GPUS} GPUs, which leaves {in_bytes(gradients[1])} instead of {in_bytes(gradients[0])} per GPU. By how much does the peak fall?",
        **choice(in_bytes(peaks[0] - peaks[1]), ("not at all", in_bytes(peaks[0] - peaks[1]), in_bytes(step["loss_bytes"]), in_bytes(saved))),
        "why": f"The loss needs {in_bytes(peaks[1])} with or without the gradients, {in_bytes(step['loss_bytes'])} of them for logits. The peak "
        "moves there, and only less memory in the loss can lower it further.",
    }  # fmt: skip
