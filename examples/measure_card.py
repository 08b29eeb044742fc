"""The command that measures one GPU, and writes a hardware card for `shardwise plan --card`.

    python measure_card.py --out card.yaml

Copy this file to a node with GPUs. It needs PyTorch only, and takes about a minute on one GPU. It measures what the planner
uses: sustained matrix multiplications, memory bandwidth, fused attention, and a copy between two GPUs if the node has them.
To try it without a GPU, use `--device cpu`.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import torch

SECONDS = 3.0  # of each measurement: long enough for the clock to settle under load
# Rows, inputs and outputs of matrix multiplications, as in layers of 8B to 70B models.
PRODUCTS = ((8192, 8192, 8192), (8192, 4096, 14336), (16384, 8192, 3584))
HEADS, HEAD_DIM, LENGTH = 32, 128, 8192
COPIED = 1 << 30  # bytes
CALLS = 4  # between two readings of the clock
SMALLER = 16  # the factor by which sizes are smaller on a processor


def main() -> None:
    """Measure, print, and write the card."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("card.yaml"))
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="duration of each measurement")
    options = parser.parse_args()
    if options.device == "cuda" and not torch.cuda.is_available():
        parser.error("PyTorch sees no GPU here. Check the driver, or try --device cpu.")
    text = as_yaml(measure(options.device, options.seconds))
    print(text, end="")
    options.out.write_text(text, "utf-8")


def measure(device: str, seconds: float) -> dict[str, Any]:
    """Return the card: names, and figures in bytes and FLOP per second."""
    is_gpu = device != "cpu"
    smaller = 1 if is_gpu else SMALLER
    card: dict[str, Any] = {
        "name": torch.cuda.get_device_name() if is_gpu else "CPU",
        "date": datetime.now(UTC).date().isoformat(),
        "software": f"PyTorch {torch.__version__}"
        + (f", CUDA {torch.version.cuda or torch.version.hip}" if is_gpu else ""),
        "gpus": torch.cuda.device_count() if is_gpu else 1,
    }
    if is_gpu:
        card["memory_bytes"] = torch.cuda.get_device_properties(0).total_memory
    card["hbm_bytes_per_s"] = _copy_rate(device, device, COPIED // smaller, seconds) * 2  # read and written
    card["bf16_flop_per_s"] = _product_rate(device, smaller, seconds)
    if is_gpu and torch.cuda.get_device_capability() >= (8, 9):
        card["fp8_flop_per_s"] = _product_rate(device, smaller, seconds, eight_bits=True)
    card["attention_flop_per_s"] = _attention_rate(device, smaller, seconds)
    if card["gpus"] > 1:
        card["link_bytes_per_s"] = _copy_rate("cuda:0", "cuda:1", COPIED, seconds)
    return card


def _copy_rate(source: str, target: str, size: int, seconds: float) -> float:
    """Return bytes per second of a copy."""
    first = torch.empty(size, dtype=torch.uint8, device=source)
    second = torch.empty(size, dtype=torch.uint8, device=target)
    return size / _seconds_per_call(lambda: second.copy_(first), source, seconds)


def _product_rate(device: str, smaller: int, seconds: float, *, eight_bits: bool = False) -> float:
    """Return the mean FLOP/s of matrix multiplications in the shapes of PRODUCTS."""
    flop = spent = 0.0
    for rows, inputs, outputs in PRODUCTS:
        rows, inputs, outputs = (size // smaller for size in (rows, inputs, outputs))
        left = torch.randn(rows, inputs, device=device, dtype=torch.bfloat16)
        right = torch.randn(outputs, inputs, device=device, dtype=torch.bfloat16).t()
        call = partial(torch.matmul, left, right)
        if eight_bits:
            scale, narrow = torch.ones((), device=device), [matrix.to(torch.float8_e4m3fn) for matrix in (left, right)]
            call = partial(torch._scaled_mm, *narrow, scale, scale, out_dtype=torch.bfloat16)
        flop += 2 * rows * inputs * outputs
        spent += _seconds_per_call(call, device, seconds / len(PRODUCTS))
    return flop / spent


def _attention_rate(device: str, smaller: int, seconds: float) -> float:
    """Return FLOP/s of the forward pass of fused causal attention, counting only the pairs that the mask keeps."""
    length, heads = LENGTH // smaller, max(1, HEADS // smaller)
    query, key, value = (torch.randn(1, heads, length, HEAD_DIM, device=device, dtype=torch.bfloat16) for _ in range(3))
    attention = torch.nn.functional.scaled_dot_product_attention
    spent = _seconds_per_call(lambda: attention(query, key, value, is_causal=True), device, seconds)
    return 4 * heads * HEAD_DIM * length * (length + 1) / 2 / spent


def _seconds_per_call(call: Callable[[], Any], device: str, seconds: float) -> float:
    """Return the mean time of a call, measured for `seconds` after a warm-up of half that time."""
    wait = torch.cuda.synchronize if device != "cpu" else time.monotonic
    mean = 0.0
    for duration in (seconds / 2, seconds):
        calls, begin = 0, time.perf_counter()
        while not calls or time.perf_counter() - begin < duration:
            for _ in range(CALLS):
                call()
            wait()
            calls += CALLS
        mean = (time.perf_counter() - begin) / calls
    return mean


def as_yaml(card: dict[str, Any]) -> str:
    """Return the card as YAML, one figure per line."""
    lines = [
        "# Measured by examples/measure_card.py of shardwise, for `shardwise plan --card`. Links are per direction."
    ]
    for name, value in card.items():
        lines.append(f"{name}: {value:.4e}" if isinstance(value, float) else f"{name}: {json.dumps(value)}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
