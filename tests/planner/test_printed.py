"""Reported rates as step times: computed by hand for each convention, and compared on every row that reports both."""

from __future__ import annotations

import pytest

from bench.planner.predictions import Row
from bench.planner.printed import flop_per_token, printed, rates
from bench.planner.runs import Run, Runs
from bench.planner.settings import Unclear

# Figures that disagree within their own row, each for a reason that the row or its source gives.
TOLD = {
    "dgxc-405b-bf16-32": "counted with 128,256 words, run with 50,304; seven layers make the most of it",
    "dgxc-405b-bf16-96": "counted with 128,256 words, run with 50,304",
    "bridge260401-llama3-70b-h100-64-fp8": "tokens/s are rounded to multiples of 16 to 64",
    "bridge260401-llama3-405b-gb200-256-fp8": "tokens/s are rounded to multiples of 16 to 64",
    "internevo-7b-1024-ckpt-4x1": "TFLOP/s and tokens/s of different runs",
    "aa-131866": "the printed share and time do not go together",
}


def row_of(runs: Runs, name: str) -> Run:
    return next(row for row in runs.rows if row.id == name)


@pytest.mark.parametrize(
    ("name", "convention", "flop"),
    [
        # 24 layers · (4 h² + 8 h²) + V h weights, 6 FLOP each, and 12 L h s
        ("mlm-h100-1.7b", "attn-full", 6 * (24 * 12 * 2048**2 + 131072 * 2048) + 12 * 24 * 2048 * 4096),
        # Llama 3 8B: 4096² + 2·4096·1024 + 4096² and 3·4096·14336 a layer
        ("dgxc-8b-bf16-8", "dgxc-full", 6 * (32 * 218103808 + 128256 * 4096) + 12 * 32 * 4096 * 8192),
        ("bridge2511-llama3-8b-h100-8-fp8", "attn-causal-inferred", 6 * (32 * 218103808 + 128256 * 4096) + 6 * 32 * 4096 * 8192),
        ("tt-8b-8-eager-bf16", "attn-full-N-noembed", 6 * (8.03e9 - 128256 * 4096) + 12 * 32 * 4096 * 8192),
        # the row's own count of parameters, which grows with the learned positions
        ("mpt-7b-a100-80-8-s8192", "attn-full-N-all", 6 * 6.684025e9 + 12 * 32 * 4096 * 8192),
        ("sc21-t1-1.7b", "hardware-4x", 96 * 24 * 2304**2 * (1 + 2048 / (6 * 2304) + 51200 / (16 * 24 * 2304))),
        ("korth-22b-selective-sp", "gemm-full", 72 * 48 * 6144**2 * (1 + 2048 / (6 * 6144) + 51200 / (12 * 48 * 6144))),
        ("bloom-20b-8gpu", "hardware-4x-old", 8 * 12 * 8 * 14400**2),
        ("dgxc-nemotron15b-bf16-16", "gqa-as-mha", 72 * 32 * 6144**2 + 12 * 32 * 6144 * 4096 + 6 * 256000 * 6144),
        ("palm-540b", "palm", 6 * 540.35e9 + 12 * 118 * 48 * 256 * 2048),
        # two of eight experts of three matrices, half of the pairs
        ("dgxc-grok1-bf16-512", "dgxc-causal",
         6 * (64 * (2 * 6144**2 + 2 * 6144 * 1024 + 2 * 3 * 6144 * 32768) + 131072 * 6144) + 6 * 64 * 6144 * 8192),
        ("bridge2602-gpt-oss-120b-h100-64-bf16", "gpt-oss-two-matrix",
         6 * (36 * (2880 * 64 * (2 * 64 + 2 * 8) + 4 * 2 * 2880 * 2880) + 201088 * 2880) + 6 * 36 * 64 * 64 * 4096),
        # as the file says: 2.50e11 without and 2.60e11 with the layer for the token after next
        ("bridge2511-deepseek-v3-gb300-256-bf16-nomtp", "attn-causal-inferred", 2.50e11),
        ("bridge2509-deepseek-v3-h100-1024-fp8", "attn-causal-mtp-inferred", 2.60e11),
    ],
)  # fmt: skip
def test_flop_of_a_token_by_hand(runs: Runs, name: str, convention: str, flop: float) -> None:
    row = row_of(runs, name)
    assert row.conv == convention
    assert flop_per_token(convention, row, runs.models[row.model]) == pytest.approx(
        flop, rel=2e-3 if flop in (2.5e11, 2.6e11) else 1e-9
    )


def test_rates_agree_with_the_time_where_a_row_prints_both(runs: Runs, rows: list[Row]) -> None:
    checked, apart = 0, {}
    for row in rows:
        if row.basis not in ("step time", "tokens/s"):
            continue
        tokens_per_s = row.setting.global_batch * row.setting.sequence / row.run.chips / row.step_s
        for figure, convention, rate in rates(row.run, runs):
            if figure != "hfu" and convention in runs.conventions and convention not in ("ibm", "mfu-undefined"):
                checked += 1
                said = tokens_per_s * flop_per_token(convention, row.run, row.shape) / rate - 1
                half_a_per_cent = (
                    0.5 / (row.run.mfu or 50) if figure == "mfu" and float(row.run.mfu).is_integer() else 0
                )
                if abs(said) > 0.0135 + half_a_per_cent:
                    apart[row.run.id] = round(said, 3)
    assert checked > 200
    assert set(apart) == set(TOLD), apart


def test_a_step_time_is_taken_as_printed(runs: Runs) -> None:
    row = row_of(runs, "aa-131868")
    assert printed(row, runs) == printed(row.model_copy(update={"mfu": 20.0}), runs)
    assert (printed(row, runs).step_s, printed(row, runs).basis) == (53.989, "step time")


def test_tokens_per_second_are_those_of_one_chip(runs: Runs) -> None:
    # 16 sequences of 8,192 tokens over 8 GPUs at 5,762 tokens/s each
    assert printed(row_of(runs, "tt-8b-8-eager-bf16"), runs).step_s == pytest.approx(16 * 8192 / 8 / 5762)


def test_a_rate_in_flop_goes_through_its_convention(runs: Runs) -> None:
    # Narayanan 2021, Table 1: 137 TFLOP/s on 32 GPUs, 512 sequences of 2,048
    a_token = 96 * 24 * 2304**2 * (1 + 2048 / (6 * 2304) + 51200 / (16 * 24 * 2304))
    found = printed(row_of(runs, "sc21-t1-1.7b"), runs)
    assert found.step_s == pytest.approx(512 * 2048 / 32 * a_token / 137e12)
    assert found.basis == "tflops, hardware-4x"


def test_tokens_are_preferred_where_the_batch_is_only_inferred(runs: Runs) -> None:
    row = row_of(runs, "v6e-llama2-70b")
    assert printed(row, runs).basis == "tokens/s"


@pytest.mark.parametrize(
    "name", ["opt-175b", "levanter-13b", "bloom-181b-tp8-pp1-dp48-oom", "internevo-mem-7b-4-tp4-pp1"]
)
def test_nothing_is_made_up_where_nothing_leads_to_a_time(runs: Runs, name: str) -> None:
    with pytest.raises(Unclear):
        printed(row_of(runs, name), runs)
