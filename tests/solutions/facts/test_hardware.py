"""The figures of accelerators and links: complete, sourced, and the only ones of their kind in the bank."""

from __future__ import annotations

import datetime
from collections.abc import Callable

import pytest

from solutions.facts import hardware
from solutions.facts.tables import table

CARDS = table("facts/hardware.yaml")
FIGURES = [
    (group, name, figure, entry)
    for group, entries in CARDS.items()
    for name, card in entries.items()
    for figure, entry in (card.items() if group == "accelerators" else [("rate", card)])
]
UNITS = {
    "memory": "GB",
    "usable": "GB",
    "hbm": "GB/s",
    "nvlink": "GB/s",
    "ici": "GB/s",
    "fabric": "GB/s",
    "power": "W",
    "rate": "Gbit/s",
    "host_link": "GB/s",
    "host_memory": "GB/s",
}


@pytest.mark.parametrize(("group", "name", "figure", "entry"), FIGURES, ids=lambda value: str(value)[:20])
def test_every_figure_has_its_value_unit_source_and_date(
    group: str, name: str, figure: str, entry: dict[str, object]
) -> None:
    assert set(entry) == {"value", "unit", "source", "date"}, (group, name, figure)
    assert entry["unit"] == UNITS.get(figure, "TFLOP/s")
    assert isinstance(entry["value"], (int, float)) and entry["value"] > 0
    assert len(str(entry["source"])) > 10
    datetime.date.fromisoformat(f"{entry['date']}-01")


def test_a_name_that_is_not_there_is_answered_with_those_that_are() -> None:
    with pytest.raises(ValueError, match=r"unknown accelerator 'H1000'; hardware\.yaml has V100-32GB"):
        hardware.memory_bytes(accelerator="H1000")
    with pytest.raises(ValueError, match="unknown link 'NDR9'; hardware"):
        hardware.link_bytes_per_s(link="NDR9")
    with pytest.raises(ValueError, match="unknown property of MI300X-192GB: 'nvlink'"):
        hardware.nvlink_bytes_per_s(accelerator="MI300X-192GB")


@pytest.mark.parametrize(
    "figure",
    [hardware.usable_bytes, hardware.number_formats, hardware.fast_link_bytes_per_s],
    ids=lambda figure: figure.__name__,
)
def test_what_looks_at_a_whole_card_names_an_unknown_one(figure: Callable[..., object]) -> None:
    with pytest.raises(ValueError, match=r"unknown accelerator 'H1000'; hardware\.yaml has V100-32GB"):
        figure(accelerator="H1000")


def test_where_no_driver_was_asked_what_the_maker_says_is_usable() -> None:
    asked = {name for name, card in CARDS["accelerators"].items() if "usable" in card}
    for name in CARDS["accelerators"]:
        usable, memory = hardware.usable_bytes(accelerator=name), hardware.memory_bytes(accelerator=name)
        assert (usable == memory) == (name not in asked), name
    assert 0 < len(asked) < len(CARDS["accelerators"])


def test_no_measured_product_is_faster_than_the_peak() -> None:
    for name, card in CARDS["accelerators"].items():
        if "matmul" in card:
            assert 0.4 < card["matmul"]["value"] / card["bf16"]["value"] < 1, name
