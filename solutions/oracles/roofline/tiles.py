"""Tiles of a matmul, assigned to multiprocessors one by one."""

from __future__ import annotations

from heapq import heapreplace


def wave_efficiency(*, rows: int, columns: int, tile_rows: int, tile_columns: int, multiprocessors: int) -> float:
    """Assign each output tile to the next multiprocessor, and compare the outputs with what all waves could compute."""
    loads = [0] * multiprocessors
    given = 0
    for _ in range(0, rows, tile_rows):
        for _ in range(0, columns, tile_columns):
            loads[given % multiprocessors] += 1
            given += 1
    return rows * columns / (max(loads) * multiprocessors * tile_rows * tile_columns)


def fastest_rows(
    *, a: int, b: int, c: int, d: int, columns: int, tile_rows: int, tile_columns: int, multiprocessors: int
) -> int:
    """Assign each tile to the first free multiprocessor, and divide the rows by the end of the last."""
    speeds: dict[int, float] = {}
    for rows in (a, b, c, d):
        busy_until = [0] * multiprocessors
        for _ in range(0, rows, tile_rows):
            for _ in range(0, columns, tile_columns):
                heapreplace(busy_until, busy_until[0] + 1)
        speeds[rows] = rows / max(busy_until)
    return sorted(speeds, key=lambda rows: -speeds[rows])[0]
