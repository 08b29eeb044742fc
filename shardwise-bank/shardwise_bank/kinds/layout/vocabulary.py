"""Names of the axes of a layout and of their values, in papers and in Megatron-LM, TorchTitan, NeMo and DeepSpeed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from shardwise_bank.kinds.layout.model import Option, ShownAxis

# Every name may be followed by one of ENDINGS, and its words may be joined in any way.
NAMES: Mapping[str, tuple[str, ...]] = {
    "tp": ("tensor parallel", "tensor parallelism", "tensor model parallel", "tensor", "t"),
    "cp": ("context parallel", "context parallelism", "context", "c"),
    "pp": ("pipeline parallel", "pipeline parallelism", "pipeline model parallel", "pipeline stages", "pipeline", "stages", "p"),
    "dp": ("data parallel", "data parallelism", "data parallel replicate", "dp replicate", "data", "replicas", "d"),
    "ep": ("expert parallel", "expert parallelism", "expert model parallel", "expert", "e"),
    "fsdp": ("data parallel shard", "dp shard", "fully sharded data parallel", "hsdp shard"),
    "zero": ("zero stage", "zero optimization stage", "zero redundancy stage", "zero optimizer stage"),
    "micro_batch": ("micro batch", "mbs", "mb", "train micro batch size per gpu", "local batch", "sequences per micro batch", "b"),
    "virtual_stages": ("virtual stages", "vpp", "vp", "v", "virtual pipeline", "virtual pipeline model parallel", "interleaved stages",
                       "chunks", "model chunks", "virtual pipeline stages", "virtual chunks"),
    "recompute": ("recomputation", "activation recomputation", "activation checkpointing", "activation checkpoint", "checkpointing",
                  "recompute granularity", "ac", "ac mode", "activation checkpoint mode", "recompute activations mode"),
    "schedule": ("pipeline schedule", "pipeline parallel schedule", "pp schedule"),
    "sequence_parallel": ("sequence parallelism", "sp"),
    "precision": ("dtype", "datatype", "data type"),
}  # fmt: skip
ENDINGS = ("", "size", "degree", "world size", "ways", "dim", "group size", "group", "rank")

# Synonyms of a value, if it is one of the options
WORDS: Mapping[str, tuple[str, ...]] = {
    "none": ("no", "off", "false", "null", "without", "never"),
    "off": ("no", "none", "false", "disabled"),
    "on": ("yes", "true", "enabled"),
    "full": ("complete", "whole", "everything"),
    "selective": ("sel", "partial"),
    "bf16": ("bfloat16",),
    "fp8": ("float8",),
}

# Command-line flags that set an axis by their presence
FLAGS: Mapping[str, tuple[str, Option]] = {
    "recompute activations": ("recompute", "selective"),
    "use distributed optimizer": ("zero", 1),
    "use megatron fsdp": ("zero", 3),
}

# Words without meaning
NOISE = (
    "and", "with", "using", "use", "uses", "layout", "my", "the", "a", "answer", "is", "are", "so", "then", "way", "parallelism",
    "parallel", "training", "model", "config", "plan", "dict", "yaml", "json", "toml", "python", "set", "to", "of", "i", "choose", "take",
    "for", "each", "stage", "activation checkpoint", "configuration", "parallelisms", "args", "solution", "would", "pick", "on", "in",
)  # fmt: skip


def spellings(axis: ShownAxis) -> Iterator[str]:
    """Yield every name of an axis, its own first."""
    own = axis.name.replace("_", " ")
    for name in (own, *NAMES.get(axis.name, ()), *axis.also):
        yield name.lower()
        if len(name) > 1:
            yield from (f"{name.lower()} {ending}" for ending in ENDINGS if ending)


def values(axis: ShownAxis) -> Iterator[tuple[str, Option]]:
    """Yield every word for an option of an axis, with that option."""
    words = {option.lower(): option for option in axis.options if isinstance(option, str)}
    for word, option in words.items():
        yield word, option
        yield from ((other, option) for other in WORDS.get(word, ()) if other not in words)
