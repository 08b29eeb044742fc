"""The rooflines of four chips, with a kernel of a layer on one of them."""

from __future__ import annotations

from typing import Any

from ..facts.hardware import hbm_bytes_per_s, peak_flop_per_s
from ..roofline.layer_kernels import Kernel, layer_kernels
from ..roofline.roofline import attainable_flop_per_s, compute_bound_tokens, ridge_point
from ..shapes import models
from . import buttons, choice, layer_shape, percent, points, powers, slider, written

CHAPTER = "10-roofline-and-mfu"
STILL = "roofline-of-a-layer"
TITLE = "Kernels on a roofline"
PLAYS = "tokens"
MODEL = "Llama-3-8B"
CHIPS = {"A100-80GB": "orange", "H100-80GB": "blue", "H200-141GB": "purple", "B200-180GB": "green"}
KERNELS = {
    "MLP matmul (gate)": "gate",
    "key projection": "keys",
    "attention": "attention",
    "RMSNorm": "first norm",
    "residual sum": "first residual sum",
}
CONTROLS = {
    "tokens": slider("tokens", [2**power for power in range(14)], start="64", words="{:,}".format),
    "kernel": buttons("kernel", KERNELS, start="MLP matmul (gate)"),
    "chip": buttons("chip", tuple(CHIPS), start="H100-80GB"),
}
LOW, HIGH = 0.1, 1e4  # FLOP per byte


def rates(chip: str) -> dict[str, float]:
    """The peak FLOP/s and the memory bandwidth of a chip."""
    return {
        "peak_flop_per_s": peak_flop_per_s(accelerator=chip),
        "memory_bytes_per_s": hbm_bytes_per_s(accelerator=chip),
    }


def roof(chip: str) -> list[tuple[float, float]]:
    """Return the roofline of a chip in TFLOP/s, as the points at its ends and its ridge."""
    bends = sorted((LOW, ridge_point(**rates(chip)), HIGH))
    return points(lambda at: attainable_flop_per_s(intensity=at, **rates(chip)) / 1e12, bends)


def kernel_of(name: str, tokens: int) -> Kernel:
    """A kernel of a layer of the example model, for one sequence of this length."""
    shape = layer_shape(MODEL)
    return next(one for one in layer_kernels(tokens=tokens, sequence_length=tokens, **shape) if one.name == name)


def show(*, tokens: int, kernel: str, chip: str) -> dict[str, Any]:
    """Four rooflines, with the kernel on that of the chosen chip."""
    intensity = kernel_of(kernel, tokens).intensity
    rate = attainable_flop_per_s(intensity=intensity, **rates(chip))
    ridge = ridge_point(**rates(chip))
    lines = [
        {"name": name, "colour": colour, "dashed": name != chip, "points": roof(name)} for name, colour in CHIPS.items()
    ]
    panel = {
        "drawing": "lines",
        "title": f"BF16 rooflines, and one kernel of {MODEL} with {tokens:,} token{'s' if tokens > 1 else ''} on {chip}",
        "x": {"label": "FLOP per byte of memory traffic", "low": LOW, "high": HIGH, "log": True, "ticks": powers(LOW, HIGH)},
        "y": {"label": "attainable TFLOP/s", "low": 0.1, "high": 1e4, "log": True, "ticks": powers(0.1, 1e4)},
        "lines": lines,
        "marks": [{"x": intensity, "y": rate / 1e12, "text": f"{written(rate / 1e12)} TFLOP/s", "colour": CHIPS[chip]}],
    }  # fmt: skip
    return {
        "panels": [panel],
        "facts": [
            ("arithmetic intensity", f"{written(intensity)} FLOP per byte"),
            (f"ridge point of the {chip}", f"{written(ridge)} FLOP per byte"),
            ("limited by", "memory bandwidth" if intensity < ridge else "compute"),
            ("attainable share of peak", percent(rate / rates(chip)["peak_flop_per_s"])),
        ],
    }


def predict() -> dict[str, Any]:
    """How many tokens make the MLP of the example model compute-bound."""
    needed = compute_bound_tokens(
        inputs=models.hidden(model=MODEL), outputs=models.ffn_hidden(model=MODEL), **rates("H100-80GB")
    )
    return {
        "ask": "The gate matrix of Llama 3 8B has 4,096 × 14,336 weights in BF16. About how many tokens at once does it take for this matrix "
        "multiplication to become compute-bound on an H100?",
        **choice(str(needed), ("8", "33", "326", "3260")),
        "why": "With few tokens, the arithmetic intensity is about 1 FLOP per byte per token. It therefore takes about 295 tokens to reach the ridge point of "
        "295 FLOP per byte, and a few more because the activations move bytes too.",
    }
