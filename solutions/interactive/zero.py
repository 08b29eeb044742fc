"""What the stages of ZeRO leave on each GPU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..facts.hardware import memory_bytes
from ..oracles.zero.zero import Tensor, adam_tensors, held
from ..shapes.models import parameters
from ..zero.zero import state_bytes_per_gpu
from . import buttons, in_bytes, slider, written

CHAPTER = "02-zero"
STILL = "states-by-stage"
TITLE = "Model states on each GPU, stage by stage"
PLAYS = "gpus"
STAGES = ("plain", "ZeRO-1", "ZeRO-2", "ZeRO-3")
CONTROLS = {
    "gpus": slider("GPUs", [2**power for power in range(11)], start="64", words="{:,}".format),
    "model": buttons("model", ("Llama-3-8B", "Llama-3-70B", "Llama-3-405B"), start="Llama-3-8B"),
    "accelerator": buttons("memory of", ("A100-40GB", "H100-80GB", "H200-141GB", "B200-180GB"), start="H100-80GB"),
}


def kinds() -> dict[str, tuple[str, list[Tensor]]]:
    """The rows of the ownership table in three groups, each with its colour."""
    tensors = adam_tensors()
    return {
        "weights": ("blue", [row for row in tensors if row.name == "weight"]),
        "gradients": ("orange", [row for row in tensors if row.name == "gradient"]),
        "optimizer states": ("green", [row for row in tensors if row.sharded_from == 1]),
    }


def held_bytes(rows: Sequence[Tensor], *, model: str, gpus: int, stage: int) -> float:
    """What some rows of the ownership table take on a GPU."""
    elements = parameters(model=model)
    return sum(row.width * float(held(row, elements=elements, ranks=gpus, stage=stage).mean()) for row in rows)


def show(*, gpus: int, model: str, accelerator: str) -> dict[str, Any]:
    """A bar for each stage against the memory of the GPU."""
    memory = memory_bytes(accelerator=accelerator)
    rows, fits = [], []
    for stage, name in enumerate(STAGES):
        total = state_bytes_per_gpu(parameters=parameters(model=model), gpus=gpus, stage=stage)
        if total <= memory:
            fits.append(name)
        parts = []
        for kind, (_, tensors) in kinds().items():
            size = held_bytes(tensors, model=model, gpus=gpus, stage=stage) / 1e9
            parts.append({"kind": kind, "size": size, "text": written(size)})
        rows.append({"name": name, "text": in_bytes(total), "parts": parts})
    panel = {
        "drawing": "bars",
        "title": f"Model states of {model} on {f'each of {gpus:,} GPUs' if gpus > 1 else 'one GPU'}, by stage of ZeRO",
        "axis": {"label": "GB on each GPU"},
        "kinds": {name: {"name": name, "colour": colour} for name, (colour, _) in kinds().items()},
        "rows": rows,
        "limit": {"at": memory / 1e9, "text": f"{accelerator} has {in_bytes(memory)}"},
    }
    return {
        "panels": [panel],
        "facts": [
            ("parameters", f"{written(parameters(model=model) / 1e9)} billion"),
            ("states fit under", ", ".join(fits) or "none of them"),
        ],
    }


def predict() -> dict[str, Any]:
    """What ZeRO-1 leaves."""
    plain, sharded = (
        state_bytes_per_gpu(parameters=parameters(model="Llama-3-8B"), gpus=64, stage=stage) / 1e9 for stage in (0, 1)
    )
    return {
        "ask": f"In plain data parallelism the states of Llama 3 8B take {written(plain)} GB on each GPU. "
        "How much does ZeRO-1 leave on each of 64 GPUs?",
        "unit": "GB",
        "answer": sharded,
        "why": "ZeRO-1 shares out the optimizer states, 12 of 16 bytes a parameter. Weights and gradients stay whole.",
    }
