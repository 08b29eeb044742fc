"""A plan as TOML of TorchTitan.

Source:  TorchTitan v0.2.2, torchtitan/config/job_config.py, with the schedules that torch.distributed.pipelining knows by name.
Later releases are configured in Python.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from .constants import software
from .pieces import fewer_at_ends, piece_count, uneven_pieces
from .recompute import MODULES
from .shapes import SCHEDULES, Batch, Layout, Model
from .unsupported import beyond_uniform, too_many_pieces

RELEASE = "TorchTitan v0.2.2"
FLAVORS = {  # of torchtitan/models, by the names of models.yaml
    "Llama-3-8B": ("llama3", "8B"),
    "Llama-3-70B": ("llama3", "70B"),
    "Llama-3-405B": ("llama3", "405B"),
    "Qwen3-30B-A3B": ("qwen3", "30B-A3B"),
    "Qwen3-235B-A22B": ("qwen3", "235B-A22B"),
    "DeepSeek-V2": ("deepseek_v3", "236B"),
    "DeepSeek-V3": ("deepseek_v3", "671B"),
}
PIPELINES = {
    "gpipe": "GPipe", "1f1b": "1F1B", "interleaved": "Interleaved1F1B", "zb-v": "ZBVZeroBubble", "dualpipev": "DualPipeV",
}  # fmt: skip
Settings = dict[str, object]


def not_in_torchtitan(model: Model, layout: Layout) -> Iterator[str]:
    """Yield what TorchTitan has no setting for.

    >>> next(not_in_torchtitan(Model("m", 10, 64, 256, 4, 4, 1000), Layout(zero=1)))
    'ZeRO 1, which shards only the optimizer states; plan with ZeRO 2 or 3'
    """
    if layout.pp > 1 and layout.schedule not in PIPELINES:
        yield f"the schedule {layout.schedule_name}; it has {', '.join(SCHEDULES[name] for name in PIPELINES)}"
    yield from too_many_pieces(model, layout)
    yield from beyond_uniform(model)
    if model.mtp_layers:
        yield "multi-token prediction"
    if layout.shard_group % layout.cp:
        yield f"a shard group of {layout.shard_group} ranks; CP {layout.cp} must divide it"
    if model.experts and layout.expert_tp not in (1, layout.tp):
        yield f"experts with TP {layout.expert_tp}; it supports 1 and the TP of the other layers"
    if layout.zero == 0 and layout.dp > 1 and max(layout.tp, layout.cp, layout.pp) > 1:
        yield "replicated weights (ZeRO 0) together with another axis; it shards them: plan with ZeRO 3"
    if layout.zero == 1:
        yield "ZeRO 1, which shards only the optimizer states; plan with ZeRO 2 or 3"
    if layout.tp > 1 and not layout.sequence_parallel:
        yield "tensor parallelism without sequence parallelism"
    if layout.precision in ("fp16", "nvfp4"):
        yield f"{layout.precision}; it has bf16, fp8 and mxfp8"
    if any(module in MODULES for module in layout.recompute.split(",")):
        yield f"recomputing only {layout.recompute}; it has none, single operators, every n-th layer and full"
    if layout.ulysses > 1:
        yield "context parallelism by all-to-alls (Ulysses); it has a ring"
    if layout.offload == "activations":
        yield "offloading activations"
    if layout.state_bytes != 12:
        yield f"{layout.state_bytes} bytes of optimizer states per parameter; it keeps 12"
    if layout.recompute == "partial" and (not layout.recomputed_layers or model.layers % layout.recomputed_layers):
        yield f"recomputing {layout.recomputed_layers} of {model.layers} layers; it recomputes every n-th"


def torchtitan_toml(model: Model, layout: Layout, batch: Batch) -> str:
    """Return the sections of the job configuration.

    >>> torchtitan_toml(Model("m", 10, 64, 256, 4, 4, 1000), Layout(zero=3), Batch(8, 2048)).splitlines()[1]
    '[training]'
    """
    sections: dict[str, Settings] = {
        "model": _model(model, layout),
        "training": {
            "local_batch_size": batch.global_batch // layout.dp if layout.pp > 1 else layout.micro_batch,
            "global_batch_size": batch.global_batch,
            "seq_len": batch.sequence,
            **({"enable_cpu_offload": True} if layout.offload == "optimizer" else {}),
        },
        "parallelism": _parallelism(model, layout),
        "activation_checkpoint": _recompute(model, layout),
        "compile": {"enable": True} if software(layout.software)["kernels"] == "fused" else {},
    }
    if layout.precision == "fp8":
        sections["quantize.linear.float8"] = {"filter_fqns": ["output"]}
    notes = []
    if model.name not in FLAVORS:
        notes.append(f"# TorchTitan has no flavor for {model.name}: register one under [model].")
    if layout.recompute == "selective":
        notes.append(
            "# TorchTitan's flash attention never stores the scores that selective recomputation drops, so mode is none."
        )
    blocks = [
        "\n".join([f"[{name}]", *(f"{key} = {json.dumps(value)}" for key, value in settings.items())])
        for name, settings in sections.items()
        if settings
    ]
    return "\n".join([*notes, "\n\n".join(blocks)]) + "\n"


def _model(model: Model, layout: Layout) -> Settings:
    settings: Settings = {}
    if model.name in FLAVORS:
        settings["name"], settings["flavor"] = FLAVORS[model.name]
    form = {"fp8": "float8", "mxfp8": "mx"}.get(layout.precision)
    if form:
        grouped = [f"quantize.grouped_mm.{form}"] if model.experts else []
        settings["converters"] = [f"quantize.linear.{form}", *grouped]
    return settings


def _parallelism(model: Model, layout: Layout) -> Settings:
    # context-parallel ranks shard as well
    shards = (layout.shard_group // layout.cp or layout.dp) if layout.zero else 1
    is_overlapped = software(layout.software)["overlap"] == "all"
    settings: Settings = {
        "data_parallel_replicate_degree": layout.dp // shards,
        "data_parallel_shard_degree": shards,
        "fsdp_reshard_after_forward": {0: "default", 2: "never", 3: "always"}[layout.zero],
        "tensor_parallel_degree": layout.tp,
        **({"enable_async_tensor_parallel": True} if layout.tp > 1 and is_overlapped else {}),
        "context_parallel_degree": layout.cp,
        "pipeline_parallel_degree": layout.pp,
    }
    if layout.pp > 1:
        settings["pipeline_parallel_schedule"] = PIPELINES[layout.schedule]
        settings["pipeline_parallel_microbatch_size"] = layout.micro_batch
        less = fewer_at_ends(model, layout)
        if less is None:
            pieces = [[f"layers.{layer}" for layer in range(*piece)] for piece in uneven_pieces(model, layout)]
            pieces[0].insert(0, "tok_embeddings")
            pieces[-1] += ["norm", "output"]
            settings["module_fqns_per_model_part"] = pieces
        else:
            settings["pipeline_parallel_layers_per_stage"] = (model.layers + 2 * less) // piece_count(layout)
            settings["pipeline_parallel_first_stage_less_layers"] = less
            settings["pipeline_parallel_last_stage_less_layers"] = less
    if model.experts:
        settings |= {"expert_parallel_degree": layout.ep, "expert_tensor_parallel_degree": layout.expert_tp}
    return settings


def _recompute(model: Model, layout: Layout) -> Settings:
    kinds: Mapping[str, Settings] = {
        "none": {"mode": "none"},
        "selective": {"mode": "none"},
        "operators": {"mode": "selective", "selective_ac_option": "op"},
        "partial": {"mode": "selective", "selective_ac_option": str(model.layers // max(1, layout.recomputed_layers))},
        "full": {"mode": "full"},
    }
    return kinds[layout.recompute]
