"""Kinds of layers: how a layer mixes tokens, and its MLP."""

from __future__ import annotations

from dataclasses import dataclass

ATTENTION = {  # mixers with a score for each pair of tokens, and their names in the literature
    "full": "full attention", "window": "sliding-window attention", "chunked": "chunked attention", "latent": "latent attention",
}  # fmt: skip
RECURRENT = {  # mixers with a state of constant size
    "delta": "gated delta rule", "lightning": "lightning attention", "mamba": "Mamba-2",
}  # fmt: skip
MIXERS = (*ATTENTION, *RECURRENT, "none")
MLPS = ("dense", "mixture", "none")


@dataclass(frozen=True)
class Block:
    """The kind of a layer: how it mixes tokens, and its MLP. A hybrid model may have layers with only one of the two.

    `span` is the window of sliding-window attention, or the chunk of chunked attention, in tokens. The other sizes are set
    where a layer differs from its model.
    """

    mixer: str = "full"
    mlp: str = "dense"
    span: int = 0
    heads: int = 0
    kv_heads: int = 0
    head_width: int = 0
    value_width: int = 0
    ffn_hidden: int = 0

    def __post_init__(self) -> None:
        if self.mixer not in MIXERS or self.mlp not in MLPS:
            raise ValueError(f"the mixer is one of {', '.join(MIXERS)}, and the MLP of {', '.join(MLPS)}: not {self}")
        if (self.span > 0) != (self.mixer in ("window", "chunked")):
            raise ValueError(f"a mixer {self.mixer!r} cannot have a span of {self.span} tokens")

    @property
    def is_mixture(self) -> bool:
        """Return whether the MLP is a mixture of experts."""
        return self.mlp == "mixture"

    @property
    def halves(self) -> int:
        """Return the number of halves, mixer and MLP, that the layer has. A norm precedes each."""
        return (self.mixer != "none") + (self.mlp != "none")


@dataclass(frozen=True)
class Recurrence:
    """The heads of a recurrent mixer, as recurrent_parameters takes them. Mamba-2's B and C are keys and queries."""

    key_heads: int
    value_heads: int
    key_width: int
    value_width: int
    convolution: int = 0
    gates: int = 0
    gate_rank: int = 0

    @property
    def keys(self) -> int:
        """Return the number of elements in all keys of a token; queries have as many."""
        return self.key_heads * self.key_width

    @property
    def values(self) -> int:
        """Return the number of elements in all values of a token."""
        return self.value_heads * self.value_width
