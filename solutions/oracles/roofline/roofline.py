"""Memory traffic and time, played: tiles are fetched when first touched, and a machine computes while it fetches."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from ..search import smallest

TILES = 4


def ridge_point(*, peak_flop_per_s: float, memory_bytes_per_s: float) -> float:
    """Count the FLOP that fit into the time of one byte."""
    byte_s = 1 / Fraction(memory_bytes_per_s)
    return float(byte_s * Fraction(peak_flop_per_s))


@lru_cache(maxsize=4096)
def roofline_seconds(*, flop: float, moved_bytes: float, peak_flop_per_s: float, memory_bytes_per_s: float) -> float:
    """A machine with two units, both busy from the start: go from event to event until neither has anything left."""
    left = {"compute": Fraction(flop), "memory": Fraction(moved_bytes)}
    rates = {"compute": Fraction(peak_flop_per_s), "memory": Fraction(memory_bytes_per_s)}
    clock = Fraction(0)
    while any(left.values()):
        step = min(left[unit] / rates[unit] for unit in left if left[unit])
        clock += step
        left = {unit: left[unit] - min(left[unit], step * rates[unit]) for unit in left}
    return float(clock)


def attainable_flop_per_s(*, intensity: float, peak_flop_per_s: float, memory_bytes_per_s: float) -> float:
    """Run an operation of that intensity on the machine, and divide its FLOP by its time."""
    moved = 1e9
    seconds = roofline_seconds(
        flop=intensity * moved, moved_bytes=moved, peak_flop_per_s=peak_flop_per_s,
        memory_bytes_per_s=memory_bytes_per_s,
    )  # fmt: skip
    return intensity * moved / seconds


def _cuts(size: int) -> list[int]:
    """A dimension in at most TILES pieces, the last ones perhaps shorter."""
    piece = -(-size // TILES)
    return [min(piece, size - start) for start in range(0, size, piece)]


@lru_cache(maxsize=4096)
def touched_by_a_product(tokens: int, inputs: int, outputs: int) -> tuple[int, dict[str, int]]:
    """Multiply tile by tile: FLOP done, and elements of each matrix that were touched for the first time."""
    flop = 0
    touched: set[tuple[str, int, int]] = set()
    elements = {"activations": 0, "weights": 0, "results": 0}
    for i, rows in enumerate(_cuts(tokens)):
        for j, columns in enumerate(_cuts(outputs)):
            for k, depth in enumerate(_cuts(inputs)):
                flop += 2 * rows * columns * depth
                tiles = {
                    "activations": (i, k, rows * depth),
                    "weights": (k, j, depth * columns),
                    "results": (i, j, rows * columns),
                }
                for matrix, (first, second, size) in tiles.items():
                    if (matrix, first, second) not in touched:
                        touched.add((matrix, first, second))
                        elements[matrix] += size
    return flop, elements


def matmul_intensity(*, tokens: int, inputs: int, outputs: int, bytes_per_element: float = 2) -> float:
    """Multiply tile by tile with a large cache, and divide FLOP by the bytes that were touched."""
    flop, elements = touched_by_a_product(tokens, inputs, outputs)
    return float(flop / (sum(elements.values()) * Fraction(bytes_per_element)))


def compute_bound_tokens(
    *, inputs: int, outputs: int, peak_flop_per_s: float, memory_bytes_per_s: float, bytes_per_weight: float = 2,
    bytes_per_activation: float = 2,
) -> int:  # fmt: skip
    """Add tokens until the machine's memory unit is not the last to finish."""

    def enough(tokens: int) -> bool:
        flop, elements = touched_by_a_product(tokens, inputs, outputs)
        moved = elements["weights"] * Fraction(bytes_per_weight)
        moved += (elements["activations"] + elements["results"]) * Fraction(bytes_per_activation)
        return flop / Fraction(peak_flop_per_s) >= moved / Fraction(memory_bytes_per_s)

    return smallest(enough, largest=10**9)


def fused_attention_intensity(
    *,
    queries: int,
    keys: int,
    heads: int,
    kv_heads: int,
    head_dim: int,
    causal: bool = False,
    bytes_per_element: float = 2,
) -> float:
    """Go through the heads, note which tensors were read already, and count what each head computes."""
    if heads % kv_heads:
        raise ValueError("heads do not share evenly")
    if causal and queries != keys:
        raise ValueError("the mask needs a square")
    half_pairs = sum(2 * row + 1 for row in range(queries)) if causal else 2 * queries * keys
    flop = elements = 0
    read: set[int] = set()
    for head in range(heads):
        elements += 2 * queries * head_dim  # its queries and its output
        group = head * kv_heads // heads
        if group not in read:
            read.add(group)
            elements += 2 * keys * head_dim  # keys and values, once for all heads that share them
        flop += 2 * half_pairs * head_dim
    return float(flop / (elements * Fraction(bytes_per_element)))


