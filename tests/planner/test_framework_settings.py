"""The settings that `plan --emit` writes: every one exists in the release of the framework, with the words that it accepts."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from itertools import product
from typing import Any

from checkout import ROOT, yaml_data
from solutions.planner import flags as planner_flags
from solutions.planner.judging import Batch, Cluster, Layout, Model, named_model
from solutions.shapes import models

FRAMEWORKS: dict[str, Any] = yaml_data(ROOT / "tests" / "frameworks.yaml")
SHAPE = Model("toy", layers=30, hidden=4096, ffn_hidden=16384, heads=32, kv_heads=8, vocabulary=128256)


def layouts() -> Iterator[Layout]:
    """Yield layouts that together use every kind of setting."""
    for pp, zero, recompute, precision in product(
        (1, 4, 5), (0, 1, 2, 3), ("none", "selective", "full", "partial"), ("bf16", "fp16", "fp8", "mxfp8", "nvfp4")
    ):
        for schedule, chunks in (("1f1b", 1), ("interleaved", 2), ("gpipe", 1), ("zb-v", 1)):
            yield Layout(
                tp=2 if zero else 1, cp=2 if zero else 1, pp=pp, dp=8, zero=zero, micro_batch=2, recompute=recompute, precision=precision,
                schedule=schedule, virtual_stages=chunks if pp > 1 else 1, recomputed_layers=15 if recompute == "partial" else 0,
            )  # fmt: skip


def settings(framework: str) -> Iterator[tuple[Layout, str]]:
    """Yield the layouts that a framework has settings for, with these, and check that every refusal names the framework."""
    for layout in layouts():
        cluster = Cluster("H100-80GB", layout.tp * layout.cp * layout.pp * layout.dp)
        refused = ""
        try:
            text = planner_flags.written(framework, SHAPE, cluster, layout, Batch(256, 4096))
        except ValueError as error:
            refused = str(error)
        if refused:
            assert all(line.startswith(FRAMEWORK_NAMES[framework]) for line in refused.splitlines())
        else:
            yield layout, text


FRAMEWORK_NAMES = {name: release for name, (release, *_) in planner_flags.FRAMEWORKS.items()}


def test_the_releases_are_those_whose_names_are_known() -> None:
    for framework, name in FRAMEWORK_NAMES.items():
        assert FRAMEWORKS[framework]["release"].startswith(name.split()[1])


def test_every_setting_of_torchtitan_exists_in_that_release() -> None:
    known = FRAMEWORKS["torchtitan"]["sections"]
    seen: set[str] = set()
    for layout, text in settings("torchtitan"):
        document = tomllib.loads(text)
        if "quantize" in document:
            document["quantize.linear.float8"] = document.pop("quantize")["linear"]["float8"]
        for section, values in document.items():
            assert set(values) <= set(known[section]), section
            seen |= set(values)
        degrees = document["parallelism"]
        shards = degrees["data_parallel_replicate_degree"] * degrees["data_parallel_shard_degree"]
        assert (
            shards
            * degrees["tensor_parallel_degree"]
            * degrees["context_parallel_degree"]
            * degrees["pipeline_parallel_degree"]
            == layout.tp * layout.cp * layout.pp * layout.dp
        )
        assert degrees["fsdp_reshard_after_forward"] in ("default", "always", "never")
        assert document["activation_checkpoint"]["mode"] in ("none", "selective", "full")
        training = document["training"]
        assert training["global_batch_size"] % (training["local_batch_size"] * shards) == 0
    assert {"converters", "selective_ac_option", "pipeline_parallel_schedule", "filter_fqns"} <= seen


def test_every_flag_of_megatron_exists_in_that_release_with_its_words() -> None:
    known = FRAMEWORKS["megatron"]
    seen: set[str] = set()
    for _, text in settings("megatron"):
        for line in text.splitlines():
            if line.startswith("#"):
                continue
            flag, _, value = line.removeprefix("--").partition(" ")
            seen.add(flag)
            if not value:
                assert flag in known["switches"], line
            elif flag in known["words"]:
                assert value in known["words"][flag], line
            else:
                assert flag in known["values"], line
    assert {
        "fp4-format",
        "recompute-num-layers",
        "num-virtual-stages-per-pipeline-rank",
        "data-parallel-sharding-strategy",
    } <= seen


def test_megatron_gets_the_settings_of_every_model_that_its_shape_does_not_say() -> None:
    known = FRAMEWORKS["megatron"]
    for name in models.names():
        model = named_model(name)
        text = planner_flags.written("megatron", model, Cluster("H100-80GB", 8), Layout(dp=8), Batch(8, 2048))
        assert "Only the shape of this model is known" not in text, name
        lines = [line.removeprefix("--").partition(" ") for line in text.splitlines() if line.startswith("--")]
        for flag, _, value in lines:
            assert flag in known["values"] or value in known["words"].get(
                flag, [""] if flag in known["switches"] else []
            ), (name, flag)
        flags = {flag: value for flag, _, value in lines}
        assert len(flags) == len(lines), f"{name}: a flag is written twice"
        assert ("rotary-base" in flags) == (
            flags.get("position-embedding-type") == "rope"
        ) or "has no setting for" in text, name
        assert flags.get("normalization") == ("RMSNorm" if model.experts or not model.biases else None), name
        assert ("hidden-dropout" in flags) == ("normalization" in flags), (
            "Megatron drops a tenth unless dropout is set to 0"
        )
        assert ("qk-layernorm" in flags) == (bool(model.kv_rank) or name.startswith("Qwen3")), name
