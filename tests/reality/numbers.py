"""PyTorch's number formats and loss scaling."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from .cases import Case

DTYPES = {"FP16": "float16", "BF16": "bfloat16", "E4M3": "float8_e4m3fn", "E5M2": "float8_e5m2"}
TRACES = {
    "two overflows first": "xx" + "." * 30,
    "a mixed trace": "".join(random.Random(7).choices(".x", [9, 1], k=200)),
}


def _info(name: str, figure: str) -> Callable[[], float]:
    def measured() -> float:
        import torch

        return float(getattr(torch.finfo(getattr(torch, DTYPES[name])), figure))

    return measured


def _flushed(name: str) -> Callable[[], float]:
    """Return a measurement of the largest FP32 number that a cast turns into 0, by bisection of bit patterns."""

    def measured() -> float:
        import torch

        def value(bits: int) -> Any:
            return torch.tensor(bits, dtype=torch.int32).view(torch.float32)

        low, high = 0, 0x3F800000  # the bits of 0 and of 1
        while high - low > 1:
            middle = (low + high) // 2
            if float(value(middle).to(getattr(torch, DTYPES[name]))) == 0:
                low = middle
            else:
                high = middle
        return float(value(low))

    return measured


def _scaled(trace: str) -> Callable[[], float]:
    """Return a measurement of the scale of torch.amp.GradScaler after a trace."""

    def measured() -> float:
        import torch

        weight = torch.zeros(1, requires_grad=True)
        optimizer = torch.optim.SGD([weight], lr=0.1)
        scaler: Any = torch.amp.GradScaler("cpu", growth_interval=20)
        for step in trace:
            scaler.scale(weight.sum() * (float("inf") if step == "x" else 1.0)).backward()
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()
        return float(scaler.get_scale())

    return measured


def _cases(name: str) -> list[Case]:
    given = {"number_format": name}
    return [
        Case("Number formats", f"largest {name}", "precision.formats.largest", given, "", _info(name, "max")),
        Case("Number formats", f"smallest normal {name}", "precision.formats.smallest_normal", given, "", _info(name, "smallest_normal")),
        Case("Number formats", f"largest number that a cast to {name} turns into 0", "precision.formats.flush_threshold", given, "",
             _flushed(name)),
    ]  # fmt: skip


CASES = [case for name in DTYPES for case in _cases(name)] + [
    Case("Loss scaling", f"scale of `torch.amp.GradScaler` after {name}, growth interval 20", "precision.loss_scaling.dynamic_scale",
         {"trace": trace, "initial_scale": 65536, "growth_interval": 20, "min_scale": 1e-30}, "", _scaled(trace))
    for name, trace in TRACES.items()
]  # fmt: skip
