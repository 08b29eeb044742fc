"""FLOP of models with experts and sliding windows: active parameters, and the pairs inside the windows."""

from __future__ import annotations

from ..facts.arguments import require_counts, require_positive, require_whole


def mean_keys(*, sequence_length: int, window: int) -> float:
    """Return the mean number of keys per query, its own included, under a causal mask with a sliding window.

        keys = w - w·(w - 1) / (2·s)        with  w = min(window, s)

    The first w queries see 1, 2, ..., w keys and all others w.

    Units:   counts of tokens. Result is a number of keys.
    Raises:  ValueError if a count is below 1.
    Source:  Beltagy et al. 2020, arXiv:2004.05150, section 3.1 (sliding windows), counted under a causal mask.

    >>> mean_keys(sequence_length=4, window=2), mean_keys(sequence_length=4, window=4)    # 1, 2, 2, 2 and 1, 2, 3, 4
    (1.75, 2.5)
    """
    require_counts(sequence_length=sequence_length, window=window)
    seen = min(window, sequence_length)
    return seen - seen * (seen - 1) / (2 * sequence_length)


def windowed_utilisation(
    *, active_parameters: float, full_layers: int, windowed_layers: int, window: int, attention_width: int, sequence_length: int,
    tokens_per_s_per_gpu: float, peak_flop_per_s: float,
) -> float:  # fmt: skip
    """Return the MFU of a model with experts and some layers with sliding windows.

        MFU = (6·N_active + 12·a·(L_full · keys_full + L_window · keys_window)) · tokens/s / peak

    A pair of a query and a key takes 4 FLOP per channel forward and 8 backward. Masked pairs do not count.

    Units:   parameters that a token passes through, without the input embedding; layers without and with a window;
             attention_width is heads · channels of a head; tokens/s of one GPU. Result as a fraction.
    Raises:  ValueError if a count is below 1, or a rate is not positive.
    Source:  Chowdhery et al. 2022, arXiv:2204.02311, appendix B, with the pairs that a mask leaves; OpenAI 2025,
             arXiv:2508.10925, section 2.2 (alternating windows of 128 tokens).

    >>> gpt_oss = {"active_parameters": 5.13e9, "full_layers": 18, "windowed_layers": 18, "window": 128, "attention_width": 4096}
    >>> round(windowed_utilisation(**gpt_oss, sequence_length=8192, tokens_per_s_per_gpu=7000, peak_flop_per_s=989e12), 3)
    0.244
    """
    require_positive(active_parameters=active_parameters, tokens_per_s_per_gpu=tokens_per_s_per_gpu)
    require_positive(peak_flop_per_s=peak_flop_per_s)
    require_counts(attention_width=attention_width)
    require_whole(full_layers=full_layers, windowed_layers=windowed_layers)
    full_keys = (sequence_length + 1) / 2
    window_keys = mean_keys(sequence_length=sequence_length, window=window)
    keys = full_layers * full_keys + windowed_layers * window_keys
    token_flop = 6 * active_parameters + 12 * attention_width * keys
    return token_flop * tokens_per_s_per_gpu / peak_flop_per_s
