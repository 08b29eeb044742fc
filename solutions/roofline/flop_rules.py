"""Closed rules for the FLOP of training: 6 a parameter, PaLM's, Megatron's, and where they part from the count."""

from __future__ import annotations

from functools import partial

from ..facts.arguments import require_counts, require_fraction, require_positive
from .flops import RECOMPUTE, forward_flop, output_flop, step_flop
from .mfu import step_utilisation, utilisation


def palm_flop_per_token(*, parameters: float, layers: int, heads: int, head_dim: int, sequence_length: int) -> float:
    """Model FLOP of training for one token, as PaLM counts them for its MFU.

        FLOP = 6·N + 12·L·H·Q·T

    The second term is the attention scores: two products forward, four backward, 2·Q FLOP each for a head and a pair.
    All pairs count, although the mask leaves half of them. Recomputation never counts.

    Units:   parameters and every other argument are counts. Result in FLOP per token.
    Raises:  ValueError if an argument is not positive.
    Source:  Chowdhery et al. 2022, arXiv:2204.02311, appendix B.

    >>> round(palm_flop_per_token(parameters=540.35e9, layers=118, heads=48, head_dim=256, sequence_length=2048) / 1e12, 2)
    3.28
    """
    require_positive(parameters=parameters)
    require_counts(layers=layers, heads=heads, head_dim=head_dim, sequence_length=sequence_length)
    return 6 * parameters + 12 * layers * heads * head_dim * sequence_length


def gpt_step_flop(
    *, sequences: int, sequence_length: int, layers: int, hidden: int, vocabulary: int, recompute: str = "none"
) -> float:
    """FLOP of a training step of a GPT whose MLP is four times as wide as the model, by Megatron's formulas.

        none        72·B·s·l·h² · (1 + s/6h + V/12lh)     model FLOP
        selective   72·B·s·l·h² · (1 + s/3h + V/12lh)     as printed; see below
        full        96·B·s·l·h² · (1 + s/6h + V/16lh)     every layer is computed again

    72 is 3 · 24: a layer has 12·h² weights, with 2 FLOP each, forward and twice backward. 96 is 4 · 24.
    The paper says that selective recomputation adds one forward pass of the scores, 4·B·l·s²·h. Its equation 8 adds
    three times that. The HFU of its Table 5 follows the equation; `flops.step_flop` follows the sentence (s/4.5h).

    Units:   every argument is a count. Result in FLOP.
    Raises:  ValueError if a count is below 1, or for another word than those three.
    Source:  Korthikanti et al. 2022, arXiv:2205.05198, equations 7 and 8; Narayanan et al. 2021, arXiv:2104.04473, equation 3.

    >>> gpt = dict(sequences=64, sequence_length=2048, layers=96, hidden=12288, vocabulary=51200)
    >>> round(gpt_step_flop(**gpt) / (64 * 312e12 * 13.75), 3)    # 13.75 s on 64 A100: the 51.4 % of Table 5
    0.514
    """
    require_counts(
        sequences=sequences, sequence_length=sequence_length, layers=layers, hidden=hidden, vocabulary=vocabulary
    )
    if recompute not in RECOMPUTE:
        raise ValueError(f"recompute must be one of {', '.join(RECOMPUTE)}, not {recompute!r}")
    tokens = sequences * sequence_length
    weights = 24 * tokens * layers * hidden**2
    if recompute == "full":
        return 4 * weights * (1 + sequence_length / (6 * hidden) + vocabulary / (16 * layers * hidden))
    scores = sequence_length / (3 * hidden if recompute == "selective" else 6 * hidden)
    return 3 * weights * (1 + scores + vocabulary / (12 * layers * hidden))


def gpt_utilisation(
    *, sequences: int, sequence_length: int, layers: int, hidden: int, vocabulary: int, step_s: float, gpus: int,
    peak_flop_per_s: float, recompute: str = "none",
) -> float:  # fmt: skip
    """MFU of a GPT from the time of a step, or its HFU where the step recomputes.

        share = FLOP of the step / (gpus · peak · step time)

    Units:   step_s in seconds; peak in FLOP/s of one GPU, dense; the rest are counts. Result as a fraction.
    Raises:  ValueError as gpt_step_flop, or if a time or a rate is not positive.
    Source:  Korthikanti et al. 2022, arXiv:2205.05198, section 6.3 and Table 5.

    >>> share = gpt_utilisation(sequences=512, sequence_length=2048, layers=128, hidden=25600, vocabulary=51200,
    ...                         step_s=71.49, gpus=512, peak_flop_per_s=312e12)
    >>> round(share, 3)    # 1T: Table 5 prints 56.3 %
    0.563
    """
    flop = gpt_step_flop(
        sequences=sequences, sequence_length=sequence_length, layers=layers, hidden=hidden, vocabulary=vocabulary,
        recompute=recompute,
    )  # fmt: skip
    return step_utilisation(step_flop=flop, step_s=step_s, gpus=gpus, peak_flop_per_s=peak_flop_per_s)


