"""Published models by name: the shapes of models.yaml, and how many parameters a shape has."""

from __future__ import annotations

from typing import Any, TypedDict

from ..facts.arguments import require_counts, require_not_negative
from ..facts.tables import table
from . import layer_parameters, moe


def names() -> tuple[str, ...]:
    """The models that models.yaml has.

    >>> "Llama-3-8B" in names()
    True
    """
    return tuple(_models())


def layers(*, model: str) -> int:
    """How many layers a published model has.

    Raises:  ValueError for a name that models.yaml lacks.
    Source:  named next to the figure in models.yaml.

    >>> layers(model="Llama-3-405B")
    126
    """
    return int(_shape(model)["layers"])


def hidden(*, model: str) -> int:
    """How wide a published model is: the elements of a token's vector between its layers.

    Raises:  ValueError for a name that models.yaml lacks.
    Source:  named next to the figure in models.yaml.

    >>> hidden(model="Llama-3-8B")
    4096
    """
    return int(_shape(model)["hidden"])


def ffn_hidden(*, model: str) -> int:
    """How wide a published model's MLP is inside. In a mixture of experts, that of its dense layers.

    Raises:  ValueError for a name that models.yaml lacks, or a model without dense layers.
    Source:  named next to the figure in models.yaml.

    >>> ffn_hidden(model="Llama-3-8B")
    14336
    """
    return _figure(model, "ffn_hidden", "dense MLP")


def heads(*, model: str) -> int:
    """How many query heads a layer of a published model has.

    Raises:  ValueError for a name that models.yaml lacks.
    Source:  named next to the figure in models.yaml.

    >>> heads(model="Llama-3-70B")
    64
    """
    return int(_shape(model)["heads"])


def kv_heads(*, model: str) -> int:
    """How many key/value heads a layer of a published model has.

    Raises:  ValueError for a name that models.yaml lacks.
    Source:  named next to the figure in models.yaml.

    >>> kv_heads(model="Llama-3-70B"), kv_heads(model="Llama-2-13B")
    (8, 40)
    """
    return int(_shape(model)["kv_heads"])


def vocabulary(*, model: str) -> int:
    """How many tokens the vocabulary of a published model has.

    Raises:  ValueError for a name that models.yaml lacks.
    Source:  named next to the figure in models.yaml.

    >>> vocabulary(model="Llama-3-8B")
    128256
    """
    return int(_shape(model)["vocabulary"])


def mlp_matrices(*, model: str) -> int:
    """How many matrices the MLP of a published model has: three for SwiGLU (gate, up, down), else two (up, down).

    Raises:  ValueError for a name that models.yaml lacks.
    Source:  named next to the figure in models.yaml.

    >>> mlp_matrices(model="Llama-3-8B"), mlp_matrices(model="GPT-3-175B")
    (3, 2)
    """
    return 3 if _shape(model)["mlp"] == "swiglu" else 2


def tied(*, model: str) -> bool:
    """Whether the output layer of a published model is its embedding matrix again.

    Raises:  ValueError for a name that models.yaml lacks.
    Source:  named next to the figure in models.yaml.

    >>> tied(model="GPT-3-175B")
    True
    """
    return bool(_shape(model)["tied"])


