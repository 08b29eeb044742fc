"""Reported rates as step times: direct for a time or tokens/s, else through the source's FLOP count."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from solutions.roofline.flop_rules import gpt_step_flop, palm_flop_per_token

from . import counts
from .runs import Run, Runs, Shape
from .settings import GPT_VOCABULARY, Unclear, precision


@dataclass(frozen=True)
class Printed:
    """A reported step time, and the value that it is derived from."""

    step_s: float
    basis: str


def flop_per_token(convention: str, row: Run, shape: Shape) -> float:
    """Return the training FLOP per token by a convention. Raises Unclear if it has no formula."""
    if convention not in _RULES:
        raise Unclear(f"no formula is known for the convention {convention!r}")
    if row.seq_len is None or shape.layers is None or shape.hidden is None or shape.heads is None:
        raise Unclear("the model shape or sequence length for its FLOP count is not reported")
    return _RULES[convention](row, shape, row.seq_len)


def printed(row: Run, runs: Runs) -> Printed:
    """Return the reported step time. Raises Unclear if it does not follow from the reported values."""
    if row.outcome == "oom":
        raise Unclear("it did not fit")
    batch_is_printed = "global_batch" not in row.from_arithmetic
    if row.step_s and (batch_is_printed or not row.tokens_per_s):
        return Printed(row.step_s, "step time")
    if row.sequences is None or row.seq_len is None:
        raise Unclear("global batch size or sequence length is not reported")
    tokens = row.sequences * row.seq_len / row.chips
    if row.tokens_per_s:
        return Printed(tokens / row.tokens_per_s, "tokens/s")
    for figure, convention, rate in rates(row, runs):
        if convention and figure != "hfu":
            return Printed(
                tokens * flop_per_token(convention, row, runs.models[row.model]) / rate, f"{figure}, {convention}"
            )
    raise Unclear("no reported rate gives a step time")


def rates(row: Run, runs: Runs) -> list[tuple[str, str | None, float]]:
    """Return reported rates in FLOP/s per chip: name, convention, value. TFLOP/s come first, as the most precise."""
    chip = runs.chips[row.chip]
    # MPT, DGXC and torchtitan report MFU relative to the FP8 peak
    eight = precision(row.precision or "") == "fp8" and chip.fp8
    peak = (eight or chip.bf16_or_fp16) * 1e12
    found: list[tuple[str, str | None, float]] = []
    if row.tflops:
        found.append(("tflops", row.tflops_conv or row.conv, row.tflops * 1e12))
    if row.mfu:
        found.append(("mfu", row.conv, row.mfu / 100 * peak))
    if row.hfu:
        found.append(("hfu", row.conv, row.hfu / 100 * peak))
    return found


def _full(row: Run, shape: Shape, sequence: int) -> float:
    parts = counts.count(shape, sequence)
    return 3 * (parts.weights + parts.scores)


def _causal(row: Run, shape: Shape, sequence: int) -> float:
    parts = counts.count(shape, sequence)
    return 3 * (parts.weights + parts.scores / 2)


def _palm(row: Run, shape: Shape, sequence: int, *, without: float = 0) -> float:
    assert shape.layers and shape.heads
    number = row.params_b * 1e9 if row.params_b else counts.parameters(shape)
    return palm_flop_per_token(
        parameters=number - without, layers=shape.layers, heads=shape.heads, head_dim=counts.head_width(shape),
        sequence_length=sequence,
    )  # fmt: skip


def _gpt(row: Run, shape: Shape, sequence: int, *, recompute: str = "none") -> float:
    assert shape.layers and shape.hidden
    step = gpt_step_flop(
        sequences=1, sequence_length=sequence, layers=shape.layers, hidden=shape.hidden,
        vocabulary=shape.vocab or GPT_VOCABULARY, recompute=recompute,
    )  # fmt: skip
    return step / sequence


def _with_next_token_layer(row: Run, shape: Shape, sequence: int) -> float:
    """Add a layer and an output layer that predict the token after next (DeepSeek-V3, arXiv:2412.19437, section 2.2)."""
    assert shape.hidden
    expert_layer = shape.model_copy(update={"layers": 1, "moe_layers": 1})
    joining = 6 * 2 * shape.hidden**2  # the projection of a token's hidden state and the next token's embedding
    return _causal(row, shape, sequence) + _causal(row, expert_layer, sequence) + joining


def _two_matrices(row: Run, shape: Shape, sequence: int) -> float:
    return _causal(row, shape.model_copy(update={"mlp": "gelu2"}), sequence)


def _old_bloom(row: Run, shape: Shape, sequence: int) -> float:
    assert shape.layers and shape.hidden
    return 8.0 * 12 * shape.layers * shape.hidden**2


_RULES: dict[str, Callable[[Run, Shape, int], float]] = {
    "attn-full": _full,
    "attn-full-inferred": _full,
    "attn-full-N-all": _palm,
    "attn-full-N-noembed": lambda row, shape, sequence: _palm(row, shape, sequence, without=counts.embedding(shape)),
    "attn-causal": _causal,
    "attn-causal-inferred": _causal,
    "attn-causal-mtp-inferred": _with_next_token_layer,
    "hardware-4x": lambda row, shape, sequence: _gpt(row, shape, sequence, recompute="full"),
    "hardware-4x-old": _old_bloom,
    "gemm-full": _gpt,
    "gqa-as-mha": _gpt,
    "gpt-oss-two-matrix": _two_matrices,
    "dgxc-full": _full,
    "dgxc-causal": _causal,
    "palm": _palm,
}
