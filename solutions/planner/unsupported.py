"""Properties of a plan that neither Megatron-LM nor TorchTitan has a setting for."""

from __future__ import annotations

from collections.abc import Iterator

from .blocks import ATTENTION, RECURRENT
from .pieces import fewer_at_ends, piece_count
from .shapes import Layout, Model


def too_many_pieces(model: Model, layout: Layout) -> Iterator[str]:
    """Yield a phrase if some pieces of the pipeline would have no layer.

    >>> list(too_many_pieces(Model("m", 10, 64, 256, 4, 4, 1000), Layout(pp=16)))
    ['16 pieces of 10 layers']
    """
    if piece_count(layout) > model.layers and fewer_at_ends(model, layout) is None:
        yield f"{piece_count(layout)} pieces of {model.layers} layers"


def beyond_uniform(model: Model) -> Iterator[str]:
    """Yield what distinguishes a model from one whose layers are alike, or whose dense layers precede those with experts.

    >>> list(beyond_uniform(Model("m", 10, 64, 256, 4, 4, 1000, gated=True)))
    ['the output gates, or the widths inside attention and experts, of m']
    """
    if model.pattern:
        mixers = dict.fromkeys(block.mixer for block in model.blocks if block.mixer != "none")
        yield f"the layers of {model.name}, which differ ({', '.join((ATTENTION | RECURRENT)[mixer] for mixer in mixers)})"
    if model.gated or model.expert_input or (model.value_width and not model.kv_rank):
        yield f"the output gates, or the widths inside attention and experts, of {model.name}"
