"""The closed rules, checked by walking models: whole steps are traced, and lengths are found by search."""

from __future__ import annotations

from functools import lru_cache

from ..search import bisect
from .flops import output_flop, step_flop
from .layer_flop import attention_flop_per_pair_and_channel, flop_per_weight_and_token


def palm_flop_per_token(*, parameters: float, layers: int, heads: int, head_dim: int, sequence_length: int) -> float:
    """Give each weight what a small counted layer takes, and each pair of tokens what small counted scores take."""
    total = float(flop_per_weight_and_token()) * parameters
    per_pair = float(attention_flop_per_pair_and_channel())
    for _ in range(layers):
        total += sum(per_pair * head_dim * sequence_length for _ in range(heads))
    return total


def gpt_step_flop(
    *, sequences: int, sequence_length: int, layers: int, hidden: int, vocabulary: int, recompute: str = "none"
) -> float:
    """Trace a step of a GPT with a fourfold MLP, its batch sequence by sequence."""
    if recompute == "selective":
        raise NotImplementedError("the printed equation counts three times what the trace finds")
    one = step_flop(
        tokens=sequence_length, sequence_length=sequence_length, layers=layers, hidden=hidden, ffn_hidden=4 * hidden,
        heads=1, kv_heads=1, vocabulary=vocabulary, mlp_matrices=2, recompute=recompute,
    )  # fmt: skip
    return sum(one for _ in range(sequences))


def six_n_over_count(
    *, parameters: float, sequence_length: int, layers: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int,
    vocabulary: int, mlp_matrices: int = 3, causal: bool = False,
) -> float:  # fmt: skip
    """Trace a step of one sequence, and hold the rule's FLOP for its tokens against it."""
    traced = step_flop(
        tokens=sequence_length, sequence_length=sequence_length, layers=layers, hidden=hidden, ffn_hidden=ffn_hidden,
        heads=heads, kv_heads=kv_heads, vocabulary=vocabulary, mlp_matrices=mlp_matrices, causal=causal,
    )  # fmt: skip
    return float(flop_per_weight_and_token()) * parameters * sequence_length / traced


@lru_cache(maxsize=512)
def exact_length(*, vocabulary: int, layers: int, hidden: int, causal: bool = False) -> float:
    """Build a decoder, count its matrices as parameters, and lengthen its sequence until the count is the rule's."""
    ffn_hidden = 3 * hidden
    layer = {"hidden": hidden, "ffn_hidden": ffn_hidden, "heads": 1, "kv_heads": 1}
    parameters = layers * (4 * hidden**2 + 3 * hidden * ffn_hidden) + 2 * vocabulary * hidden
    rule = float(flop_per_weight_and_token()) * parameters
    one_token = step_flop(
        tokens=1, sequence_length=1, layers=layers, vocabulary=vocabulary, causal=causal, **layer
    )  # with a single pair
    per_pair = float(attention_flop_per_pair_and_channel()) * layers * hidden * (0.5 if causal else 1)
    return bisect(lambda length: one_token + per_pair * (length - 1) - rule, 0, 1e9)


def vocabulary_share(
    *, sequence_length: int, layers: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int, vocabulary: int,
    mlp_matrices: int = 3, causal: bool = False,
) -> float:  # fmt: skip
    """Trace a step with the output layer and one that never computes it, and compare."""
    whole = step_flop(
        tokens=sequence_length, sequence_length=sequence_length, layers=layers, hidden=hidden, ffn_hidden=ffn_hidden,
        heads=heads, kv_heads=kv_heads, vocabulary=vocabulary, mlp_matrices=mlp_matrices, causal=causal,
    )  # fmt: skip
    return 3 * output_flop(tokens=sequence_length, hidden=hidden, vocabulary=vocabulary) / whole


def recompute_ratio(
    *, sequence_length: int, layers: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int, vocabulary: int,
    recompute: str, mlp_matrices: int = 3, causal: bool = False,
) -> float:  # fmt: skip
    """Trace a step twice, with recomputation and without."""
    steps = [
        step_flop(
            tokens=sequence_length, sequence_length=sequence_length, layers=layers, hidden=hidden,
            ffn_hidden=ffn_hidden, heads=heads, kv_heads=kv_heads, vocabulary=vocabulary, mlp_matrices=mlp_matrices,
            causal=causal, recompute=word,
        )
        for word in (recompute, "none")
    ]  # fmt: skip
    return steps[0] / steps[1]


def recomputed_share(*, mfu: float, hfu: float) -> float:
    """Recompute more and more of the forward pass, until the hardware does as much as the HFU says."""
    forward, backward = 1.0, 2.0
    return bisect(lambda again: mfu * (forward + backward + again) / (forward + backward) - hfu, 0, 100)


def setting_behind_a_count(
    *, model_flop_per_s: float, counted_flop_per_s: float, score_share: float, layer_share: float
) -> str:
    """Run a second of the model with each setting, operation by operation, and take the one that comes nearest."""
    forward = model_flop_per_s / 3
    repeated = {"none": 0.0, "selective": forward * score_share, "full": forward * layer_share}
    played = {setting: forward + 2 * forward + again for setting, again in repeated.items()}
    return sorted(played, key=lambda setting: (played[setting] - counted_flop_per_s) ** 2)[0]
