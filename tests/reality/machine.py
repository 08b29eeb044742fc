"""The machine of the comparison: its hardware card, and a step of a small Llama, planned with that card and timed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import cache
from typing import Any

from solutions.planner.cards import Card
from solutions.planner.layer import layer_passes
from solutions.planner.memory import memory
from solutions.planner.shapes import Batch, Cluster, Layout, Model
from solutions.planner.time import head_seconds

from .cases import written

SECONDS = 1.0  # of each measurement of the card
STEPS = 5
LLAMA = Model("a small Llama", layers=4, hidden=1024, ffn_hidden=3584, heads=8, kv_heads=2, vocabulary=32000)
EAGER = Layout(zero=0, software="fsdp-eager")
SEQUENCE = 2048


def rows() -> Iterator[str]:
    """Yield a line for each measured figure of the card, and for the planned and measured time and memory of the step."""
    for name, value in _card().items():
        if name.endswith("_s"):
            unit = "bytes/s" if "bytes" in name else "FLOP/s"
            yield f"| {name.removesuffix('_bytes_per_s').removesuffix('_flop_per_s')}, sustained | {unit} | – | {value:.3g} | – |"
    seconds, peak = _measured_step()
    cluster = Cluster(_accelerator(), 1)
    batch = Batch(1, SEQUENCE)
    passes = sum(each.compute for each in layer_passes(LLAMA, cluster, EAGER, batch, LLAMA.blocks[0]))
    planned = LLAMA.layers * passes + head_seconds(LLAMA, cluster, EAGER, batch)
    what = f"forward and backward pass of {LLAMA.layers} layers of width {LLAMA.hidden:,} and the output layer, {SEQUENCE:,} tokens, eager kernels"
    yield f"| {what} | s | {written(planned)} | {written(seconds)} | {seconds / planned - 1:+.0%} |"
    if peak:
        held = memory(LLAMA, EAGER, batch)
        size = sum(held[name] for name in ("weights", "activations", "working", "logits")) + 2 * LLAMA.parameters
        yield f"| peak memory that PyTorch allocates for it | bytes | {size:.3g} | {peak:.3g} | {peak / size - 1:+.0%} |"


def device() -> str:
    """Return the device of the comparison: "cuda", or "cpu" without a GPU."""
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


@cache
def _card() -> dict[str, Any]:
    from examples import measure_card  # which needs PyTorch

    return measure_card.measure(device(), SECONDS)


@cache
def _accelerator() -> str:
    fields = {name: value for name, value in _card().items() if name in Card.__dataclass_fields__}
    return Card(**{"memory_bytes": 1e12, **fields}).add_to_tables()


def _measured_step() -> tuple[float, float]:
    """Return the seconds of a forward and backward pass and the peak of allocated memory, which is 0 on a processor."""
    import torch

    step, is_gpu = _step(torch), device() == "cuda"
    step()
    if is_gpu:
        torch.cuda.reset_peak_memory_stats()
        torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(STEPS):
        step()
    if is_gpu:
        torch.cuda.synchronize()
    seconds = (time.perf_counter() - begin) / STEPS
    return seconds, float(torch.cuda.max_memory_allocated()) if is_gpu else 0.0


def _step(torch: Any) -> Any:
    """Return a function that runs a step of a Llama in BF16, with eager kernels and fused attention."""
    functional, linear = torch.nn.functional, torch.nn.Linear
    head = LLAMA.head_dim

    class Layer(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            width, kv = LLAMA.hidden, LLAMA.kv_heads * head
            self.qkv = linear(width, width + 2 * kv, bias=False)
            self.out = linear(width, width, bias=False)
            self.up = linear(width, 2 * LLAMA.ffn_hidden, bias=False)
            self.down = linear(LLAMA.ffn_hidden, width, bias=False)
            self.norms = torch.nn.ModuleList(torch.nn.RMSNorm(width) for _ in range(2))

        def forward(self, tokens: Any) -> Any:
            kv = LLAMA.kv_heads * head
            parts = self.qkv(self.norms[0](tokens)).split([LLAMA.hidden, kv, kv], dim=-1)
            query, key, value = (part.unflatten(-1, (-1, head)).transpose(1, 2) for part in parts)
            mixed = functional.scaled_dot_product_attention(query, key, value, is_causal=True, enable_gqa=True)
            tokens = tokens + self.out(mixed.transpose(1, 2).flatten(2))
            gate, up = self.up(self.norms[1](tokens)).chunk(2, dim=-1)
            return tokens + self.down(functional.silu(gate) * up)

    layers = [Layer() for _ in range(LLAMA.layers)]
    model = torch.nn.Sequential(
        torch.nn.Embedding(LLAMA.vocabulary, LLAMA.hidden), *layers, linear(LLAMA.hidden, LLAMA.vocabulary, bias=False)
    )
    model = model.to(device(), torch.bfloat16)
    tokens = torch.randint(LLAMA.vocabulary, (1, SEQUENCE), device=device())

    def step() -> None:
        model.zero_grad(set_to_none=True)
        loss = functional.cross_entropy(model(tokens).flatten(0, 1).float(), tokens.flatten())
        loss.backward()

    return step
