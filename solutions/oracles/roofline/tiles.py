"""Tiles of a matmul, handed to multiprocessors one by one."""

from __future__ import annotations


def wave_efficiency(*, rows: int, columns: int, tile_rows: int, tile_columns: int, multiprocessors: int) -> float:
    """Cut the output into tiles, give each to the next multiprocessor, and count the elements that they could have computed."""
    loads = [0] * multiprocessors
    given = 0
    for _ in range(0, rows, tile_rows):
        for _ in range(0, columns, tile_columns):
            loads[given % multiprocessors] += 1
            given += 1
    return rows * columns / (max(loads) * multiprocessors * tile_rows * tile_columns)
