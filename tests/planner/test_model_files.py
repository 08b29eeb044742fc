"""Models given as a Hugging Face config.json: on the command line, in a file of parts, and in the form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from checkout import ROOT
from shardwise.bank.discovery import open_banks
from shardwise_bank.planning.desk import PlannerDesk
from shardwise_bank.planning.input_faults import FORM
from shardwise_bank.planning.inputs import asked
from solutions.planner.configurations.cards import carded_model

from .conftest import Run

KEYS = {
    "model_type": "qwen3_moe", "architectures": ["Qwen3MoeForCausalLM"], "hidden_size": 2048, "intermediate_size": 6144,
    "moe_intermediate_size": 768, "num_experts": 128, "num_experts_per_tok": 8, "num_hidden_layers": 48, "num_attention_heads": 32,
    "num_key_value_heads": 4, "head_dim": 128, "vocab_size": 151936, "torch_dtype": "bfloat16", "rope_theta": 1e7,
}  # fmt: skip
GPUS = ("--cluster", "h100-64")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Write a configuration as `huggingface-cli download` does."""
    folder = tmp_path / "Qwen3-30B-A3B"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(KEYS), "utf-8")
    return folder / "config.json"


def test_a_configuration_is_planned_under_the_name_of_its_folder(run: Run, file: Path) -> None:
    for path in (file, file.parent):
        code, out, _ = run(
            *GPUS,
            "--model",
            str(path),
            "--ep",
            "8",
            "--recompute",
            "full",
            "--global-batch",
            "512",
            "--sequence",
            "4096",
        )
        assert code == 0 and out.startswith("Qwen3-30B-A3B on 64 H100-80GB\n30.5 billion parameters, 3.35 active\n")


def test_json_has_the_parameters_and_the_kinds_of_layers(run: Run) -> None:
    _, out, _ = run(*GPUS, "--model", "nemotron-3-nano-30b-a3b", "--json")
    model = json.loads(out)["model"]
    assert model["parameters"] == carded_model("Nemotron-3-Nano-30B-A3B").parameters
    assert model["name"] == "Nemotron-3-Nano-30B-A3B" and model["active_parameters"] < 4e9
    assert [(row["layers"], row["mixer"], row["mlp"]) for row in model["blocks"]] == [
        (23, "mamba", "none"), (23, "none", "mixture"), (6, "full", "none"),
    ]  # fmt: skip
    assert model["recurrence"]["key_width"] == 128


def test_every_fault_of_a_file_is_reported(run: Run, file: Path) -> None:
    file.write_text(json.dumps({**KEYS, "hidden_size": "wide", "vocab_size": None}), "utf-8")
    code, _, err = run(*GPUS, "--model", str(file))
    assert (
        code != 0
        and "hidden_size must be a whole number" in err
        and "vocab_size or padded_vocab_size is missing" in err
    )
    file.write_bytes(b"\xff\xfe\x00")
    assert "it is not text" in run(*GPUS, "--model", str(file))[2]
    assert "Cannot find the file" in run(*GPUS, "--model", "Qwen/Qwen3-8B")[2]
    assert "Unknown model 'qwen9'" in run(*GPUS, "--model", "qwen9")[2]


def test_a_file_of_parts_and_a_form_take_a_path_too(file: Path) -> None:
    given: dict[str, Any] = {"model": str(file), "cluster": "h100-64"}
    wanted = asked({"layout": {}, "batch": {}}, given, wording=FORM)
    assert wanted.model.experts == 128 and wanted.model.name == "Qwen3-30B-A3B"
    start = PlannerDesk(open_banks((str(ROOT),))).opened(str(file), "h100-64", {"ep": 8})["start"]
    assert start["model"] == str(file)
    reply = PlannerDesk(open_banks((str(ROOT),))).reply({"do": "plan", "given": start})
    assert reply["title"] == "Qwen3-30B-A3B on 64 H100-80GB" and reply["model"][0].startswith("30.5 billion parameters")
