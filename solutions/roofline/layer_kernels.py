"""One decoder layer as the sequence of kernels that a GPU runs, each with its FLOP and its memory traffic."""

from __future__ import annotations

from dataclasses import dataclass

from ..facts.arguments import require_counts, require_fraction
from .flops import score_flop
from .roofline import bound_by, fused_attention_intensity, matmul_intensity, roofline_seconds

BF16_BYTES = 2
NORM_FLOP = 4  # a square, an addition, and two multiplications for each element of an RMSNorm
GATE_FLOP = 5  # SiLU and a multiplication: about five operations for each element
ADD_FLOP = 1


@dataclass(frozen=True)
class Kernel:
    """A kernel of a layer: what it computes, and the bytes that it reads and writes in the GPU's memory."""

    name: str
    flop: float
    moved_bytes: float

    @property
    def intensity(self) -> float:
        """FLOP per byte."""
        return self.flop / self.moved_bytes


def layer_kernels(
    *, tokens: int, sequence_length: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int, tp: int = 1
) -> tuple[Kernel, ...]:
    """The kernels of a layer's forward pass on one GPU, in BF16, with fused attention that computes all pairs.

        matrix product   2·t·k·n FLOP,  2·(t·k + k·n + t·n) bytes
        attention        4·t·s·d FLOP,  2·(2·t·d + 2·t·d·k/a) bytes
        RMSNorm          4 FLOP and 4 bytes per element of t·d
        SwiGLU product   5 FLOP and 6 bytes per element of t·f
        residual sum     1 FLOP and 6 bytes per element of t·d

    Tensor parallelism gives a GPU 1/tp of the heads and of the MLP, and the whole width at both ends; norms and sums are
    taken as unsplit.

    Units:   tokens on this GPU; every argument is a count. Result: kernels in the order in which they run.
    Raises:  ValueError if an argument is below 1, heads do not divide, or tp does not divide the KV heads.
    Source:  Williams, Waterman & Patterson 2009 (traffic of a kernel); Narayanan et al. 2021, arXiv:2104.04473, section 2.3
             (the cut); Dao et al. 2022, arXiv:2205.14135 (fused attention); FLOP of the small kernels are ours.

    >>> kernels = layer_kernels(tokens=8192, sequence_length=8192, hidden=4096, ffn_hidden=14336, heads=32, kv_heads=8)
    >>> [(kernel.name, round(kernel.intensity)) for kernel in kernels[:4]]
    [('first norm', 1), ('queries', 1638), ('keys', 745), ('values', 745)]
    """
    require_counts(tokens=tokens, sequence_length=sequence_length, hidden=hidden, ffn_hidden=ffn_hidden)
    require_counts(heads=heads, kv_heads=kv_heads, tp=tp)
    if hidden % heads or heads % kv_heads or kv_heads % tp:
        raise ValueError(f"{heads} heads must divide {hidden}, {kv_heads} KV heads the heads, and tp {tp} the KV heads")
    width = hidden // tp
    kv_width = hidden // heads * kv_heads // tp
    inner = ffn_hidden // tp

    def product(name: str, inputs: int, outputs: int) -> Kernel:
        flop = 2 * tokens * inputs * outputs
        return Kernel(name, flop, flop / matmul_intensity(tokens=tokens, inputs=inputs, outputs=outputs))

    def elementwise(name: str, size: int, flop: int, passes: int) -> Kernel:
        return Kernel(name, flop * tokens * size, passes * BF16_BYTES * tokens * size)

    scores = score_flop(tokens=tokens, sequence_length=sequence_length, hidden=width)
    intensity = fused_attention_intensity(
        queries=sequence_length, keys=sequence_length, heads=heads // tp, kv_heads=kv_heads // tp,
        head_dim=hidden // heads,
    )  # fmt: skip
    return (
        elementwise("first norm", hidden, NORM_FLOP, 2),
        product("queries", hidden, width),
        product("keys", hidden, kv_width),
        product("values", hidden, kv_width),
        Kernel("attention", scores, scores / intensity),
        product("output projection", width, hidden),
        elementwise("first residual sum", hidden, ADD_FLOP, 3),
        elementwise("second norm", hidden, NORM_FLOP, 2),
        product("gate", hidden, inner),
        product("up", hidden, inner),
        elementwise("SwiGLU product", inner, GATE_FLOP, 3),
        product("down", inner, hidden),
        elementwise("second residual sum", hidden, ADD_FLOP, 3),
    )


def layer_seconds(
    *, tokens: int, sequence_length: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int,
    peak_flop_per_s: float, memory_bytes_per_s: float, tp: int = 1, matmul_efficiency: float = 1.0,
) -> float:  # fmt: skip
    """Least time of a layer's forward pass on one GPU, when its kernels run one after another.

        seconds = Σ max(FLOP / (efficiency · peak), bytes / bandwidth)

    Units:   FLOP/s and bytes/s of one GPU; matmul_efficiency is what kernels reach of the peak. Result in seconds.
    Raises:  ValueError as layer_kernels, or if a rate is not positive.
    Source:  Williams, Waterman & Patterson 2009, doi:10.1145/1498765.1498785, applied to each kernel.

    >>> run = layer_seconds(tokens=8192, sequence_length=8192, hidden=4096, ffn_hidden=14336, heads=32, kv_heads=8,
    ...                     peak_flop_per_s=989e12, memory_bytes_per_s=3.35e12)
    >>> round(run * 1e3, 2)    # ms, of which the FLOP at the peak are 4.72
    5.14
    """
    require_fraction(matmul_efficiency=matmul_efficiency)
    kernels = layer_kernels(
        tokens=tokens, sequence_length=sequence_length, hidden=hidden, ffn_hidden=ffn_hidden, heads=heads,
        kv_heads=kv_heads, tp=tp,
    )  # fmt: skip
    return sum(
        roofline_seconds(
            flop=kernel.flop, moved_bytes=kernel.moved_bytes, peak_flop_per_s=matmul_efficiency * peak_flop_per_s,
            memory_bytes_per_s=memory_bytes_per_s,
        )
        for kernel in kernels
    )  # fmt: skip


def memory_bound_share(
    *, tokens: int, sequence_length: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int,
    peak_flop_per_s: float, memory_bytes_per_s: float, tp: int = 1,
) -> float:  # fmt: skip
    """Share of a layer's forward time that kernels take which wait for memory.

    Units:   FLOP/s and bytes/s of one GPU. Result as a fraction of layer_seconds.
    Raises:  ValueError as layer_kernels, or if a rate is not positive.
    Source:  Williams, Waterman & Patterson 2009, doi:10.1145/1498765.1498785, applied to each kernel.

    >>> share = memory_bound_share(tokens=8192, sequence_length=8192, hidden=4096, ffn_hidden=14336, heads=32, kv_heads=8,
    ...                            peak_flop_per_s=989e12, memory_bytes_per_s=3.35e12)
    >>> round(share, 3)
    0.08
    """
    chip = {"peak_flop_per_s": peak_flop_per_s, "memory_bytes_per_s": memory_bytes_per_s}
    waiting = whole = 0.0
    for kernel in layer_kernels(
        tokens=tokens, sequence_length=sequence_length, hidden=hidden, ffn_hidden=ffn_hidden, heads=heads,
        kv_heads=kv_heads, tp=tp,
    ):  # fmt: skip
        seconds = roofline_seconds(flop=kernel.flop, moved_bytes=kernel.moved_bytes, **chip)
        whole += seconds
        waiting += seconds * (bound_by(intensity=kernel.intensity, **chip) == "memory")
    return waiting / whole
