"""Published runs as records: chips, models and runs, with None for what a source does not report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Count = Annotated[int, Field(ge=1, le=10**15)]
Positive = Annotated[float, Field(gt=0, lt=1e30)]


class Facts(BaseModel):
    """Values of one entry; an unknown key is a fault."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Chip(Facts):
    """One accelerator as the file names it: dense peaks in TFLOP/s, memory in GB."""

    bf16_or_fp16: Positive
    mem_gb: Positive
    fp8: Positive | None = None
    note: str = ""


class Shape(Facts):
    """One model. None marks a value that was not reported."""

    params_b: Positive | None = None
    active_b: Positive | None = None
    layers: Count | None = None
    hidden: Count | None = None
    heads: Count | None = None
    kv_heads: Count | None = None
    head_dim: Count | None = None
    ffn: Count | None = None
    mlp: Literal["gelu2", "relu2", "sqrelu2", "swiglu3"] | None = None
    vocab: Count | None = None
    tied: bool | None = None
    attention: Literal["mha", "gqa", "mqa", "mla"] | None = None
    parallel_block: bool = False
    window: str = ""
    embedding_norm: bool = False
    positions: str = ""
    experts: Count | None = None
    top_k: Count | None = None
    expert_ffn: Count | None = None
    shared_expert_ffn: Annotated[int, Field(ge=0)] = 0
    moe_layers: Count | None = None
    q_lora: Count | None = None
    kv_lora: Count | None = None
    qk_nope: Count | None = None
    qk_rope: Count | None = None
    v_head: Count | None = None
    origin: str = Field(default="", alias="from")

    @property
    def is_moe(self) -> bool:
        """Return whether some of the layers have experts."""
        return self.experts is not None


class Run(Facts):
    """One run. None marks a value that was not reported."""

    id: str
    family: str = ""
    model: str
    chip: str
    chips: Count
    chips_per_node: Count | None = None
    net: str | None = None
    precision: str | None = None
    seq_len: Count | None = None
    tp: Count | None = None
    cp: Count | None = None
    pp: Count | None = None
    vpp: Count | None = None
    dp: Count | None = None
    ep: Count | None = None
    etp: Count | None = None
    sp: bool | None = None
    sharding: str | None = None
    micro_batch: Count | None = None
    global_batch: Count | None = None
    global_tokens: Count | None = None
    recompute: str | None = None
    schedule: str | None = None
    overlap: str | None = None
    mfu: Annotated[float, Field(gt=0, lt=100)] | None = None
    hfu: Annotated[float, Field(gt=0, lt=100)] | None = None
    tflops: Positive | None = None
    tokens_per_s: Positive | None = None
    step_s: Positive | None = None
    mem_gb: Positive | None = None
    mem_kind: str | None = None
    outcome: Literal["ok", "oom"] | None = None
    params_b: Positive | None = None
    conv: str | None = None
    tflops_conv: str | None = None
    source: str
    trust: Literal["A", "B", "C"]
    secondhand: bool = False
    note: str = ""
    from_arithmetic: Annotated[tuple[str, ...], Field(strict=False)] = ()

    @property
    def sequences(self) -> int | None:
        """Return the global batch size in sequences, from the tokens per step if only those are reported."""
        if self.global_batch is None and self.global_tokens and self.seq_len:
            return round(self.global_tokens / self.seq_len)
        return self.global_batch


@dataclass(frozen=True)
class Runs:
    """The contents of a file of runs."""

    chips: Mapping[str, Chip]
    models: Mapping[str, Shape]
    conventions: Mapping[str, str]
    networks: Mapping[str, str]
    mem_kinds: Mapping[str, str]
    sources: Mapping[str, str]
    rows: tuple[Run, ...]
