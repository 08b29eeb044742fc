"""The pieces into which a schedule cuts the layers of a model, and those that the GPUs of a stage hold."""

from __future__ import annotations

from itertools import accumulate, pairwise

from ..layout.layout import layers_per_stage
from .shapes import V_SHAPED, Layout, Model


def piece_count(layout: Layout) -> int:
    """Return the number of pieces into which a schedule cuts the layers.

    >>> piece_count(Layout(pp=4, virtual_stages=2)), [piece_count(Layout(pp=pp, schedule="zb-v")) for pp in (1, 2, 4)]
    (8, [1, 4, 8])
    """
    is_folded = layout.pp > 1 and layout.schedule in V_SHAPED
    return layout.pp * (2 if is_folded else layout.virtual_stages)


def fewer_at_ends(model: Model, layout: Layout) -> int | None:
    """Return how many fewer layers the first and the last piece have than the others; None if no such split is even.

    >>> [fewer_at_ends(Model("m", layers, 64, 256, 4, 4, 1000), Layout(pp=4)) for layers in (8, 10, 9)]
    [0, 1, None]
    >>> fewer_at_ends(Model("m", 10, 64, 256, 4, 4, 1000), Layout(pp=3))
    1
    """
    for less in (0, 1):
        if (model.layers + 2 * less) % piece_count(layout) == 0:
            return less
    return None


def uneven_pieces(model: Model, layout: Layout) -> tuple[tuple[int, int], ...]:
    """Return the first layer of each piece and the one after its last, for layers that cannot be split evenly.

    >>> uneven_pieces(Model("m", 9, 64, 256, 4, 4, 1000), Layout(pp=2))
    ((0, 5), (5, 9))
    """
    sizes = layers_per_stage(layers=model.layers, stages=piece_count(layout))
    return tuple(pairwise(accumulate(sizes, initial=0)))


def held_pieces(layout: Layout, stage: int) -> tuple[tuple[int, int], ...]:
    """Return the pieces of the model that a GPU of a stage holds: each with its number and the number of all pieces.

    A V-shaped schedule folds twice as many pieces as stages, and DualPipe holds a stage of each direction.

    Source:  Qi et al. 2024, arXiv:2405.15362, section 4 (V); DeepSeek-AI 2024, arXiv:2412.19437, section 3.2.1 (DualPipe).

    >>> held_pieces(Layout(pp=4, schedule="dualpipev"), 0), held_pieces(Layout(pp=4, schedule="dualpipe"), 1)
    (((0, 8), (7, 8)), ((1, 4), (2, 4)))
    >>> held_pieces(Layout(pp=1, schedule="dualpipev"), 0)
    ((0, 1),)
    """
    require_stage(layout, stage)
    if layout.pp > 1 and layout.schedule in V_SHAPED:
        return (stage, 2 * layout.pp), (2 * layout.pp - 1 - stage, 2 * layout.pp)
    if directions(layout) == 2:
        return (stage, layout.pp), (layout.pp - 1 - stage, layout.pp)
    return ((stage, layout.pp),)


def directions(layout: Layout) -> int:
    """Return in how many directions micro-batches pass a GPU, each with a stage of its own: 2 in DualPipe.

    >>> [directions(Layout(pp=pp, schedule="dualpipe")) for pp in (1, 2, 4)], directions(Layout(pp=4))
    ([1, 2, 2], 1)
    """
    return 2 if layout.pp > 1 and layout.schedule == "dualpipe" else 1


def holds_output(layout: Layout, stage: int) -> bool:
    """Return whether a GPU of a stage computes the output layer and the loss.

    >>> [holds_output(Layout(pp=2, schedule=schedule), 0) for schedule in ("1f1b", "zb-v")]
    [False, True]
    """
    return any(piece == count - 1 for piece, count in held_pieces(layout, stage))


def require_stage(layout: Layout, stage: int) -> None:
    """Check the number of a stage.

    Raises:  ValueError for a number that the pipeline lacks.

    >>> require_stage(Layout(pp=2), 1)
    """
    if isinstance(stage, bool) or stage not in range(layout.pp):
        raise ValueError(f"stage must be a whole number from 0 to {layout.pp - 1}, not {stage!r}")
