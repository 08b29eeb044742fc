"""shardwise plan: what it reads, what it prints, and what it refuses."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from shardwise_bank.planning.words import BUCKETS
from solutions.planner.judging import Batch, Cluster, Layout, named_model, plan

from .conftest import Run

LLAMA = ("--model", "llama3-405b", "--cluster", "h100-16384")
SMALL = ("--model", "Llama-3-8B", "--cluster", "h100-64", "--global-batch", "512", "--sequence", "8192", "--software", "megatron-2024")  # fmt: skip


# Mechanisms -----------------------------------------------------------------------------------------------------------


def test_modules_to_recompute_are_a_list_of_words(run: Run) -> None:
    ran = run(*SMALL, "--recompute", "Layer-Norm, mlp", "--json")
    assert json.loads(ran.out)["layout"]["recompute"] == "layernorm,mlp"
    assert "recomputation of layernorm and mlp" in run(*SMALL, "--recompute", "layernorm,mlp").out
    ran = run(*SMALL, "--recompute", "mlp,moe_act")
    assert "--recompute: the layers of Llama-3-8B lack moe_act. Choose from core_attn, layernorm, mlp." in ran.err
    ran = run(*SMALL, "--recompute", "layernom,full")
    assert ran.err.splitlines() == [
        "shardwise: Unknown module to recompute (--recompute) 'layernom'. Did you mean layernorm?",
        "Unknown module to recompute (--recompute) 'full'. Choose from core_attn, layernorm, mla_up_proj, mlp, moe_act, moe, shared_experts.",
    ]


def test_mechanisms_are_options_and_all_faults_are_told(run: Run) -> None:
    ran = run(
        *SMALL, "--cp", "4", "--ulysses", "2", "--offload", "optimizer", "--state-bytes", "8", "--gradient-bytes", "2"
    )
    assert ran.code == 0
    assert "Ulysses 2, optimizer on the host, 8-byte optimizer states" in " ".join(ran.out.split())
    ran = run(*SMALL, "--offload", "cpu", "--state-bytes", "0", "--shard-group", "-1", "--ulysses", "two")
    assert ran.code == 2 and "ulysses" in ran.err
    ran = run(*SMALL, "--offload", "cpu", "--state-bytes", "0", "--shard-group", "-1")
    assert len(ran.err.splitlines()) == 3 and "Choose from none, optimizer, activations." in ran.err


def test_a_search_keeps_what_is_on_the_host_and_shows_shard_groups(run: Run) -> None:
    ran = run(
        *SMALL,
        "--search",
        "--zero",
        "3",
        "--max-tp",
        "1",
        "--max-cp",
        "1",
        "--state-bytes",
        "8",
        "--offload",
        "optimizer",
        "--json",
    )
    layouts = [row["layout"] for row in json.loads(ran.out)["layouts"]]
    assert {(layout["state_bytes"], layout["offload"]) for layout in layouts} == {(8, "optimizer")}
    assert {layout["shard_group"] for layout in layouts} == {0, 8}
    assert "shards" in run(*SMALL, "--search", "--zero", "3").out
    for option in ("--ulysses", "--gradient-bytes"):
        assert f"A search does not try {option}." in run(*SMALL, "--search", option, "2").err


# One layout -----------------------------------------------------------------------------------------------------------


def test_it_prints_what_the_planner_finds(run: Run) -> None:
    ran = run(*SMALL, "--tp", "2", "--tokens", "15T", "--price", "2.5")
    found = plan(named_model("Llama-3-8B"), Cluster("H100-80GB", 64), Layout(tp=2, dp=32), Batch(512, 8192))
    assert ran.code == 0
    assert "Llama-3-8B on 64 H100-80GB" in ran.out
    assert (
        "TP 2 × CP 1 × PP 1 × DP 32, ZeRO 1, micro-batch size 1, 1F1B, no recomputation, BF16; DP = 64 / 2"
        in re.sub(r"\s+", " ", ran.out)
    )
    assert "global batch size 512, sequence length 8,192: 4.19M tokens per step" in ran.out
    low, high = found.memory_range
    assert f"{found.memory_bytes / 1e9:.1f} GB ({low / 1e9:.1f} to {high / 1e9:.1f} GB) of 85.5 GB" in ran.out
    assert f"Fits, {found.headroom_bytes / 1e9:.1f} GB of headroom." in ran.out
    assert re.search(
        rf"^MFU +{100 * found.mfu:.1f}% +\([\d.]+% to [\d.]+%\), HFU {100 * found.hfu:.1f}%", ran.out, re.MULTILINE
    )
    for bucket, size in found.memory.items():
        assert (
            re.search(rf"^{BUCKETS.get(bucket, bucket)} .* GB +\d+%  .*[█▏▎▍▌▋▊▉]", ran.out, re.MULTILINE) is not None
        ) == (size > 0), bucket
    for part, seconds in found.step.items():
        assert (re.search(rf"^{part.replace('_', ' ')} .* s +\d+%", ran.out, re.MULTILINE) is not None) == (
            seconds > 0
        ), part
    assert re.search(r"^days .* \(.* to .*\), for 15T training tokens", ran.out, re.MULTILINE)
    assert re.search(r"^dollars +.* \(.* to .*\), at \$2.5", ran.out, re.MULTILINE)


def test_json_has_the_same_in_base_units(run: Run) -> None:
    ran = run(*SMALL, "--tp", "2", "--tokens", "15T", "--price", "2.5", "--json")
    output = json.loads(ran.out)
    found = plan(named_model("Llama-3-8B"), Cluster("H100-80GB", 64), Layout(tp=2, dp=32), Batch(512, 8192))
    assert (output["runs"], output["fits"], output["faults"]) == (True, True, [])
    assert output["layout"]["dp"] == 32 and output["batch"] == {"global_batch": 512, "sequence": 8192}
    assert output["ranges"]["step_s"] == list(found.step_range) and output["fit"] == found.fit == "yes"
    low, high = output["ranges"]["days"]
    assert low < output["run"]["days"] < high and low / high == pytest.approx(found.step_range[0] / found.step_range[1])
    assert output["memory"] == found.memory and output["step"] == found.step
    assert output["memory_bytes"] == found.memory_bytes and output["mfu"] == found.mfu
    days = 15e12 / (found.tokens_per_s_per_gpu * 64) / 86400
    assert output["run"]["days"] == pytest.approx(days)
    assert output["run"]["dollars"] == pytest.approx(days * 24 * 64 * 2.5)


def test_what_is_assumed_is_said(run: Run) -> None:
    assert "Defaults used: --global-batch 2048 --sequence 8192" in run(*LLAMA, "--tp", "8", "--pp", "16").out
    assert "Defaults" not in run(*SMALL).out


def test_a_layout_that_does_not_fit_is_shown_with_what_is_too_much_and_ends_with_1(run: Run) -> None:
    ran = run(*LLAMA, "--tp", "2", "--pp", "16")
    assert ran.code == 1
    assert re.search(r"✗ Needs [\d,.]+ GB per GPU at peak, but each GPU has", ran.out)
    assert "Does not fit: " in ran.out
    assert re.search(r"^over capacity +[\d ,.]+ [GT]B", ran.out, re.MULTILINE)


def test_all_faults_of_a_layout_are_said_at_once(run: Run) -> None:
    ran = run("--model", "llama-3-8b", "--cluster", "h100-64", "--tp", "2", "--cp", "3", "--dp", "30")
    assert ran.code == 1
    assert "✗ TP 2 × CP 3 × PP 1 × DP 30 = 180 GPUs, but the cluster has 64" in ran.out
    assert "✗ The global batch size of 2,048 is not divisible by" in ran.out
    assert "✗ The sequence length of 8,192 is not divisible into" in ran.out
    assert "Step time" not in ran.out


# Names and numbers ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "cluster"),
    [("LLAMA 3 405B", "H100:16384"), ("llama3_405b", "H100-80GB-16384"), ("LLaMa-3.405b", "16,384 × h100")],
)
def test_names_are_read_whatever_their_case_dots_and_dashes(run: Run, model: str, cluster: str) -> None:
    output = json.loads(run("--model", model, "--cluster", cluster, "--tp", "8", "--pp", "16", "--json").out)
    assert (output["model"]["name"], output["cluster"]["accelerator"], output["cluster"]["gpus"]) == (
        "Llama-3-405B",
        "H100-80GB",
        16384,
    )


def test_the_gpus_of_an_option_count_before_those_of_a_name(run: Run) -> None:
    output = json.loads(
        run("--model", "llama3-8b", "--cluster", "h100-64", "--gpus", "128", "--network", "25 GB/s", "--json").out
    )
    assert (output["cluster"]["gpus"], output["layout"]["dp"], output["cluster"]["network_bytes_per_s"]) == (
        128,
        128,
        25e9,
    )


def test_every_wrong_name_and_number_is_said_with_the_near_ones(run: Run) -> None:
    words = "--model lama3-405 --cluster h1000-16 --tp 0 --zero 4 --recompute ful --tokens many --micro-batch -1"
    ran = run(*words.split())
    assert ran.code == 2 and ran.out == ""
    assert "Unknown model 'lama3-405'. Did you mean Llama-3-405B" in ran.err
    assert "Unknown accelerator 'h1000'. Did you mean H100-80GB" in ran.err
    assert "--tp must be a whole number of at least 1, not 0." in ran.err
    assert "at least 1, not -1." in ran.err
    assert "--zero must be 0, 1, 2 or 3, not 4." in ran.err
    assert "Unknown recompute (--recompute) 'ful'. Did you mean full" in ran.err
    assert "--tokens: " in ran.err
    assert "Traceback" not in ran.err


def test_a_model_and_a_cluster_are_needed(run: Run) -> None:
    ran = run()
    assert ran.code == 2
    assert "Name a model with --model" in ran.err and "Name a cluster with --cluster" in ran.err
    assert (
        "The number of GPUs is missing. Write --cluster h100-1024, or --gpus 1024."
        in run("--model", "llama3-8b", "--cluster", "h100").err
    )


OWN = """
model: {name: mine, layers: 24, hidden: 2048, ffn_hidden: 8192, heads: 16, kv_heads: 16, vocabulary: 50304}
cluster: {accelerator: a100, gpus: 32, gpus_per_node: 4, network_bytes_per_s: 12.5 GB/s}
layout: {tp: 2, recompute: full}
batch: {global_batch: 256, sequence: 2048}
tokens: 300e9
price: 1.5
"""


def test_numbers_of_ones_own_come_from_a_file_and_options_count_before_it(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(OWN.replace("300e9", "300.0e+9"))
    output = json.loads(run("--file", str(file), "--tp", "4", "--json").out)
    assert output["model"]["name"] == "mine" and output["model"]["layers"] == 24
    assert output["cluster"] == {
        **output["cluster"],
        "accelerator": "A100-80GB",
        "gpus": 32,
        "gpus_per_node": 4,
        "network_bytes_per_s": 12.5e9,
    }
    assert (output["layout"]["tp"], output["layout"]["dp"], output["layout"]["recompute"]) == (4, 8, "full")
    assert output["batch"] == {"global_batch": 256, "sequence": 2048}
    assert output["run"]["tokens"] == 300e9 and output["run"]["price"] == 1.5


def test_a_price_between_quotes_is_a_number(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(OWN.replace("300e9", "300.0e+9").replace("price: 1.5", "price: '1.5'"))
    assert json.loads(run("--file", str(file), "--json").out)["run"]["price"] == 1.5
    file.write_text(OWN.replace("300e9", "300.0e+9").replace("price: 1.5", "price: cheap"))
    assert "--price: " in run("--file", str(file)).err


def test_every_fault_of_a_file_is_said(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(
        "model: {layers: 24, hiden: 2048, heads: many, vocabulary: 1}\ncluster: {accelerator: a100, gpus: 0, nodes: 4}\n"
        "layout: {tpp: 2}\nbatch: {sequences: 3}\nspeed: 4\n"
    )
    said = run("--file", str(file)).err
    assert "'speed' is unknown" in said
    assert "model: 'hiden' is unknown. Did you mean hidden?" in said
    assert "model: hidden, ffn_hidden, kv_heads are missing." in said
    assert "model: heads must be a whole number up to 1,000,000,000, not 'many'." in said
    assert "cluster: 'nodes' is unknown" in said
    assert "gpus must be a whole number of at least 1, not 0." in said
    assert "layout: 'tpp' is unknown. Did you mean tp?" in said
    assert "batch: 'sequences' is unknown. Did you mean sequence?" in said
    assert "cannot be read" in run("--file", str(tmp_path / "none.yaml")).err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--global-batch", "0"), "--global-batch must be a whole number of at least 1, not 0."),
        (("--sequence", "10000000000"), "--sequence must be a whole number of at most 1,000,000,000, not 10000000000."),
        (("--network", ""), "--network: I couldn't read “”. I expected a number first."),
        (("--cluster", ""), "Unknown accelerator ''."),
        (("--network", "50"), "--network: I read “50” as a number without a unit"),
        (("--network", "0 GB/s"), "--network must be a positive number of a realistic size, not '0 GB/s'."),
        (("--tokens", "1T", "--price", "nan"), "--price must be a positive number of a realistic size, not nan."),
        (("--cluster", f"h100-{'9' * 5000}"), "gpus must be a whole number of at most 1,000,000,000, not 1000000001."),
        (("--cluster", "h100--5"), "Unknown accelerator"),
    ],
)  # fmt: skip
def test_no_number_that_cannot_be_ends_in_a_traceback(run: Run, words: tuple[str, ...], said: str) -> None:
    ran = run(*SMALL, *words)
    assert ran.code == 2 and said in ran.err


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("hidden: 2048", "hidden: 2049", "model: 16 heads must divide the hidden size 2049."),
        ("kv_heads: 16", "kv_heads: 3", "model: 3 KV heads must divide the 16 heads."),
        ("layers: 24", "layers: 0", "model: layers must be a whole number of at least 1, not 0."),
        ("layers: 24", "layers: .nan", "model: layers must be a whole number up to 1,000,000,000, not nan."),
        ("layers: 24", f"layers: 1{'0' * 400}", "model: layers must be a whole number up to 1,000,000,000, not a number that is far too large."),
        ("layers: 24", "layers: 24, tied: 5", "model: tied must be true or false, not 5."),
        ("recompute: full", "sequence_parallel: 'no'", "--sequence-parallel must be true or false, not 'no'."),
        ("recompute: full", "software: {a: 1}", "--software must be a word, not {'a': 1}."),
        ("recompute: full", "zero: true", "--zero must be 0, 1, 2 or 3, not True."),
        ("recompute: full", "recompute: partial", "recomputed_layers"),
        ("tokens: 300e9", "tokens: .inf", "--tokens must be a positive number of a realistic size, not inf."),
    ],
)  # fmt: skip
def test_no_number_of_a_file_ends_in_a_traceback(run: Run, tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in OWN
    file = tmp_path / "mine.yaml"
    file.write_text(OWN.replace(old, new).replace("300e9", "300.0e+9"))
    ran = run("--file", str(file))
    assert ran.code == 2 and said in ran.err


def test_a_name_of_ones_own_is_printed_as_it_stands(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    for name in ("[/nope]", "[red]mine[/]"):
        file.write_text(OWN.replace("name: mine", f"name: '{name}'").replace("300e9", "300.0e+9"))
        assert f"{name} on 32" in run("--file", str(file)).out
    file.write_text(OWN.replace("name: mine", 'name: "a\nb = 1"').replace("300e9", "300.0e+9"))
    assert "\nb = 1" not in run("--file", str(file), "--emit", "megatron").out


def test_a_file_too_large_to_be_written_by_hand_is_refused_at_once(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("layout:\n" + "".join(f"  a{number}: 1\n" for number in range(200_000)))
    assert "bytes, but the limit is 1,000,000" in run("--file", str(file)).err
    file.write_text("")
    assert "but the file is empty" in run("--file", str(file)).err
    assert "cannot be read" in run("--file", str(tmp_path)).err


# Search ---------------------------------------------------------------------------------------------------------------


def test_a_search_refuses_what_it_does_not_try(run: Run) -> None:
    said = run(*SMALL, *NARROW, "--no-sequence-parallel", "--schedule", "gpipe").err
    assert "A search does not try --no-sequence-parallel" in said and "A search does not try --schedule gpipe" in said


NARROW = ("--search", "--max-tp", "2", "--max-pp", "2", "--max-cp", "1")


def test_a_search_lists_layouts_that_fit_the_quickest_first_and_the_front(run: Run) -> None:
    output = json.loads(run(*SMALL, *NARROW, "--top", "5", "--tokens", "1T", "--json").out)
    steps = [row["step_s"] for row in output["layouts"]]
    assert len(steps) == 5 and steps == sorted(steps) and output["found"] > 5
    assert all(row["fits"] and not row["faults"] and row["run"]["days"] > 0 for row in output["layouts"])
    assert all(
        row["layout"]["tp"] <= 2 and row["layout"]["pp"] <= 2 and row["layout"]["cp"] == 1 for row in output["layouts"]
    )
    front = output["pareto"]
    assert [row["step_s"] for row in front] == sorted(row["step_s"] for row in front)
    assert [row["memory_bytes"] for row in front] == sorted((row["memory_bytes"] for row in front), reverse=True)


def test_what_is_given_of_a_layout_is_kept_and_limits_hold(run: Run) -> None:
    words = (*SMALL, *NARROW, "--pp", "2", "--recompute", "full", "--micro-batch", "2", "--json")
    free = json.loads(run(*words).out)["layouts"]
    assert {(row["layout"]["pp"], row["layout"]["recompute"], row["layout"]["micro_batch"]) for row in free} == {
        (2, "full", 2)
    }
    middle = sorted(row["memory_bytes"] for row in free)[len(free) // 2]
    output = json.loads(run(*words, "--memory", f"{middle / 1e9:.6f} GB").out)["layouts"]
    assert output and all(row["memory_bytes"] <= middle * 1.000001 for row in output)
    best = free[0]["mfu"]
    assert all(
        row["mfu"] >= 0.99 * best for row in json.loads(run(*words, "--min-mfu", f"{99 * best:.6f}%").out)["layouts"]
    )


def test_a_search_that_finds_nothing_says_what_to_allow(run: Run) -> None:
    ran = run(*SMALL, *NARROW, "--memory", "1 GB")
    assert ran.code == 1
    assert "No layout within these limits runs and fits. Raise --max-tp" in ran.out
    assert "--memory: I read “70” as a number without a unit" in run(*SMALL, *NARROW, "--memory", "70").err


def test_the_table_of_a_search_fits_into_80_columns(run: Run) -> None:
    out = run(*SMALL, *NARROW, "--top", "3").out
    rows = [line.rstrip() for line in out.splitlines()]
    assert any(
        re.match(r"^ *TP +PP +DP +chunks +ZeRO +(?:shards +)?MBS +recompute +memory +step +bubble +MFU$", row)
        for row in rows
    )
    assert max(map(len, rows)) <= 100 and max(len(row) for row in rows if row.endswith("%")) <= 80
    assert "Pareto front, memory against MFU: " in out


def test_a_pipe_gets_no_colours(run: Run) -> None:
    assert "\x1b" not in run(*SMALL).out


# Settings for frameworks ----------------------------------------------------------------------------------------------


def test_what_a_framework_lacks_is_refused_in_words(run: Run) -> None:
    ran = run(*LLAMA, "--tp", "8", "--pp", "12", "--schedule", "zb-h1", "--emit", "torchtitan")
    assert ran.code == 2 and ran.out == ""
    assert "has no setting for the schedule ZB-H1; it has GPipe, 1F1B, interleaved 1F1B, ZB-V" in ran.err
    assert "has no setting for ZeRO 1, which shards only the optimizer states" in ran.err
    assert "Unknown framework 'nemo'. Choose megatron or torchtitan." in run(*SMALL, "--emit", "nemo").err


def test_limits_without_a_search_are_not_passed_over(run: Run) -> None:
    one = run("--model", "Llama-3-8B", "--cluster", "h100-512", "--min-mfu", "40%")
    two = run("--model", "Llama-3-8B", "--cluster", "h100-512", "--memory", "70 GB", "--max-tp", "4")
    assert (one.code, one.out) == (two.code, two.out) == (2, "")
    assert one.err == "shardwise: --min-mfu applies only to a search. Add --search, or omit it.\n"
    assert two.err.startswith("shardwise: --max-tp and --memory apply only to a search.")


def test_settings_stand_alone_on_the_output(run: Run) -> None:
    ran = run(*SMALL, "--tp", "2", "--zero", "3", "--emit", "torchtitan")
    assert ran.code == 0
    assert tomllib.loads(ran.out)["model"] == {"name": "llama3", "flavor": "8B"}
    found = run(*SMALL, *NARROW, "--zero", "3", "--emit", "torchtitan")
    assert found.code == 0 and tomllib.loads(found.out)["training"]["global_batch_size"] == 512


def test_signs_that_an_output_lacks_are_no_traceback() -> None:
    words = [sys.executable, "-m", "shardwise", "plan", *SMALL, "--tp", "2"]
    done = subprocess.run(words, capture_output=True, env={**os.environ, "PYTHONIOENCODING": "ascii"}, check=False)
    assert done.returncode == 0 and b"TP 2 ? CP 1" in done.stdout and b"Traceback" not in done.stderr
