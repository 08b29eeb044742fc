"""The model of a run: a decoder's shape, with layers of different kinds."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from typing import Any

from ..facts.arguments import require_counts
from ..shapes import models, moe
from ..shapes.layer_parameters import attention_parameters, latent_attention_parameters, mlp_parameters

ATTENTION = ("full", "window", "chunked", "latent")  # mixers with a score for each pair of tokens
RECURRENT = ("delta", "lightning", "mamba")  # mixers with a state of constant size
MIXERS = (*ATTENTION, *RECURRENT, "none")
MLPS = ("dense", "mixture", "none")
OWN = ("heads", "kv_heads", "head_width", "ffn_hidden")  # sizes that a layer can have of its own


@dataclass(frozen=True)
class Block:
    """The kind of a layer: how it mixes tokens, and its MLP. A hybrid model may have layers with only one of the two.

    `span` is the window of sliding-window attention, or the chunk of chunked attention, in tokens. `heads`, `kv_heads`,
    `head_width` and `ffn_hidden` are set where a layer differs from its model.
    """

    mixer: str = "full"
    mlp: str = "dense"
    span: int = 0
    heads: int = 0
    kv_heads: int = 0
    head_width: int = 0
    ffn_hidden: int = 0

    def __post_init__(self) -> None:
        if self.mixer not in MIXERS or self.mlp not in MLPS:
            raise ValueError(f"a layer mixes by {', '.join(MIXERS)}; its MLP is {', '.join(MLPS)}: not {self}")
        if (self.span > 0) != (self.mixer in ("window", "chunked")):
            raise ValueError(f"{self.mixer} attention cannot have a span of {self.span} tokens")

    @property
    def is_mixture(self) -> bool:
        """Whether the MLP is a mixture of experts."""
        return self.mlp == "mixture"


@dataclass(frozen=True)
class Model:
    """The shape of a decoder. `head_width` is hidden/heads unless given; `mlp_matrices` is 3 for SwiGLU, else 2.

    A mixture has `experts` in all but its first `dense_layers`; `query_rank`, `kv_rank` and `rope_head_width` belong to
    latent attention. `biases` marks models until 2022, with LayerNorm and dropout; `positions` counts learned positions.
    `pattern` has a block per layer where layers differ in more than that.
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
        """The kind of each layer, in order."""
        if self.pattern:
            return self.pattern
        mixer = "latent" if self.kv_rank else "full"
        dense = self.dense_layers if self.experts else self.layers
        return (Block(mixer),) * dense + (Block(mixer, "mixture"),) * (self.layers - dense)

    def at(self, block: Block) -> Model:
        """The model with the heads and the MLP width of one kind of layer."""
        return _at(self, block)

    @property
    def head_dim(self) -> int:
        """Head dimension."""
        return self.head_width or self.hidden // self.heads

    @property
    def attention_parameters(self) -> int:
        """Parameters of one layer's attention."""
        if self.kv_rank:
            return latent_attention_parameters(
                hidden=self.hidden, heads=self.heads, head_dim=self.head_dim, rope_head_dim=self.rope_head_width,
                query_rank=self.query_rank, kv_rank=self.kv_rank,
            )  # fmt: skip
        return attention_parameters(
            hidden=self.hidden, heads=self.heads, kv_heads=self.kv_heads, head_dim=self.head_dim
        )

    @property
    def mlp_parameters(self) -> int:
        """Parameters of one dense MLP, or 0 where every layer has experts."""
        if not self.ffn_hidden:
            return 0
        return mlp_parameters(hidden=self.hidden, ffn_hidden=self.ffn_hidden, mlp_matrices=self.mlp_matrices)

    @property
    def expert_parameters(self) -> int:
        """Parameters of one expert, or 0."""
        if not self.experts:
            return 0
        return mlp_parameters(hidden=self.hidden, ffn_hidden=self.expert_ffn_hidden, mlp_matrices=self.mlp_matrices)

    @property
    def mixture_layers(self) -> int:
        """Layers with experts."""
        return sum(block.is_mixture for block in self.blocks)

    @property
    def parameters(self) -> int:
        """All parameters, embeddings and norms included."""
        if self.experts:
            return moe.total_parameters(
                layers=self.layers, hidden=self.hidden, attention_parameters=self.attention_parameters,
                experts=self.experts, expert_ffn_hidden=self.expert_ffn_hidden, vocabulary=self.vocabulary,
                shared_experts=self.shared_experts, dense_layers=self.dense_layers, ffn_hidden=self.ffn_hidden,
                mlp_matrices=self.mlp_matrices, tied=self.tied,
            )  # fmt: skip
        return models.decoder_parameters(
            layers=self.layers, hidden=self.hidden, ffn_hidden=self.ffn_hidden, heads=self.heads,
            kv_heads=self.kv_heads, vocabulary=self.vocabulary, mlp_matrices=self.mlp_matrices, tied=self.tied,
            biases=self.biases, positions=self.positions, head_dim=self.head_dim,
        )  # fmt: skip

    @property
    def active_parameters(self) -> int:
        """Parameters that one token uses: of the routed experts, only its own."""
        idle = self.experts - self.experts_per_token
        return self.parameters - self.mixture_layers * idle * self.expert_parameters


@lru_cache(maxsize=1 << 10)
def _at(model: Model, block: Block) -> Model:
    own = {name: value for name in OWN if (value := getattr(block, name))}
    return replace(model, pattern=(), **own) if own else model


def named_model(name: str) -> Model:
    """A model of models.yaml by name.

    Raises:  ValueError for a name that models.yaml lacks.

    >>> named_model("Llama-3-8B").layers, named_model("DeepSeek-V3").experts
    (32, 256)
    """
    shape: dict[str, Any] = models.shape(model=name)
    return Model(name=name, tied=bool(shape.pop("tied")), biases=bool(shape.pop("biases")), **shape)
