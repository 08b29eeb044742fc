"""Recomputation by name: words for whole layers, and the modules of a layer that a run can recompute one by one."""

from __future__ import annotations

from functools import lru_cache

from .blocks import ATTENTION, Block

MODULES = ("core_attn", "layernorm", "mla_up_proj", "mlp", "moe_act", "moe", "shared_experts")
RECOMPUTE = ("none", "selective", "operators", "full", "partial", *MODULES)
WHOLE = "layer"  # what full recomputation repeats
_OF_MIXTURES = frozenset(("moe_act", "moe", "shared_experts"))


def require_recompute(word: str) -> None:
    """Check a word or a list of modules.

    Raises:  ValueError that names what is unknown.

    >>> require_recompute("moe_act,layernorm")
    """
    parts = word.split(",")
    unknown = [part for part in parts if part not in (RECOMPUTE if len(parts) == 1 else MODULES)]
    if unknown:
        listed = f"one of {', '.join(RECOMPUTE)}" if len(parts) == 1 else f"a list of {', '.join(MODULES)}"
        raise ValueError(f"recompute must be {listed}, not {', '.join(map(repr, unknown))}")


def recompute_phrase(word: str) -> str:
    """Return a phrase for what a layout recomputes.

    Raises:  ValueError that names what is unknown.

    >>> recompute_phrase("none"), recompute_phrase("full"), recompute_phrase("moe_act,layernorm,mlp")
    ('no recomputation', 'full recomputation', 'recomputation of moe_act, layernorm and mlp')
    """
    require_recompute(word)
    if word == "none":
        return "no recomputation"
    modules = word.split(",")
    if modules[0] not in MODULES:
        return f"{word} recomputation"
    return f"recomputation of {' and '.join(filter(None, (', '.join(modules[:-1]), modules[-1])))}"


@lru_cache(maxsize=1024)
def recomputed_modules(word: str, block: Block) -> frozenset[str]:
    """Return the modules that a layer of a kind recomputes; "layer" is all of it.

    core_attn       scores and softmax            layernorm  both norms       mla_up_proj     up-projections of latent attention
    mlp             a dense MLP                   moe        routed experts with dispatch and combine, and shared experts
    moe_act         activation function of the routed experts                 shared_experts  these alone

    "selective" is core_attn, and in a layer with experts layernorm, moe_act and mla_up_proj.

    Raises:  ValueError that names what is unknown.
    Source:  Megatron-LM, core/transformer/transformer_config.py, recompute_modules; Korthikanti et al. 2022, arXiv:2205.05198,
             section 4.2 (selective); DeepSeek-AI 2024, arXiv:2412.19437, section 3.2.3 (norms and up-projections).

    >>> sorted(recomputed_modules("selective", Block("latent", "mixture")))
    ['layernorm', 'mla_up_proj', 'moe_act']
    >>> [len(recomputed_modules(word, Block())) for word in ("none", "operators", "partial", "core_attn")]
    [0, 0, 0, 1]
    """
    require_recompute(word)
    if word == "full":
        return frozenset((WHOLE,))
    if word == "selective":
        word = "layernorm,moe_act,mla_up_proj" if block.is_mixture else "core_attn"
    elif word in ("none", "operators", "partial"):
        return frozenset()
    missing = {"mlp"} if block.is_mixture else _OF_MIXTURES
    if block.mixer != "latent":
        missing = missing | {"mla_up_proj"}
    if block.mixer not in ATTENTION:
        missing = missing | {"core_attn"}
    return frozenset(word.split(",")) - missing