def unfused_attention_bytes(
    *, tokens: int, sequence_length: int, heads: int, kv_heads: int, head_dim: int, bytes_per_element: float = 2
) -> float:
    """List the kernels of plain attention with what each reads and writes, sequence by sequence."""
    outer, shared = heads * sequence_length * head_dim, kv_heads * sequence_length * head_dim
    scores = heads * sequence_length * sequence_length
    kernels = [
        ("scores", [outer, shared], [scores]),
        ("softmax", [scores], [scores]),
        ("values", [scores, shared], [outer]),
    ]
    moved = 0
    for _ in range(tokens // sequence_length):
        moved += sum(sum(read) + sum(written) for _, read, written in kernels)
    return float(moved * Fraction(bytes_per_element))


def score_traffic_seconds(
    *,
    tokens: int,
    sequence_length: int,
    layers: int,
    heads: int,
    memory_bytes_per_s: float,
    bytes_per_element: float = 2,
) -> float:
    """Run plain attention in every layer, and take off what the same kernels move when scores have no size."""
    head_dim = 1
    outer = Fraction(bytes_per_element) * tokens * 4 * heads * head_dim
    moved = Fraction(0)
    for _ in range(layers):
        moved += Fraction(
            unfused_attention_bytes(
                tokens=tokens, sequence_length=sequence_length, heads=heads, kv_heads=heads, head_dim=head_dim,
                bytes_per_element=bytes_per_element,
            )
        )  # fmt: skip
        moved -= outer
    return float(moved / Fraction(memory_bytes_per_s))


def elementwise_seconds(
    *, elements: int, tensors_read: int, tensors_written: int, memory_bytes_per_s: float, bytes_per_element: float = 2
) -> float:
    """Pass over the tensors one after the other."""
    passes = [elements] * tensors_read + [elements] * tensors_written
    return float(sum(size * Fraction(bytes_per_element) / Fraction(memory_bytes_per_s) for size in passes))


def adam_step_seconds(
    *, parameters: float, memory_bytes_per_s: float, bytes_per_gradient: float = 4, bytes_per_weight: float = 2
) -> float:
    """List the tensors that an update reads and writes, and pass over each."""
    read = {"gradient": bytes_per_gradient, "master": 4, "mean": 4, "square": 4}
    written = {"master": 4, "mean": 4, "square": 4, "weight": bytes_per_weight}
    moved = sum(Fraction(parameters) * Fraction(width) for width in [*read.values(), *written.values()])
    return float(moved / Fraction(memory_bytes_per_s))


def weight_pass_seconds(
    *,
    parameters: float,
    tokens: int,
    peak_flop_per_s: float,
    memory_bytes_per_s: float,
    bytes_per_weight: float = 2,
    cache_bytes: float = 0,
) -> float:
    """Cut weights and cache into pieces, and run each on the machine: all tokens while the piece is fetched."""
    pieces = 8
    return sum(
        roofline_seconds(
            flop=2 * parameters / pieces * tokens, moved_bytes=(bytes_per_weight * parameters + cache_bytes) / pieces,
            peak_flop_per_s=peak_flop_per_s, memory_bytes_per_s=memory_bytes_per_s,
        )
        for _ in range(pieces)
    )  # fmt: skip


def decode_intensity(
    *, parameters: float, sequences: int, cache_bytes_per_sequence: float = 0, bytes_per_weight: float = 2
) -> float:
    """Fetch the weights once and each sequence's cache, and give each sequence a token's FLOP."""
    flop = moved = Fraction(0)
    moved += Fraction(parameters) * Fraction(bytes_per_weight)
    for _ in range(sequences):
        moved += Fraction(cache_bytes_per_sequence)
        flop += 2 * Fraction(parameters)
    return float(flop / moved)


def bound_by(*, intensity: float, peak_flop_per_s: float, memory_bytes_per_s: float) -> str:
    """See whether the rate that the machine reaches is its peak."""
    rate = attainable_flop_per_s(
        intensity=intensity, peak_flop_per_s=peak_flop_per_s, memory_bytes_per_s=memory_bytes_per_s
    )
    return "compute" if rate >= peak_flop_per_s * (1 - 1e-12) else "memory"
