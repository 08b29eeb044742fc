"""An autograd tape: each operation lists the tensors that it saves, and a tensor counts once."""

from __future__ import annotations


def eager_mlp_bytes(*, tokens: int, hidden: int, ffn_hidden: int) -> float:
    """Record the operations on a tape, and add up the bytes of the saved tensors."""
    sizes: dict[str, int] = {}
    tape: set[str] = set()

    def made(name: str, width: int, wide: int, saves: tuple[str, ...]) -> str:
        sizes[name] = tokens * width * wide
        tape.update(saves)
        return name

    made("h", hidden, 2, ())
    x = made("x", hidden, 4, ())  # a cast saves nothing
    made("squares", hidden, 4, (x,))
    made("scaled", hidden, 4, (x,))
    narrow = made("narrow", hidden, 2, ())
    n = made("n", hidden, 2, (narrow,))
    gate = made("gate", ffn_hidden, 2, (n,))
    up = made("up", ffn_hidden, 2, (n,))
    active = made("active", ffn_hidden, 2, (gate,))
    product = made("product", ffn_hidden, 2, (active, up))
    made("down", hidden, 2, (product,))
    return float(sum(sizes[name] for name in tape))
