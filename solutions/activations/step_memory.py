"""Memory through one training step on one GPU: how much is held at each moment, and where the peak is."""

from __future__ import annotations

from ..facts.arguments import require_counts, require_not_negative, require_positive

MOMENTS = ("loss", "backward starts", "backward ends", "update")


def moment_bytes(
    *, moment: str, layers: int, kept_layer_bytes: float, layer_gradient_bytes: float, loss_bytes: float,
    recomputed_layer_bytes: float = 0, update_bytes: float = 0, lasting_bytes: float = 0,
) -> float:  # fmt: skip
    """What a GPU holds at one of four moments of a step; one of them is always the fullest.

        loss:             lasting + L·A + loss
        backward starts:  lasting + L·A + R + G
        backward ends:    lasting + A + R + L·G
        update:           lasting + L·G + update

    The forward pass leaves the activations A of every layer, the backward pass of a layer frees them and leaves its
    gradients G. R is what a layer holds while it is recomputed. Logits and their copies are gone when the backward pass
    reaches the last layer. Gradients are freed after the update.

    Units:   bytes, for one layer where the name says so; layers is a count. Result in bytes.
    Raises:  ValueError if the moment is unknown, layers is below 1, or a size is negative or, for a layer, 0.
    Source:  the life of a tensor as in Rajbhandari et al. 2020, arXiv:1910.02054, section 3, and torch.optim's
             zero_grad(set_to_none=True).

    >>> step = {"layers": 32, "kept_layer_bytes": 1.1e9, "layer_gradient_bytes": 0.4e9, "loss_bytes": 10.5e9}
    >>> [round(moment_bytes(moment=moment, **step) / 1e9, 1) for moment in MOMENTS]
    [45.7, 35.6, 13.9, 12.8]
    """
    if moment not in MOMENTS:
        raise ValueError(f"moment must be one of {', '.join(MOMENTS)}, not {moment!r}")
    require_counts(layers=layers)
    require_positive(kept_layer_bytes=kept_layer_bytes, layer_gradient_bytes=layer_gradient_bytes)
    require_not_negative(
        loss_bytes=loss_bytes, recomputed_layer_bytes=recomputed_layer_bytes, update_bytes=update_bytes,
        lasting_bytes=lasting_bytes,
    )  # fmt: skip
    if moment == "loss":
        return lasting_bytes + layers * kept_layer_bytes + loss_bytes
    if moment == "backward starts":
        return lasting_bytes + layers * kept_layer_bytes + recomputed_layer_bytes + layer_gradient_bytes
    if moment == "backward ends":
        return lasting_bytes + kept_layer_bytes + recomputed_layer_bytes + layers * layer_gradient_bytes
    return lasting_bytes + layers * layer_gradient_bytes + update_bytes


def peak_moment(
    *, layers: int, kept_layer_bytes: float, layer_gradient_bytes: float, loss_bytes: float,
    recomputed_layer_bytes: float = 0, update_bytes: float = 0,
) -> str:  # fmt: skip
    """The moment of a step at which most memory is held; of equally full ones the first.

        argmax over the loss, the start and the end of the backward pass, and the update

    Units:   as in moment_bytes. What lasts through the step does not matter.
    Raises:  ValueError as in moment_bytes.
    Source:  as in moment_bytes.

    >>> peak_moment(layers=32, kept_layer_bytes=1.1e9, layer_gradient_bytes=0.4e9, loss_bytes=10.5e9)
    'loss'
    >>> peak_moment(layers=32, kept_layer_bytes=0.07e9, recomputed_layer_bytes=1.1e9, layer_gradient_bytes=0.4e9,
    ...             loss_bytes=1e9, update_bytes=32e9)     # all recomputed, a chunked loss, FP32 temporaries
    'update'
    """
    sizes: dict[str, float] = {
        "kept_layer_bytes": kept_layer_bytes, "layer_gradient_bytes": layer_gradient_bytes, "loss_bytes": loss_bytes,
        "recomputed_layer_bytes": recomputed_layer_bytes, "update_bytes": update_bytes,
    }  # fmt: skip
    return max(MOMENTS, key=lambda moment: moment_bytes(moment=moment, layers=layers, **sizes))