def palm_mfu(
    *, parameters: float, layers: int, heads: int, head_dim: int, sequence_length: int, tokens_per_s: float, gpus: int,
    peak_flop_per_s: float,
) -> float:  # fmt: skip
    """MFU as PaLM defines it, from the tokens that a system works off in a second.

        MFU = (6·N + 12·L·H·Q·T) · tokens/s / (gpus · peak)

    Units:   tokens_per_s of the whole system; peak in FLOP/s of one chip; the rest are counts. Result as a fraction.
    Raises:  ValueError if an argument is not positive.
    Source:  Chowdhery et al. 2022, arXiv:2204.02311, section 4.1 and appendix B.

    >>> mfu = palm_mfu(parameters=540.35e9, layers=118, heads=48, head_dim=256, sequence_length=2048,
    ...                tokens_per_s=238.3e3, gpus=6144, peak_flop_per_s=275e12)
    >>> round(mfu, 3)
    0.462
    """
    flop = palm_flop_per_token(
        parameters=parameters, layers=layers, heads=heads, head_dim=head_dim, sequence_length=sequence_length
    )
    return utilisation(flop_per_token=flop, tokens_per_s=tokens_per_s, gpus=gpus, peak_flop_per_s=peak_flop_per_s)


def gpt_training_seconds(
    *, training_tokens: float, sequence_length: int, layers: int, hidden: int, vocabulary: int, gpus: int,
    achieved_flop_per_s: float, recompute: str = "full",
) -> float:  # fmt: skip
    """Time of a whole run from the rate that GPUs were measured at, when that rate counts recomputation too.

        seconds = tokens · FLOP per token / (gpus · achieved)        about 8·T·P / (n·X) with full recomputation

    Units:   achieved in FLOP/s of one GPU, counted with the same recomputation. Result in seconds.
    Raises:  ValueError as gpt_step_flop, or if a rate or training_tokens is not positive.
    Source:  Narayanan et al. 2021, arXiv:2104.04473, equations 3 and 4.

    >>> run = gpt_training_seconds(training_tokens=300e9, sequence_length=2048, layers=96, hidden=12288, vocabulary=51200,
    ...                            gpus=384, achieved_flop_per_s=144e12)
    >>> round(run / 86400)    # days; Table 2 prints 90
    90
    """
    require_positive(training_tokens=training_tokens, achieved_flop_per_s=achieved_flop_per_s)
    require_counts(gpus=gpus)
    one_sequence = gpt_step_flop(
        sequences=1, sequence_length=sequence_length, layers=layers, hidden=hidden, vocabulary=vocabulary,
        recompute=recompute,
    )  # fmt: skip
    return training_tokens * one_sequence / sequence_length / (gpus * achieved_flop_per_s)


def six_n_over_count(
    *, parameters: float, sequence_length: int, layers: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int,
    vocabulary: int, mlp_matrices: int = 3, causal: bool = False,
) -> float:  # fmt: skip
    """What 6 FLOP per parameter and token are of the FLOP that a shape has. Below 1, the rule counts too little.

        ratio = 6·N / (3 · forward FLOP of a token)

    Two errors work against each other. The rule omits the scores, and it counts the input embedding, which is a
    look-up. In a small model with a large vocabulary the second one is large.

    Units:   parameters as the rule is given them; every other argument is a count. Result as a ratio.
    Raises:  ValueError if an argument is not positive, or as the count does.
    Source:  Kaplan et al. 2020, arXiv:2001.08361, section 2.1 (6N, embeddings omitted); Chowdhery et al. 2022, appendix B.

    >>> llama_8b = dict(layers=32, hidden=4096, ffn_hidden=14336, heads=32, kv_heads=8, vocabulary=128256)
    >>> [round(six_n_over_count(parameters=8.03e9, sequence_length=s, **llama_8b), 2) for s in (512, 8192, 131072)]
    [1.05, 0.83, 0.19]
    """
    require_positive(parameters=parameters)
    forward = forward_flop(
        tokens=sequence_length, sequence_length=sequence_length, layers=layers, hidden=hidden, ffn_hidden=ffn_hidden,
        heads=heads, kv_heads=kv_heads, vocabulary=vocabulary, mlp_matrices=mlp_matrices, causal=causal,
    )  # fmt: skip
    return 6 * parameters * sequence_length / (3 * forward)


def exact_length(*, vocabulary: int, layers: int, hidden: int, causal: bool = False) -> float:
    """Sequence length at which 6 FLOP for every parameter, input embedding included, happen to be right.

        6·V·d = 12·L·d·s        the look-up that is counted as work = the scores that are not counted
        s = V / (2·L)           all pairs; twice that with the causal half

    Shorter sequences have fewer FLOP than 6·N, longer ones more. Norms are neglected. The width cancels.

    Units:   every argument is a count; input embedding and output layer are two matrices. Result in tokens.
    Raises:  ValueError if an argument is below 1.
    Source:  Chowdhery et al. 2022, arXiv:2204.02311, appendix B, with the embedding of Narayanan et al. 2021, equation 2.

    >>> round(exact_length(vocabulary=128256, layers=32, hidden=4096))      # Llama-3-8B
    2004
    >>> round(exact_length(vocabulary=128256, layers=126, hidden=16384))    # Llama-3-405B
    509
    """
    require_counts(vocabulary=vocabulary, layers=layers, hidden=hidden)
    embedding = 6 * vocabulary * hidden
    scores_per_position = (6 if causal else 12) * layers * hidden
    return embedding / scores_per_position


