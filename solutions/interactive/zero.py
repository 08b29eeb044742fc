"""Model states per GPU under each stage of ZeRO."""

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
TITLE = "Model states per GPU, by ZeRO stage"
PLAYS = "gpus"
STAGES = ("plain", "ZeRO-1", "ZeRO-2", "ZeRO-3")
CONTROLS = {
    "gpus": slider("GPUs", [2**power for power in range(11)], start="64", words="{:,}".format),
    "model": buttons("model", ("Llama-3-8B", "Llama-3-70B", "Llama-3-405B"), start="Llama-3-8B"),
    "accelerator": buttons(
        "GPU memory capacity", ("A100-40GB", "H100-80GB", "H200-141GB", "B200-180GB"), start="H100-80GB"
    ),
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
    """Bytes per GPU of some rows of the ownership table."""
    elements = parameters(model=model)
    return sum(row.width * float(held(row, elements=elements, ranks=gpus, stage=stage).mean()) for row in rows)


def show(*, gpus: int, model: str, accelerator: str) -> dict[str, Any]:
    """A bar for each ZeRO stage, against GPU memory capacity."""
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
        "title": f"Model states of {model} on {f'each of {gpus:,} GPUs' if gpus > 1 else 'one GPU'}, by ZeRO stage",
        "axis": {"label": "GB per GPU"},
        "kinds": {name: {"name": name, "colour": colour} for name, (colour, _) in kinds().items()},
        "rows": rows,
        "limit": {"at": memory / 1e9, "text": f"{accelerator} has {in_bytes(memory)}"},
    }
    return {
        "panels": [panel],
        "facts": [
            ("parameters", f"{written(parameters(model=model) / 1e9)} billion"),
            ("model states fit with", ", ".join(fits) or "none of them"),
        ],
    }


def predict() -> dict[str, Any]:
    """Model states per GPU under ZeRO-1."""
    plain, sharded = (
        state_bytes_per_gpu(parameters=parameters(model="Llama-3-8B"), gpus=64, stage=stage) / 1e9 for stage in (0, 1)
    )
    return {
        "ask": f"In plain data parallelism, the model states of Llama 3 8B take {written(plain)} GB per GPU. "
        "How much do they take per GPU with ZeRO-1 on 64 GPUs?",
        "unit": "GB",
        "answer": sharded,
        "why": "ZeRO-1 shards the optimizer states, 12 of the 16 bytes per parameter. Every GPU still holds all weights and gradients.",
    }
