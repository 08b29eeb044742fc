"""`plan --card`: plans with a measured accelerator, and cards that are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import run

CARD = {
    "name": '"NVIDIA H100 80GB HBM3"', "gpus": "8", "memory_bytes": "85100000000", "hbm_bytes_per_s": "2.6e+12",
    "bf16_flop_per_s": "6.0e+14", "attention_flop_per_s": "3.0e+14", "link_bytes_per_s": "3.0e+11",
}  # fmt: skip


def write_card(path: Path, **changes: str) -> Path:
    path.write_text("".join(f"{name}: {value}\n" for name, value in (CARD | changes).items()), "utf-8")
    return path


def planned(tmp_path: Path, changes: dict[str, str], *options: str, code: int = 0) -> str:
    path = write_card(tmp_path / "card.yaml", **changes)
    words = run("plan", "--model", "llama3-8b", "--zero", "3", "--card", path, *options, code=code)
    return " ".join(words.split())


def test_a_card_alone_plans_its_node_relative_to_what_was_measured(tmp_path: Path) -> None:
    words = planned(tmp_path, {})
    assert words.startswith("Llama-3-8B on 8 NVIDIA H100 80GB HBM3, measured")
    assert "relative to the measured BF16 matrix multiplications" in words


def test_more_gpus_than_a_node_need_a_network(tmp_path: Path) -> None:
    assert "Give --network" in planned(tmp_path, {}, "--gpus", "64", code=2)
    assert "on 64 NVIDIA" in planned(tmp_path, {}, "--gpus", "64", "--network", "40 GB/s")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"hbm_bytes_per_s": "1.0e-20"}, "hbm_bytes_per_s must be a number from 1e+08 to 1e+15"),
        ({"memory_bytes": "80"}, "memory_bytes must be a number from 1e+09"),
        ({"bf16_flop_per_s": ".nan"}, "not nan"),
        ({"gpus": "8.5"}, "gpus must be a whole number"),
        ({"name": '""'}, "name must say what was measured"),
    ],
)  # fmt: skip
def test_a_figure_that_no_accelerator_has_is_refused(tmp_path: Path, changes: dict[str, str], words: str) -> None:
    assert words in planned(tmp_path, changes, code=2)


def test_a_card_of_another_accelerator_is_refused(tmp_path: Path) -> None:
    assert "more than the peak of 312 of A100-80GB" in planned(tmp_path, {}, "--cluster", "a100-64", code=2)


@pytest.mark.parametrize(
    ("option", "words"),
    [
        (("--gradient-bytes", "3"), "--gradient-bytes must be 2 or 4"),
        (("--state-bytes", "99"), "--state-bytes must be a whole number of at most 32"),
        (("--zero", "0", "--shard-group", "8"), "since ZeRO 0 shards nothing"),
        (("--gpus", "0"), "--gpus must be a whole number of at least 1"),
    ],
)  # fmt: skip
def test_settings_that_contradict_or_make_no_sense_are_named(
    tmp_path: Path, option: tuple[str, ...], words: str
) -> None:
    assert words in planned(tmp_path, {}, *option, code=2)
