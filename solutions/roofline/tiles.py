"""Tile and wave quantisation: the share of a GPU's multiprocessors that a matmul keeps busy."""

from __future__ import annotations

from ..facts.arguments import require_counts


def wave_efficiency(*, rows: int, columns: int, tile_rows: int, tile_columns: int, multiprocessors: int) -> float:
    """Return the useful share of the work in the waves of a matmul's output tiles.

        efficiency = M·N / (⌈tiles / SMs⌉ · SMs · tile)        tiles = ⌈M / tile rows⌉ · ⌈N / tile columns⌉

    Each multiprocessor computes one output tile at a time, and all tiles take equally long. The last wave may be nearly
    empty, and tiles at the edges may stick out.

    Units:   counts. Result as a fraction.
    Raises:  ValueError if a count is below 1.
    Source:  NVIDIA, Matrix Multiplication Background User's Guide, sections on tile and wave quantization.

    >>> gpu = {"tile_rows": 128, "tile_columns": 256, "multiprocessors": 132}
    >>> [round(wave_efficiency(rows=rows, columns=4096, **gpu), 3) for rows in (1024, 1152, 4224)]
    [0.97, 0.545, 1.0]
    """
    require_counts(
        rows=rows, columns=columns, tile_rows=tile_rows, tile_columns=tile_columns, multiprocessors=multiprocessors
    )
    tiles = -(-rows // tile_rows) * -(-columns // tile_columns)
    waves = -(-tiles // multiprocessors)
    return rows * columns / (waves * multiprocessors * tile_rows * tile_columns)


def fastest_rows(
    *, a: int, b: int, c: int, d: int, columns: int, tile_rows: int, tile_columns: int, multiprocessors: int
) -> int:
    """Return which of four numbers of output rows gives a matmul the highest rate of rows per second.

        rows per second  ~  efficiency, at the same number of columns

    Units:   counts. Result is one of a, b, c and d; the first of them in a tie.
    Raises:  ValueError as wave_efficiency.
    Source:  as wave_efficiency.

    >>> gpu = {"tile_rows": 128, "tile_columns": 256, "multiprocessors": 132}
    >>> fastest_rows(a=1024, b=2560, c=4224, d=5632, columns=4096, **gpu)
    4224
    """

    def efficiency(rows: int) -> float:
        return wave_efficiency(
            rows=rows, columns=columns, tile_rows=tile_rows, tile_columns=tile_columns, multiprocessors=multiprocessors
        )

    return max((a, b, c, d), key=efficiency)