def head_dim(*, model: str) -> int:
    """How many elements a head of a published model has. In latent attention, without those that carry the position.

    Raises:  ValueError for a name that models.yaml lacks.
    Source:  named next to the figure in models.yaml.

    >>> head_dim(model="Llama-3-8B"), head_dim(model="Qwen3-30B-A3B")
    (128, 128)
    """
    shape = _shape(model)
    return int(shape.get("head_dim") or shape["hidden"] // shape["heads"])


def has_experts(*, model: str) -> bool:
    """Whether a published model is a mixture of experts.

    Raises:  ValueError for a name that models.yaml lacks.
    Source:  named next to the figure in models.yaml.

    >>> has_experts(model="Mixtral-8x7B"), has_experts(model="Mistral-7B")
    (True, False)
    """
    return "experts" in _shape(model)


def experts(*, model: str) -> int:
    """How many routed experts a layer of a published mixture has.

    Raises:  ValueError for a name that models.yaml lacks, or a model without experts.
    Source:  named next to the figure in models.yaml.

    >>> experts(model="DeepSeek-V3")
    256
    """
    return _figure(model, "experts", "experts")


def experts_per_token(*, model: str) -> int:
    """How many routed experts a token of a published mixture goes to, in each layer with experts.

    Raises:  ValueError for a name that models.yaml lacks, or a model without experts.
    Source:  named next to the figure in models.yaml.

    >>> experts_per_token(model="DeepSeek-V3")
    8
    """
    return _figure(model, "experts_per_token", "experts")


def expert_ffn_hidden(*, model: str) -> int:
    """How wide one expert of a published mixture is inside.

    Raises:  ValueError for a name that models.yaml lacks, or a model without experts.
    Source:  named next to the figure in models.yaml.

    >>> expert_ffn_hidden(model="DeepSeek-V3")
    2048
    """
    return _figure(model, "expert_ffn_hidden", "experts")


def shared_experts(*, model: str) -> int:
    """How many experts of a published mixture take every token, in each layer with experts; each is as wide as a routed one.

    Raises:  ValueError for a name that models.yaml lacks, or a model without experts.
    Source:  named next to the figure in models.yaml.

    >>> shared_experts(model="DeepSeek-V2"), shared_experts(model="Mixtral-8x7B")
    (2, 0)
    """
    return _figure(model, "shared_experts", "experts")


def dense_layers(*, model: str) -> int:
    """How many layers of a published mixture have one MLP for all tokens, and no experts.

    Raises:  ValueError for a name that models.yaml lacks, or a model without experts.
    Source:  named next to the figure in models.yaml.

    >>> dense_layers(model="DeepSeek-V3")
    3
    """
    return _figure(model, "dense_layers", "experts")


def attention_parameters(*, model: str) -> int:
    """How many parameters the attention of one layer of a published model has, without the norm before it.

    Units:   a count.
    Raises:  ValueError for a name that models.yaml lacks.
    Source:  the shape is from the source named in models.yaml; the count is that of solutions/shapes/layer_parameters.py.

    >>> attention_parameters(model="DeepSeek-V3"), attention_parameters(model="Mixtral-8x7B")
    (187107328, 41943040)
    """
    shape = _shape(model)
    if "kv_rank" in shape:
        names = ("hidden", "heads", "head_dim", "rope_head_dim", "query_rank", "kv_rank")
        return layer_parameters.latent_attention_parameters(**{name: int(shape[name]) for name in names})
    return layer_parameters.attention_parameters(
        **{name: int(shape[name]) for name in ("hidden", "heads", "kv_heads")},
        head_dim=head_dim(model=model),
        biases=bool(shape.get("biases")),
        qk_norm=bool(shape.get("qk_norm")),
        sinks=bool(shape.get("sinks")),
    )


def parameters(*, model: str) -> int:
    """How many parameters a published model has, counted from its shape.

    Units:   a count.
    Raises:  ValueError for a name that models.yaml lacks.
    Source:  the shape is from the source named in models.yaml; the count is decoder_parameters', or moe.total_parameters'.

    >>> round(parameters(model="Llama-3-405B") / 1e9, 2), round(parameters(model="DeepSeek-V3") / 1e9, 2)
    (405.85, 671.03)
    """
    shape = _shape(model)
    if "experts" in shape:
        return moe.total_parameters(**mixture_shape(model=model), tied=tied(model=model))
    names = ("layers", "hidden", "ffn_hidden", "heads", "kv_heads", "vocabulary")
    positions = shape["context"] if shape["learned_positions"] else 0
    return decoder_parameters(
        **{name: int(shape[name]) for name in names},
        mlp_matrices=mlp_matrices(model=model),
        tied=tied(model=model),
        biases=bool(shape["biases"]),
        positions=int(positions),
    )


def active_parameters(*, model: str, vocabulary_matrices: int = 2) -> int:
    """How many parameters of a published mixture one token uses, counted from its shape.

    `vocabulary_matrices` says which of embedding and output layer count: both (2), the output layer (1), neither (0).

    Units:   a count.
    Raises:  ValueError for a name that models.yaml lacks, or a model without experts.
    Source:  the shape is from the source named in models.yaml; the count is moe.active_parameters'.

    >>> round(active_parameters(model="Mixtral-8x7B") / 1e9, 2)
    12.88
    """
    routed = experts_per_token(model=model)
    return moe.active_parameters(
        **mixture_shape(model=model), experts_per_token=routed, vocabulary_matrices=vocabulary_matrices
    )


def shape(*, model: str) -> dict[str, int]:
    """Everything that counts in the shape of a published model, under the names that the planner uses; 0 for what it lacks.

    Raises:  ValueError for a name that models.yaml lacks.
    Source:  named next to the figure in models.yaml.

    >>> shape(model="Mixtral-8x7B")["experts"], shape(model="Llama-3-8B")["experts"]
    (8, 0)
    """
    known = _shape(model)
    wanted = ("layers", "hidden", "ffn_hidden", "heads", "kv_heads", "vocabulary", "experts", "experts_per_token",
              "expert_ffn_hidden", "shared_experts", "dense_layers", "query_rank", "kv_rank", "node_limit")  # fmt: skip
    figures = {name: int(known.get(name, 0)) for name in wanted}
    return figures | {
        "head_width": head_dim(model=model),
        "rope_head_width": int(known.get("rope_head_dim", 0)),
        "mlp_matrices": mlp_matrices(model=model),
        "tied": tied(model=model),
        "biases": bool(known["biases"]),
        "positions": int(known["context"]) if known["learned_positions"] else 0,
    }


def decoder_parameters(
    *, layers: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int, vocabulary: int, mlp_matrices: int = 3,
    tied: bool = False, biases: bool = False, positions: int = 0, head_dim: int = 0,
) -> int:  # fmt: skip
    """How many parameters a decoder has, norms and embeddings included.

        layer = 2·d² + 2·d·(d·k/a) + matrices·d·f + norms and biases
        whole = layers · layer + embedding (twice unless tied) + positions · d + last norm

    A LayerNorm has a gain and a bias for each of d elements, an RMSNorm the gain alone; `biases` distinguishes the two,
    since models with biases on their matrices use LayerNorm. Heads are d/a wide unless head_dim says otherwise.

    Shapes:  query and output (d, d); key and value (d, d·k/a); MLP (d, f); embedding (vocabulary, d)
    Units:   every argument is a count; positions is 0 where none are learned. Result is a count.
    Raises:  ValueError if a count is below 1 or positions negative, or heads do not divide the width, or kv_heads the heads.
    Source:  Vaswani et al. 2017, arXiv:1706.03762, section 3; grouped queries: Ainslie et al. 2023, arXiv:2305.13245;
             SwiGLU: Shazeer 2020, arXiv:2002.05202.

    >>> decoder_parameters(layers=32, hidden=4096, ffn_hidden=14336, heads=32, kv_heads=8, vocabulary=128256)
    8030261248
    """
    require_counts(layers=layers, hidden=hidden, ffn_hidden=ffn_hidden, heads=heads, kv_heads=kv_heads)
    require_counts(vocabulary=vocabulary, mlp_matrices=mlp_matrices)
    require_not_negative(positions=positions)
    if (not head_dim and hidden % heads) or heads % kv_heads:
        raise ValueError(f"{heads} heads must divide the width {hidden}, and {kv_heads} KV heads the heads")
    attention = layer_parameters.attention_parameters(
        hidden=hidden, heads=heads, kv_heads=kv_heads, head_dim=head_dim or hidden // heads, biases=biases
    )
    mlp = layer_parameters.mlp_parameters(
        hidden=hidden, ffn_hidden=ffn_hidden, mlp_matrices=mlp_matrices, biases=biases
    )
    norm = 2 * hidden if biases else hidden
    layer = attention + mlp + 2 * norm
    embeddings = vocabulary * hidden * (1 if tied else 2)
    return layers * layer + embeddings + positions * hidden + norm


class MixtureShape(TypedDict):
    """The arguments that moe.total_parameters and moe.active_parameters share."""

    layers: int
    hidden: int
    experts: int
    expert_ffn_hidden: int
    vocabulary: int
    shared_experts: int
    dense_layers: int
    attention_parameters: int
    ffn_hidden: int
    mlp_matrices: int
    biases: bool
    router_bias: bool


def mixture_shape(*, model: str) -> MixtureShape:
    """The shape of a published mixture, as moe.total_parameters takes it by keyword.

    Raises:  ValueError for a name that models.yaml lacks, or a model without experts.
    Source:  named next to the figures in models.yaml.

    >>> mixture_shape(model="DeepSeek-V3")["experts"]
    256
    """
    shape = _shape(model)
    return {
        "layers": layers(model=model),
        "hidden": hidden(model=model),
        "experts": experts(model=model),
        "expert_ffn_hidden": expert_ffn_hidden(model=model),
        "vocabulary": vocabulary(model=model),
        "shared_experts": shared_experts(model=model),
        "dense_layers": dense_layers(model=model),
        "attention_parameters": attention_parameters(model=model),
        "ffn_hidden": int(shape.get("ffn_hidden", 0)),
        "mlp_matrices": mlp_matrices(model=model),
        "biases": bool(shape["biases"]),
        "router_bias": bool(shape.get("router_bias")),
    }


def _figure(model: str, name: str, part: str) -> int:
    if name not in _shape(model):
        raise ValueError(f"{model} has no {part}")
    return int(_shape(model)[name])


def _shape(model: str) -> dict[str, Any]:
    if model not in _models():
        raise ValueError(f"unknown model {model!r}; models.yaml has {', '.join(_models())}")
    return dict(_models()[model])


def _models() -> dict[str, Any]:
    return table("shapes/models.yaml")
