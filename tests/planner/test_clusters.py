"""Chips and networks of runs as the planner's accelerators and links, and the software of runs."""

from __future__ import annotations

import pytest

from bench.planner.clusters import accelerators, links
from bench.planner.runs import Run, Runs
from bench.planner.stacks import software
from solutions.facts import hardware
from solutions.planner.constants import constants


def run(chip: str, chips: int = 64, net: str | None = "n", node: int | None = None) -> Run:
    return Run(id="a", model="m", chip=chip, chips=chips, chips_per_node=node, net=net, source="s", trust="A")


def runs_with(networks: dict[str, str]) -> Runs:
    return Runs({}, {}, {}, networks, {}, {}, ())


def of(words: str, chip: str = "A100-80", **more: int) -> tuple[int, float, int]:
    """Return the domain, Gbit/s per chip and direction, and the number of assumptions."""
    found = links(run(chip, **more), runs_with({"n": words}))
    return found.domain, found.network_bytes_per_s * 8 / 1e9, len(found.assumed)


@pytest.mark.parametrize(
    ("words", "gbit"),
    [
        ("NVLink3+NVSwitch in node, 8x200 Gb/s HDR InfiniBand a node", 200), ("NVLink4 in node, InfiniBand 8x50 GB/s", 400),
        ("NVLink in node, 4 Omni-Path links a node (100 Gb/s each)", 50), ("NVLink in node, 1600 Gb/s RoCE a node", 200),
        ("NVLink in node, 4x100 Gb/s RoCE a node", 50), ("NVLink in node, 400 Gb/s RDMA a GPU", 400),
        ("NVLink in node, RoCE 400 Gb/s a GPU, 1:7 oversubscribed between pods", 400), ("800 Gb/s between nodes", 100),
    ],
)  # fmt: skip
def test_a_network_that_is_printed_is_that_of_one_gpu(words: str, gbit: float) -> None:
    assert of(words) == (8, gbit, 0)


def test_a_network_that_is_not_printed_is_assumed() -> None:
    assert of("not printed") == (8, 200, 1)
    assert of("NVLink in node, InfiniBand between", "H100-80") == (8, 400, 1)
    assert of("not printed", chips=8) == (8, 200, 0), "one server needs none"


def test_fast_links_join_a_server_a_rack_or_a_slice() -> None:
    assert of("NVSwitch in node", "V100-32", node=16)[0] == 16
    assert of("NVLink domain of 72 GPUs, InfiniBand between", "GB200", node=4)[0] == 72
    assert of("3D torus ICI in a slice", "TPUv5p", chips=128)[0] == 128
    assert of("3D torus ICI in a slice, data-centre network between 2 slices", "TPUv5p", chips=128)[0] == 64
    assert of("two pods of 3,072 chips: ICI torus inside, data-centre network between", "TPUv4", chips=6144)[0] == 3072


def test_every_chip_of_the_runs_is_an_accelerator(runs: Runs) -> None:
    assert set(runs.chips) <= set(accelerators())
    assert set(accelerators().values()) <= set(hardware.names())
    with pytest.raises(ValueError, match="the chip MI250 is unknown"):
        links(run("MI250"), runs)


@pytest.mark.parametrize(
    ("name", "stack"),
    [
        ("sc21-t1-39b", "megatron-2021"), ("sc21-t2-zero3-175b-384", "deepspeed-zero3-2021"), ("bloom-production", "deepspeed-2022"),
        ("aa-131868", "flash-norm-2023"), ("aa-132394", "flash-2023"), ("aa-104143", "torch-2023"),
        ("mpt-7b-h100-80-512-s2048", "fsdp-2023"),
        ("tt-8b-8-eager-bf16", "fsdp-eager"), ("tt-8b-8-compile-bf16", "fsdp-compiled"), ("tt-70b-256-fp8-async", "fsdp-async"),
        ("maxtext-v5p-32b-1x64", "xla"), ("dgxc-maxtext-70b-bf16-128", "xla"), ("dgxc-8b-bf16-8", "nemo-2024"), ("llama3-405b-8192-cp1", "megatron-2024"),
        ("megascale-175b-megatron-256", "megatron-2023"), ("megascale-moe-352b-megatron-240", "megatron-2023"), ("deepseek-v3-paper", "dualpipe-2024"), ("megascale-175b-megascale-3072", "megatron-2024"),
    ],
)  # fmt: skip
def test_the_software_of_a_run(runs: Runs, name: str, stack: str) -> None:
    row = next(row for row in runs.rows if row.id == name)
    assert software(row, runs) == stack


def test_an_unknown_source_gets_what_was_usual_on_its_chip() -> None:
    assert software(run("A100-80"), runs_with({})) == "megatron-2023"
    assert software(run("H100-80"), runs_with({})) == "megatron-2024"
    assert {"megatron-2023", "megatron-2024"} <= set(constants()["software"])