def vocabulary_share(
    *, sequence_length: int, layers: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int, vocabulary: int,
    mlp_matrices: int = 3, causal: bool = False,
) -> float:  # fmt: skip
    """Share of a training step's model FLOP that the output layer takes.

        share = output layer / (layers · layer + output layer)

    Units:   every argument is a count. Result as a fraction.
    Raises:  ValueError as the count does.
    Source:  Narayanan et al. 2021, arXiv:2104.04473, appendix (logit layer), counted for any shape.

    >>> small = dict(layers=32, hidden=4096, ffn_hidden=14336, heads=32, kv_heads=8, vocabulary=128256)
    >>> large = dict(layers=126, hidden=16384, ffn_hidden=53248, heads=128, kv_heads=8, vocabulary=128256)
    >>> round(vocabulary_share(sequence_length=8192, **small), 3), round(vocabulary_share(sequence_length=8192, **large), 4)
    (0.054, 0.0048)
    """
    whole = forward_flop(
        tokens=sequence_length, sequence_length=sequence_length, layers=layers, hidden=hidden, ffn_hidden=ffn_hidden,
        heads=heads, kv_heads=kv_heads, vocabulary=vocabulary, mlp_matrices=mlp_matrices, causal=causal,
    )  # fmt: skip
    return output_flop(tokens=sequence_length, hidden=hidden, vocabulary=vocabulary) / whole


def recompute_ratio(
    *, sequence_length: int, layers: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int, vocabulary: int,
    recompute: str, mlp_matrices: int = 3, causal: bool = False,
) -> float:  # fmt: skip
    """Hardware FLOP over model FLOP of a training step, so also HFU over MFU.

        ratio = (3 · forward + recomputed) / (3 · forward)

    Units:   every argument is a count; recompute is "none", "selective" or "full". Result as a ratio of at least 1.
    Raises:  ValueError as step_flop does.
    Source:  Korthikanti et al. 2022, arXiv:2205.05198, section 6.3 and the text of appendix A; its equation 8 adds
             three times as much for "selective".

    >>> gpt_175b = dict(layers=96, hidden=12288, ffn_hidden=49152, heads=96, kv_heads=96, vocabulary=51200, mlp_matrices=2)
    >>> round(recompute_ratio(sequence_length=2048, recompute="selective", **gpt_175b), 4)
    1.009
    """
    step = partial(
        step_flop, tokens=sequence_length, sequence_length=sequence_length, layers=layers, hidden=hidden,
        ffn_hidden=ffn_hidden, heads=heads, kv_heads=kv_heads, vocabulary=vocabulary, mlp_matrices=mlp_matrices,
        causal=causal,
    )  # fmt: skip
    return step(recompute=recompute) / step()


def recomputed_share(*, mfu: float, hfu: float) -> float:
    """Share of the forward pass that a run recomputes, from its two utilisations.

        share = 3 · (HFU/MFU - 1)

    Units:   both as fractions of the peak. Result as a fraction of one forward pass; 1 is full recomputation.
    Raises:  ValueError if a utilisation is not a fraction, or HFU is below MFU.
    Source:  Chowdhery et al. 2022, arXiv:2204.02311, section 4.1 and appendix B, solved for the recomputed part.

    >>> round(recomputed_share(mfu=0.462, hfu=0.578), 2)    # PaLM 540B recomputed about three quarters
    0.75
    """
    require_fraction(mfu=mfu, hfu=hfu)
    if hfu < mfu:
        raise ValueError(f"an HFU of {hfu} cannot be below the MFU of {mfu}")
    return 3 * (hfu / mfu - 1)


def setting_behind_a_count(
    *, model_flop_per_s: float, counted_flop_per_s: float, score_share: float, layer_share: float
) -> str:
    """Which activation checkpointing runs, from the work that the model needs and the work that the GPUs do.

        ratio = counted / model, compared with 1, 1 + scores/3 and 1 + layers/3

    Units:   both rates in FLOP/s of one GPU; score_share and layer_share as fractions of a forward pass. Result is
             "none", "selective" or "full", whichever is nearest.
    Raises:  ValueError if an argument is not positive or a share is not a fraction.
    Source:  Korthikanti et al. 2022, arXiv:2205.05198, section 5; Chowdhery et al. 2022, section 4.1 (HFU and MFU).

    >>> setting_behind_a_count(model_flop_per_s=300e12, counted_flop_per_s=390e12, score_share=0.2, layer_share=0.95)
    'full'
    """
    require_positive(model_flop_per_s=model_flop_per_s, counted_flop_per_s=counted_flop_per_s)
    require_fraction(score_share=score_share, layer_share=layer_share)
    ratio = counted_flop_per_s / model_flop_per_s
    expected = {"none": 1.0, "selective": 1 + score_share / 3, "full": 1 + layer_share / 3}
    return min(expected, key=lambda setting: abs(expected[setting] - ratio))
