"""A plan as the settings of a training framework: flags of Megatron-LM, and TOML of TorchTitan.

It writes only what the plan decides: model, layout and batch. Data, optimizer, losses and checkpoints are up to the user.
Source:  Megatron-LM core_v0.15.0, megatron/training/arguments.py; TorchTitan v0.2.2, torchtitan/config/job_config.py, with the schedules
that torch.distributed.pipelining knows by name. Releases of TorchTitan after that are configured in Python.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from itertools import accumulate, pairwise
from typing import Any

from ..facts.tables import table
from ..layout.layout import layers_per_stage
from .constants import chip, software
from .decoder import ATTENTION, RECURRENT
from .recompute import MODULES
from .shapes import SCHEDULES, V_SHAPED, Batch, Cluster, Layout, Model

MEGATRON, TORCHTITAN = "Megatron-LM core_v0.15.0", "TorchTitan v0.2.2"
FLAVORS = {  # of torchtitan/models, by the names of models.yaml
    "Llama-3-8B": ("llama3", "8B"),
    "Llama-3-70B": ("llama3", "70B"),
    "Llama-3-405B": ("llama3", "405B"),
    "Qwen3-30B-A3B": ("qwen3", "30B-A3B"),
    "Qwen3-235B-A22B": ("qwen3", "235B-A22B"),
    "DeepSeek-V2": ("deepseek_v3", "236B"),
    "DeepSeek-V3": ("deepseek_v3", "671B"),
}
TORCH_SCHEDULES = {
    "gpipe": "GPipe", "1f1b": "1F1B", "interleaved": "Interleaved1F1B", "zb-v": "ZBVZeroBubble", "dualpipev": "DualPipeV",
}  # fmt: skip
Settings = dict[str, object]


def written(framework: str, model: Model, cluster: Cluster, layout: Layout, batch: Batch) -> str:
    """The settings of a plan for a framework, "megatron" or "torchtitan", as text.

    Raises:  ValueError with everything that the framework has no setting for.
    Source:  the two releases above.

    >>> llama = Model("Llama-3-8B", layers=32, hidden=4096, ffn_hidden=14336, heads=32, kv_heads=8, vocabulary=128256)
    >>> text = written("megatron", llama, Cluster("H100-80GB", 64), Layout(tp=2, dp=32), Batch(512, 8192))
    >>> [line for line in text.splitlines() if "parallel-size 2" in line or line == "--sequence-parallel"]
    ['--tensor-model-parallel-size 2', '--sequence-parallel']
    """
    if framework not in ("megatron", "torchtitan"):
        raise ValueError(f"Unknown framework {framework!r}. Choose megatron or torchtitan.")
    is_megatron = framework == "megatron"
    name = MEGATRON if is_megatron else TORCHTITAN
    missing = list((_not_in_megatron if is_megatron else _not_in_torchtitan)(model, layout))
    if chip(cluster.accelerator)["generation"] == "tpu":
        missing.append(f"{cluster.accelerator}; it is for GPUs")
    if missing:
        raise ValueError("\n".join(f"{name} has no setting for {what}" for what in missing))
    head = f"# {name}: {model.name} on {cluster.gpus:,} {cluster.accelerator}"
    return f"{head}\n{_megatron(model, layout, batch) if is_megatron else _torchtitan(model, layout, batch)}"


def _chunks(layout: Layout) -> int:
    """Number of pieces into which the pipeline splits the layers."""
    return layout.pp * (2 if layout.schedule in V_SHAPED else layout.virtual_stages)


def _ends(model: Model, layout: Layout) -> int | None:
    """How many fewer layers the first and the last piece have than the others; None if no such split is even."""
    for less in (0, 1):
        if (model.layers + 2 * less) % _chunks(layout) == 0:
            return less
    return None


def _pieces(model: Model, layout: Layout) -> tuple[tuple[int, int], ...]:
    """The first layer of each piece and the one after its last, when there is no even split."""
    sizes = layers_per_stage(layers=model.layers, stages=_chunks(layout))
    return tuple(pairwise(accumulate(sizes, initial=0)))


def _too_many_pieces(model: Model, layout: Layout) -> Iterator[str]:
    if _chunks(layout) > model.layers and _ends(model, layout) is None:
        yield f"{_chunks(layout)} pieces of {model.layers} layers"


def _beyond_uniform(model: Model) -> Iterator[str]:
    """Properties of a model that these settings cannot say, because they describe one kind of layer, dense or with experts."""
    if model.pattern:
        mixers = dict.fromkeys(block.mixer for block in model.blocks if block.mixer != "none")
        yield f"the layers of {model.name}, which differ ({', '.join((ATTENTION | RECURRENT)[mixer] for mixer in mixers)})"
    if model.gated or model.expert_input or (model.value_width and not model.kv_rank):
        yield f"the output gates, or the widths inside attention and experts, of {model.name}"


# Megatron-LM ---------------------------------------------------------------------------------------------------------


def _not_in_megatron(model: Model, layout: Layout) -> Iterator[str]:
    if layout.pp > 1 and layout.schedule not in ("1f1b", "interleaved"):
        yield f"the schedule {layout.schedule_name}; it has 1F1B and interleaved 1F1B"
    yield from _too_many_pieces(model, layout)
    if "window-size" not in _beyond_shape().get(model.name, {}):
        yield from _beyond_uniform(model)
    if model.experts and layout.tp > 1 and not layout.sequence_parallel:
        yield "tensor parallelism of a mixture without sequence parallelism"
    if layout.recompute == "operators":
        yield "recomputing single operators; it recomputes modules, such as mlp"
    if layout.offload == "activations":
        yield "offloading activations; later releases have --fine-grained-activation-offloading"
    if layout.state_bytes not in (12, 8):
        yield f"{layout.state_bytes} bytes of optimizer states per parameter; it has 12, and 8 with BF16 moments"


def _megatron(model: Model, layout: Layout, batch: Batch) -> str:
    groups: dict[str, Settings] = {
        "layout": _megatron_layout(model, layout),
        "batch": {"micro-batch-size": layout.micro_batch, "global-batch-size": batch.global_batch,
                  "seq-length": batch.sequence, "max-position-embeddings": batch.sequence},
        "model": _megatron_model(model),
    }  # fmt: skip
    lines = []
    if (layout.tp > 1 or layout.cp > 1) and layout.zero < 2:
        lines.append("# Before Blackwell, set CUDA_DEVICE_MAX_CONNECTIONS=1 in the environment.")
    lines += _megatron_notes(model)
    for name, flags in groups.items():
        lines.append(f"# {name}")
        lines += [f"--{flag}{_value(value)}" for flag, value in flags.items() if value]
    return "\n".join(lines) + "\n"


def _value(value: object) -> str:
    """The text after a flag: nothing for a switch, several words for a list."""
    if value is True:
        return ""
    return "".join(f" {shlex.quote(str(word))}" for word in (value if isinstance(value, list) else [value]))


def _megatron_notes(model: Model) -> Iterator[str]:
    """Comments about model properties that the flags do not cover."""
    known = _beyond_shape().get(model.name)
    if known is None:
        yield "# Only the shape of this model is known: rotary positions, norms and router use Megatron-LM's defaults."
    elif "not" in known:
        yield f"# Megatron-LM has no setting for {known['not']}."


def _beyond_shape() -> dict[str, dict[str, Any]]:
    return table("planner/settings.yaml")


def _megatron_layout(model: Model, layout: Layout) -> Settings:
    stack = software(layout.software)
    flags: Settings = {
        "tensor-model-parallel-size": layout.tp,
        "sequence-parallel": layout.sequence_parallel and layout.tp > 1,
        "context-parallel-size": layout.cp,
        "cp-comm-type": {1: 0, layout.cp: "a2a"}.get(layout.ulysses, "a2a+p2p") if layout.cp > 1 else 0,
        "hierarchical-context-parallel-sizes": [layout.ulysses, layout.ring] if 1 < layout.ulysses < layout.cp else 0,
        "pipeline-model-parallel-size": layout.pp,
        "num-virtual-stages-per-pipeline-rank": layout.virtual_stages if layout.virtual_stages > 1 else 0,
        "tp-comm-overlap": layout.tp > 1 and layout.sequence_parallel and stack["overlap"] == "all",
        "grad-reduce-in-bf16": layout.precision != "fp16" and (layout.gradient_bytes or stack["gradient_bytes"]) == 2,
    }
    if _ends(model, layout) is None:
        stages = "|".join("t" * (end - start) for start, end in _pieces(model, layout))
        flags |= {"pipeline-model-parallel-layout": f"E{stages}L", "num-virtual-stages-per-pipeline-rank": 0}
    elif _ends(model, layout) == 1:
        flags |= {"account-for-embedding-in-pipeline-split": True, "account-for-loss-in-pipeline-split": True}
    if model.experts:
        flags |= {"expert-model-parallel-size": layout.ep, "expert-tensor-parallel-size": layout.expert_tp,
                  "moe-token-dispatcher-type": "alltoall", "moe-grouped-gemm": layout.precision != "fp16"}  # fmt: skip
    if layout.zero:
        flags |= {"use-distributed-optimizer": True, "overlap-grad-reduce": True, "overlap-param-gather": True}
    if layout.zero >= 2:
        sharded = "optim_grads" if layout.zero == 2 else "optim_grads_params"
        flags |= {"use-megatron-fsdp": True, "data-parallel-sharding-strategy": sharded, "ckpt-format": "fsdp_dtensor"}
    if layout.offload == "optimizer":
        flags |= {"optimizer-cpu-offload": True, "overlap-cpu-optimizer-d2h-h2d": True}
    if layout.offload == "optimizer" or layout.state_bytes != 12:
        flags["use-precision-aware-optimizer"] = True
    if layout.state_bytes == 8:
        flags |= {"exp-avg-dtype": "bf16", "exp-avg-sq-dtype": "bf16"}
    if stack.get("hides_experts") == "between" and layout.ep > 1:
        flags["overlap-moe-expert-parallel-comm"] = True
    if layout.zero and layout.shard_group:
        flags["num-distributed-optimizer-instances"] = layout.dp * layout.cp // layout.shard_group
    return flags | _megatron_recompute(model, layout) | _megatron_precision(layout)


def _megatron_recompute(model: Model, layout: Layout) -> Settings:
    thin = [
        "layernorm",
        "moe_act",
        *(["mla_up_proj"] if model.kv_rank else []),
    ]  # what the plan recomputes in a mixture's layers
    kinds: Mapping[str, Settings] = {
        "none": {},
        "selective": {"recompute-granularity": "selective", "recompute-modules": thin if model.experts else 0},
        "full": {"recompute-granularity": "full", "recompute-method": "uniform", "recompute-num-layers": 1},
        "partial": {"recompute-granularity": "full", "recompute-method": "block",
                    "recompute-num-layers": -(-layout.recomputed_layers // layout.pp)},
    }  # fmt: skip
    if layout.recompute in kinds:
        return kinds[layout.recompute]
    return {"recompute-granularity": "selective", "recompute-modules": layout.recompute.split(",")}


def _megatron_precision(layout: Layout) -> Settings:
    kinds: Mapping[str, Settings] = {
        "fp16": {"fp16": True},
        "bf16": {"bf16": True},
        "fp8": {"bf16": True, "fp8-format": "hybrid"},
        "mxfp8": {"bf16": True, "fp8-format": "e4m3", "fp8-recipe": "mxfp8"},
        "nvfp4": {"bf16": True, "fp4-format": "e2m1"},
    }
    return kinds[layout.precision]


def _megatron_model(model: Model) -> Settings:
    grouped = model.kv_heads < model.heads and not model.kv_rank
    has_layer_norm = model.biases and not model.experts  # models until 2022, with dropout
    beyond = {flag: value for flag, value in _beyond_shape().get(model.name, {}).items() if flag != "not"}
    flags: Settings = {
        "num-layers": model.layers,
        "hidden-size": model.hidden,
        "ffn-hidden-size": model.ffn_hidden or model.expert_ffn_hidden,
        "num-attention-heads": model.heads,
        "group-query-attention": grouped,
        "num-query-groups": model.kv_heads if grouped else 0,
        "kv-channels": model.head_dim if model.head_dim * model.heads != model.hidden and not model.kv_rank else 0,
        "vocab-size": model.vocabulary,
        "untie-embeddings-and-output-weights": not model.tied,
        "swiglu": model.mlp_matrices == 3 and "quick-geglu" not in beyond,
        "disable-bias-linear": not (model.biases or model.expert_biases),
        "mtp-num-layers": model.mtp_layers,
        "normalization": 0 if has_layer_norm else "RMSNorm",
        "attention-dropout": 0 if has_layer_norm else "0.0",
        "hidden-dropout": 0 if has_layer_norm else "0.0",
        "position-embedding-type": "rope" if not model.positions else 0,
    }
    if model.experts:
        dense = model.dense_layers
        flags |= {
            "num-experts": model.experts,
            "moe-router-topk": model.experts_per_token,
            "moe-ffn-hidden-size": model.expert_ffn_hidden,
            "moe-shared-expert-intermediate-size": model.shared_experts * model.expert_ffn_hidden,
            "moe-layer-freq": f"([0]*{dense}+[1]*{model.layers - dense})" if dense else 0,
        }
    if model.kv_rank:
        flags |= {
            "multi-latent-attention": True,
            "q-lora-rank": model.query_rank,
            "kv-lora-rank": model.kv_rank,
            "qk-head-dim": model.head_dim,
            "qk-pos-emb-head-dim": model.rope_head_width,
            "v-head-dim": model.value_dim,
        }
    return flags | beyond


# TorchTitan ----------------------------------------------------------------------------------------------------------


def _not_in_torchtitan(model: Model, layout: Layout) -> Iterator[str]:
    if layout.pp > 1 and layout.schedule not in TORCH_SCHEDULES:
        yield f"the schedule {layout.schedule_name}; it has {', '.join(SCHEDULES[name] for name in TORCH_SCHEDULES)}"
    yield from _too_many_pieces(model, layout)
    yield from _beyond_uniform(model)
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


def _torchtitan(model: Model, layout: Layout, batch: Batch) -> str:
    sections: dict[str, Settings] = {
        "model": _titan_model(model, layout),
        "training": {
            "local_batch_size": batch.global_batch // layout.dp if layout.pp > 1 else layout.micro_batch,
            "global_batch_size": batch.global_batch,
            "seq_len": batch.sequence,
            **({"enable_cpu_offload": True} if layout.offload == "optimizer" else {}),
        },
        "parallelism": _titan_parallelism(model, layout),
        "activation_checkpoint": _titan_recompute(model, layout),
        "compile": {"enable": True} if software(layout.software)["kernels"] == "fused" else {},
    }
    if layout.precision == "fp8":
        sections["quantize.linear.float8"] = {"filter_fqns": ["output"]}
    notes = (
        [] if model.name in FLAVORS else [f"# TorchTitan has no flavor for {model.name}: register one under [model]."]
    )
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


def _titan_model(model: Model, layout: Layout) -> Settings:
    settings: Settings = {}
    if model.name in FLAVORS:
        settings["name"], settings["flavor"] = FLAVORS[model.name]
    form = {"fp8": "float8", "mxfp8": "mx"}.get(layout.precision)
    if form:
        grouped = [f"quantize.grouped_mm.{form}"] if model.experts else []
        settings["converters"] = [f"quantize.linear.{form}", *grouped]
    return settings


def _titan_parallelism(model: Model, layout: Layout) -> Settings:
    shards = (
        (layout.shard_group // layout.cp or layout.dp) if layout.zero else 1
    )  # context-parallel ranks shard as well
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
        settings["pipeline_parallel_schedule"] = TORCH_SCHEDULES[layout.schedule]
        settings["pipeline_parallel_microbatch_size"] = layout.micro_batch
        less = _ends(model, layout)
        if less is None:
            pieces = [[f"layers.{layer}" for layer in range(*piece)] for piece in _pieces(model, layout)]
            pieces[0].insert(0, "tok_embeddings")
            pieces[-1] += ["norm", "output"]
            settings["module_fqns_per_model_part"] = pieces
        else:
            settings["pipeline_parallel_layers_per_stage"] = (model.layers + 2 * less) // _chunks(layout)
            settings["pipeline_parallel_first_stage_less_layers"] = less
            settings["pipeline_parallel_last_stage_less_layers"] = less
    if model.experts:
        settings |= {"expert_parallel_degree": layout.ep, "expert_tensor_parallel_degree": layout.expert_tp}
    return settings


def _titan_recompute(model: Model, layout: Layout) -> Settings:
    kinds: Mapping[str, Settings] = {
        "none": {"mode": "none"},
        "selective": {"mode": "none"},
        "operators": {"mode": "selective", "selective_ac_option": "op"},
        "partial": {"mode": "selective", "selective_ac_option": str(model.layers // max(1, layout.recomputed_layers))},
        "full": {"mode": "full"},
    }
    return kinds[layout.recompute]
