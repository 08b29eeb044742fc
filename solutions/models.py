"""Published models by name: the shapes of models.yaml, and how many parameters a shape has."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from .arguments import require_counts, require_not_negative


def layers(*, model: str) -> int:
    """How many layers a published model has.

    Raises:  ValueError for a name that models.yaml lacks.
    Source:  named beside the figure in models.yaml.

    >>> layers(model="Llama-3-405B")
    126
    """
    return int(_shape(model)["layers"])


def hidden(*, model: str) -> int:
    """How wide a published model is: the elements of a token's vector between its layers.

    Raises:  ValueError for a name that models.yaml lacks.
    Source:  named beside the figure in models.yaml.

    >>> hidden(model="Llama-3-8B")
    4096
    """
    return int(_shape(model)["hidden"])


def ffn_hidden(*, model: str) -> int:
    """How wide a published model's MLP is inside.

    Raises:  ValueError for a name that models.yaml lacks.
    Source:  named beside the figure in models.yaml.

    >>> ffn_hidden(model="Llama-3-8B")
    14336
    """
    return int(_shape(model)["ffn_hidden"])


def heads(*, model: str) -> int:
    """How many query heads a layer of a published model has.

    Raises:  ValueError for a name that models.yaml lacks.
    Source:  named beside the figure in models.yaml.

    >>> heads(model="Llama-3-70B")
    64
    """
    return int(_shape(model)["heads"])


def kv_heads(*, model: str) -> int:
    """How many key/value heads a layer of a published model has.

    Raises:  ValueError for a name that models.yaml lacks.
    Source:  named beside the figure in models.yaml.

    >>> kv_heads(model="Llama-3-70B"), kv_heads(model="Llama-2-13B")
    (8, 40)
    """
    return int(_shape(model)["kv_heads"])


def vocabulary(*, model: str) -> int:
    """How many tokens the vocabulary of a published model has.

    Raises:  ValueError for a name that models.yaml lacks.
    Source:  named beside the figure in models.yaml.

    >>> vocabulary(model="Llama-3-8B")
    128256
    """
    return int(_shape(model)["vocabulary"])


def parameters(*, model: str) -> int:
    """How many parameters a published model has, counted from its shape.

    Units:   a count.
    Raises:  ValueError for a name that models.yaml lacks.
    Source:  the shape is from the source named in models.yaml; the count is decoder_parameters'.

    >>> round(parameters(model="Llama-3-405B") / 1e9, 2)
    405.85
    """
    shape = _shape(model)
    names = ("layers", "hidden", "ffn_hidden", "heads", "kv_heads", "vocabulary")
    positions = shape["context"] if shape["learned_positions"] else 0
    return decoder_parameters(
        **{name: int(shape[name]) for name in names},
        mlp_matrices=3 if shape["mlp"] == "swiglu" else 2,
        tied=bool(shape["tied"]),
        biases=bool(shape["biases"]),
        positions=int(positions),
    )


def decoder_parameters(
    *, layers: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int, vocabulary: int, mlp_matrices: int = 3,
    tied: bool = False, biases: bool = False, positions: int = 0,
) -> int:  # fmt: skip
    """How many parameters a decoder has, norms and embeddings included.

        layer = 2·d² + 2·d·(d·k/a) + matrices·d·f + norms and biases
        whole = layers · layer + embedding (twice unless tied) + positions · d + last norm

    A LayerNorm has a gain and a bias for each of d elements, an RMSNorm the gain alone; `biases` tells the two apart,
    since models with biases on their matrices use LayerNorm.

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
    if hidden % heads or heads % kv_heads:
        raise ValueError(f"{heads} heads must divide the width {hidden}, and {kv_heads} KV heads the heads")
    kv_width = hidden // heads * kv_heads
    matrices = 2 * hidden * hidden + 2 * hidden * kv_width + mlp_matrices * hidden * ffn_hidden
    matrix_biases = 2 * hidden + 2 * kv_width + (mlp_matrices - 1) * ffn_hidden + hidden
    norm = 2 * hidden if biases else hidden
    layer = matrices + 2 * norm + (matrix_biases if biases else 0)
    embeddings = vocabulary * hidden * (1 if tied else 2)
    return layers * layer + embeddings + positions * hidden + norm


def _shape(model: str) -> dict[str, Any]:
    if model not in _models():
        raise ValueError(f"{model!r} is no model of models.yaml, which has {', '.join(_models())}")
    return dict(_models()[model])


@cache
def _models() -> dict[str, Any]:
    text = Path(__file__).with_name("models.yaml").read_text("utf-8")
    return dict(YAML(typ="safe").load(text))
