"""The model of a run: a decoder's shape, with layers of different kinds, and its parameters."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache

from ..facts.arguments import require_counts
from ..shapes import models
from ..shapes.layer_parameters import (
    attention_parameters,
    latent_attention_parameters,
    mlp_parameters,
    recurrent_parameters,
)
from .blocks import RECURRENT, Block, Recurrence

OWN = ("heads", "kv_heads", "head_width", "value_width", "ffn_hidden")  # sizes that a layer can have of its own


@dataclass(frozen=True)
class Model:
    """The shape of a decoder. `head_width` is hidden/heads unless given; `mlp_matrices` is 3 for SwiGLU, else 2.

    A mixture has `experts` in all but its first `dense_layers`; `query_rank`, `kv_rank` and `rope_head_width` belong to
    latent attention. `biases` marks models until 2022, with LayerNorm and dropout; `positions` counts learned positions.
    `node_limit` is the largest number of nodes to which its router sends a token. `pattern` has a block per layer where layers
    differ in more than that. `gated` attention has an output gate for each element, `sinks` a number for each head.
    `expert_input` is the width of a token inside experts, if not `hidden`. `mtp_layers` predict further tokens, each with a
    layer of its own: `mtp_block`, or else one like the last. `small` counts parameters of biases, gates and norms beyond one
    RMSNorm before each mixer and MLP.
    """

    name: str
    layers: int
    hidden: int
    ffn_hidden: int
    heads: int
    kv_heads: int
    vocabulary: int
    head_width: int = 0
    mlp_matrices: int = 3
    tied: bool = False
    biases: bool = False
    positions: int = 0
    experts: int = 0
    experts_per_token: int = 0
    expert_ffn_hidden: int = 0
    shared_experts: int = 0
    dense_layers: int = 0
    query_rank: int = 0
    kv_rank: int = 0
    rope_head_width: int = 0
    node_limit: int = 0
    value_width: int = 0
    gated: bool = False
    sinks: bool = False
    expert_input: int = 0
    expert_biases: bool = False
    mtp_layers: int = 0
    small: int = 0
    mtp_block: Block | None = None
    recurrence: Recurrence | None = None
    pattern: tuple[Block, ...] = ()

    def __post_init__(self) -> None:
        require_counts(layers=self.layers, hidden=self.hidden, heads=self.heads, kv_heads=self.kv_heads)
        require_counts(vocabulary=self.vocabulary, mlp_matrices=self.mlp_matrices)
        if self.heads % self.kv_heads:
            raise ValueError(f"{self.kv_heads} KV heads must divide the {self.heads} heads")
        if not self.head_width and self.hidden % self.heads:
            raise ValueError(f"{self.heads} heads must divide the hidden size {self.hidden}")
        if self.pattern and len(self.pattern) != self.layers:
            raise ValueError(f"a pattern of {len(self.pattern)} blocks does not describe {self.layers} layers")

    def __hash__(self) -> int:  # kept, because a search looks up the passes of one model thousands of times
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(tuple(getattr(self, part.name) for part in fields(self)))

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Return the kind of each layer, in order."""
        if self.pattern:
            return self.pattern
        mixer = "latent" if self.kv_rank else "full"
        dense = self.dense_layers if self.experts else self.layers
        return (Block(mixer),) * dense + (Block(mixer, "mixture"),) * (self.layers - dense)

    @cached_property
    def kinds(self) -> Counter[Block]:
        """Return the numbers of layers by kind, without those of multi-token prediction. Do not modify it."""
        return Counter(self.blocks)

    def at(self, block: Block) -> Model:
        """Return the model with the heads and the MLP width of one kind of layer."""
        return _at(self, block)

    @property
    def head_dim(self) -> int:
        """Return the head dimension."""
        return self.head_width or self.hidden // self.heads

    @property
    def value_dim(self) -> int:
        """Return the head dimension of values."""
        return self.value_width or self.head_dim

    @property
    def attention_parameters(self) -> int:
        """Return the parameters of one layer's attention, without biases and norms of queries and keys."""
        if self.kv_rank:
            return latent_attention_parameters(
                hidden=self.hidden, heads=self.heads, head_dim=self.head_dim, rope_head_dim=self.rope_head_width,
                query_rank=self.query_rank, kv_rank=self.kv_rank, value_dim=self.value_dim,
            )  # fmt: skip
        equal = attention_parameters(
            hidden=self.hidden, heads=self.heads, kv_heads=self.kv_heads, head_dim=self.head_dim
        )
        narrower = (self.heads + self.kv_heads) * (self.head_dim - self.value_dim)
        return equal + self.hidden * (self.gated * self.heads * self.value_dim - narrower)

    def mixer_parameters(self, block: Block) -> int:
        """Return the parameters of the mixer of one kind of layer."""
        if block.mixer == "none":
            return 0
        if block.mixer not in RECURRENT:
            shape = self.at(block)
            return (shape if block.mixer == "latent" else replace(shape, kv_rank=0)).attention_parameters
        heads = self.heads_of_recurrence
        return recurrent_parameters(
            hidden=self.hidden, key_heads=heads.key_heads, value_heads=heads.value_heads, key_dim=heads.key_width,
            value_dim=heads.value_width, convolution=heads.convolution, gates=heads.gates, gate_rank=heads.gate_rank,
        )  # fmt: skip

    @property
    def heads_of_recurrence(self) -> Recurrence:
        """Return the heads of the recurrent mixers. Raises ValueError for a model without any."""
        if self.recurrence is None:
            raise ValueError(f"{self.name} does not say which heads its recurrent layers have")
        return self.recurrence

    @property
    def mlp_parameters(self) -> int:
        """Return the parameters of one dense MLP, or 0 where every layer has experts."""
        if not self.ffn_hidden:
            return 0
        return mlp_parameters(hidden=self.hidden, ffn_hidden=self.ffn_hidden, mlp_matrices=self.mlp_matrices)

    @property
    def expert_parameters(self) -> int:
        """Return the parameters of one routed expert, or 0."""
        if not self.experts:
            return 0
        width = self.expert_input or self.hidden
        return mlp_parameters(
            hidden=width, ffn_hidden=self.expert_ffn_hidden, mlp_matrices=self.mlp_matrices, biases=self.expert_biases
        )

    @property
    def common_parameters(self) -> int:
        """Return the parameters of a mixture that all tokens use: shared experts, and projections to a narrower width and back."""
        shared = self.shared_experts * self.expert_ffn_hidden
        whole = self.mlp_matrices * self.hidden * shared
        return whole + 2 * self.hidden * self.expert_input

    @property
    def mixture_layers(self) -> int:
        """Return the number of layers with experts."""
        return sum(count for block, count in self.kinds.items() if block.is_mixture)

    def layer_parameters(self, block: Block) -> int:
        """Return the parameters of one layer, with a norm before its mixer and its MLP."""
        mlp = self.at(block).mlp_parameters if block.mlp == "dense" else 0
        if block.is_mixture:
            mlp = self.experts * (self.expert_parameters + self.hidden) + self.common_parameters
        return self.mixer_parameters(block) + mlp + block.halves * self.hidden

    @property
    def parameters(self) -> int:
        """Return the number of all parameters, embeddings and norms included, without those of multi-token prediction."""
        if self.biases and not self.experts:
            return models.decoder_parameters(
                layers=self.layers, hidden=self.hidden, ffn_hidden=self.ffn_hidden, heads=self.heads,
                kv_heads=self.kv_heads, vocabulary=self.vocabulary, mlp_matrices=self.mlp_matrices, tied=self.tied,
                biases=True, positions=self.positions, head_dim=self.head_dim,
            )  # fmt: skip
        whole = sum(count * self.layer_parameters(block) for block, count in self.kinds.items())
        tables = (1 if self.tied else 2) * self.vocabulary + self.positions
        return whole + (tables + 1) * self.hidden + self.small

    @property
    def active_parameters(self) -> int:
        """Return the parameters that one token uses: all but the routed experts that it is not sent to."""
        idle = self.experts - self.experts_per_token
        return self.parameters - self.mixture_layers * idle * self.expert_parameters

    @property
    def mtp_parameters(self) -> int:
        """Return the parameters of multi-token prediction: for each predicted token a layer, three norms, and a matrix that joins two inputs.

        Embedding and output layer are those of the model.
        Source:  DeepSeek-AI 2024, arXiv:2412.19437, section 2.2.
        """
        joined = self.hidden * (2 * self.hidden + 3)
        return self.mtp_layers * (self.layer_parameters(self.mtp_block or self.blocks[-1]) + joined)


@lru_cache(maxsize=1 << 10)
def _at(model: Model, block: Block) -> Model:
    own = {name: value for name in OWN if (value := getattr(block, name))}
    return replace(model, pattern=(), **own) if own else model
