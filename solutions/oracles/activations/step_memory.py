"""A training step's memory, played: an allocator with named blocks, through forward pass, loss, backward pass and update."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Allocator:
    """Blocks that are held, and a log of (moment, layer, kind of event, bytes held after it)."""

    blocks: dict[tuple[str, int], float] = field(default_factory=dict)
    log: list[tuple[str, int, dict[str, float]]] = field(default_factory=list)

    def take(self, kind: str, layer: int, size: float, moment: str) -> None:
        if size:
            self.blocks[kind, layer] = size
        self.note(moment, layer)

    def free(self, kind: str, layer: int, moment: str) -> None:
        self.blocks.pop((kind, layer), None)
        self.note(moment, layer)

    def note(self, moment: str, layer: int) -> None:
        held: dict[str, float] = {}
        for (kind, _), size in self.blocks.items():
            held[kind] = held.get(kind, 0.0) + size
        self.log.append((moment, layer, held))


def play_step(
    *, layers: int, kept_layer_bytes: float, layer_gradient_bytes: float, loss_bytes: float,
    recomputed_layer_bytes: float = 0, update_bytes: float = 0, lasting_bytes: float = 0,
) -> Allocator:  # fmt: skip
    """Play one step, and log what is held after every event."""
    memory = Allocator()
    memory.take("states", 0, lasting_bytes, "between")
    for layer in range(1, layers + 1):
        memory.take("activations", layer, kept_layer_bytes, "forward")
    memory.take("logits", layers, loss_bytes, "loss")
    memory.free("logits", layers, "loss over")
    for layer in range(layers, 0, -1):
        moment = {layers: "backward starts", 1: "backward ends"}.get(layer, "backward")
        if layers == 1:
            moment = "backward starts"
        memory.take("recomputed", layer, recomputed_layer_bytes, moment)
        memory.take("gradients", layer, layer_gradient_bytes, moment)
        memory.free("recomputed", layer, moment)
        memory.free("activations", layer, moment)
    memory.take("temporaries of the update", 0, update_bytes, "update")
    memory.free("temporaries of the update", 0, "update")
    for layer in range(1, layers + 1):
        memory.free("gradients", layer, "gradients freed")
    return memory


def moment_bytes(*, moment: str, layers: int, **sizes: float) -> float:
    """The most that the played step holds in one of its moments."""
    log = play_step(layers=layers, **sizes).log
    if moment == "backward ends" and layers == 1:
        moment = "backward starts"
    return max(sum(held.values()) for when, _, held in log if when == moment)


def peak_moment(
    *, layers: int, kept_layer_bytes: float, layer_gradient_bytes: float, loss_bytes: float,
    recomputed_layer_bytes: float = 0, update_bytes: float = 0,
) -> str:  # fmt: skip
    """The moment in which the played step holds most."""
    log = play_step(
        layers=layers, kept_layer_bytes=kept_layer_bytes, layer_gradient_bytes=layer_gradient_bytes,
        loss_bytes=loss_bytes, recomputed_layer_bytes=recomputed_layer_bytes, update_bytes=update_bytes,
    ).log  # fmt: skip
    when, _, _ = max(log, key=lambda entry: sum(entry[2].values()))
    return when
