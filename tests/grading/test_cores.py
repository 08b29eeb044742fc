"""Cores: each worker has its own, so that no notebook takes the time of another."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from shardwise.grading.running import cores, executors


def test_each_worker_has_its_own_core() -> None:
    usable = cores.usable()
    with executors.pool(len(usable) + 3)() as executor:
        assert executor._max_workers == len(usable)  # type: ignore[attr-defined]
        until = time.monotonic() + 30
        taken: set[frozenset[int]] = set()
        while (
            taken != {frozenset({core}) for core in usable} and time.monotonic() < until
        ):  # the workers start one by one
            list(executor.map(time.sleep, [0.05] * 2 * len(usable)))
            workers = executor._processes  # type: ignore[attr-defined]
            taken = {frozenset(os.sched_getaffinity(worker)) for worker in workers}
        assert taken == {frozenset({core}) for core in usable}


@pytest.mark.parametrize(
    ("cgroups", "files", "expected"),
    [
        ("0::/a/b\n", {"a/b/cpu.max": "max 100000\n", "a/cpu.max": "150000 100000\n"}, 2),
        ("0::/a\n", {"a/cpu.max": "50000 100000\n"}, 1),
        ("0::/\n", {"cpu.max": "300000 100000"}, 3),
        ("0::/gone\n", {}, 4),
        ("1:cpu,cpuacct:/a\n0::/\n", {"cpu/a/cpu.cfs_quota_us": "100000", "cpu/a/cpu.cfs_period_us": "100000"}, 1),
        ("1:cpu:/a\n2:memory:/m\n", {"cpu/a/cpu.cfs_quota_us": "-1", "cpu/a/cpu.cfs_period_us": "100000"}, 4),
    ],
)
def test_a_container_that_grants_the_time_of_one_core_gets_one_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cgroups: str, files: dict[str, str], expected: int
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "own").write_text(cgroups)
    monkeypatch.setattr(cores, "_CGROUPS", tmp_path)
    monkeypatch.setattr(cores, "_OWN", tmp_path / "own")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {8, 9, 10, 11})
    assert cores.usable() == [8, 9, 10, 11][:expected]
