"""A plan as flags of Megatron-LM.

Source:  Megatron-LM core_v0.15.0, megatron/training/arguments.py.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from ..facts.tables import table
from .constants import software
from .pieces import fewer_at_ends, uneven_pieces
from .shapes import Batch, Layout, Model
from .unsupported import beyond_uniform, too_many_pieces

RELEASE = "Megatron-LM core_v0.15.0"
Settings = dict[str, object]


def not_in_megatron(model: Model, layout: Layout) -> Iterator[str]:
    """Yield what Megatron-LM has no setting for.

    >>> next(not_in_megatron(Model("m", 10, 64, 256, 4, 4, 1000), Layout(recompute="operators")))
    'recomputing single operators; it recomputes modules, such as mlp'
    """
    if layout.pp > 1 and layout.schedule not in ("1f1b", "interleaved"):
        yield f"the schedule {layout.schedule_name}; it has 1F1B and interleaved 1F1B"
    yield from too_many_pieces(model, layout)
    if "window-size" not in _beyond_shape().get(model.name, {}):
        yield from beyond_uniform(model)
    if model.experts and layout.tp > 1 and not layout.sequence_parallel:
        yield "tensor parallelism of a mixture without sequence parallelism"
    if layout.recompute == "operators":
        yield "recomputing single operators; it recomputes modules, such as mlp"
    if layout.offload == "activations":
        yield "offloading activations; later releases have --fine-grained-activation-offloading"
    if layout.state_bytes not in (12, 8):
        yield f"{layout.state_bytes} bytes of optimizer states per parameter; it has 12, and 8 with BF16 moments"


def megatron_flags(model: Model, layout: Layout, batch: Batch) -> str:
    """Return the flags, one per line.

    >>> megatron_flags(Model("m", 10, 64, 256, 4, 4, 1000), Layout(), Batch(8, 2048)).splitlines()[2]
    '--tensor-model-parallel-size 1'
    """
    groups: dict[str, Settings] = {
        "layout": _layout(model, layout),
        "batch": {"micro-batch-size": layout.micro_batch, "global-batch-size": batch.global_batch,
                  "seq-length": batch.sequence, "max-position-embeddings": batch.sequence},
        "model": _model(model),
    }  # fmt: skip
    lines = []
    if (layout.tp > 1 or layout.cp > 1) and layout.zero < 2:
        lines.append("# Before Blackwell, set CUDA_DEVICE_MAX_CONNECTIONS=1 in the environment.")
    lines += _notes(model)
    for name, flags in groups.items():
        lines.append(f"# {name}")
        lines += [f"--{flag}{_value(value)}" for flag, value in flags.items() if value]
    return "\n".join(lines) + "\n"


def _value(value: object) -> str:
    """Return the text after a flag: nothing for a switch, several words for a list."""
    if value is True:
        return ""
    return "".join(f" {shlex.quote(str(word))}" for word in (value if isinstance(value, list) else [value]))


def _notes(model: Model) -> Iterator[str]:
    """Yield comments about model properties that the flags do not cover."""
    known = _beyond_shape().get(model.name)
    if known is None:
        yield "# Only the shape of this model is known: rotary positions, norms and router use Megatron-LM's defaults."
    elif "not" in known:
        yield f"# Megatron-LM has no setting for {known['not']}."


def _beyond_shape() -> dict[str, dict[str, Any]]:
    return table("planner/settings.yaml")


def _layout(model: Model, layout: Layout) -> Settings:
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
    if fewer_at_ends(model, layout) is None:
        stages = "|".join("t" * (end - start) for start, end in uneven_pieces(model, layout))
        flags |= {"pipeline-model-parallel-layout": f"E{stages}L", "num-virtual-stages-per-pipeline-rank": 0}
    elif fewer_at_ends(model, layout) == 1:
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
    return flags | _recompute(model, layout) | _precision(layout)


def _recompute(model: Model, layout: Layout) -> Settings:
    thin = ["layernorm", "moe_act"] + ["mla_up_proj"] * (model.kv_rank > 0)  # what the plan recomputes in a mixture
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


def _precision(layout: Layout) -> Settings:
    kinds: Mapping[str, Settings] = {
        "fp16": {"fp16": True},
        "bf16": {"bf16": True},
        "fp8": {"bf16": True, "fp8-format": "hybrid"},
        "mxfp8": {"bf16": True, "fp8-format": "e4m3", "fp8-recipe": "mxfp8"},
        "nvfp4": {"bf16": True, "fp4-format": "e2m1"},
    }
    return kinds[layout.precision]


def _model(model: Model) -> Settings:
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
