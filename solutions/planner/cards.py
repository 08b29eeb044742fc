"""Hardware cards: figures that examples/measure_card.py measured on one accelerator, added to the planner's tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..facts import hardware
from ..facts.arguments import require_counts, require_positive
from ..facts.tables import table
from .constants import chip, constant, constants

LENGTH = 8192  # tokens of the measured attention
UNKNOWN_GENERATION = "hopper"  # for the usual software
UNKNOWN_NETWORK = 1  # Gbit/s; a plan across nodes has to give its own
FORMATS = ("bf16", "fp8")


@dataclass(frozen=True)
class Card:
    """A measured accelerator. `link_bytes_per_s` is that of its fast links, per direction; 0 marks what was not measured."""

    name: str
    gpus: int
    hbm_bytes_per_s: float
    bf16_flop_per_s: float
    attention_flop_per_s: float
    memory_bytes: float = 0.0
    fp8_flop_per_s: float = 0.0
    link_bytes_per_s: float = 0.0

    def __post_init__(self) -> None:
        require_counts(gpus=self.gpus)
        require_positive(hbm_bytes_per_s=self.hbm_bytes_per_s, bf16_flop_per_s=self.bf16_flop_per_s,
                         attention_flop_per_s=self.attention_flop_per_s)  # fmt: skip

    def add_to_tables(self, *, accelerator: str = "") -> str:
        """Add the card to the tables of this process, and return the name under which the planner finds it.

        Peaks, links and power come from the data sheets of `accelerator`. Without one, the measured products count as the peak,
        and an MFU is relative to them; the fast links of a node with one GPU are never used.

        Raises:  ValueError for an unknown accelerator, or a card without memory_bytes where no data sheet has it.
        """
        if not accelerator and not self.memory_bytes:
            raise ValueError("memory_bytes is missing")
        name = f"{accelerator or self.name}, measured"
        sheet = dict(table("facts/hardware.yaml")["accelerators"][accelerator]) if accelerator else {}
        peaks = {
            form: hardware.peak_flop_per_s(accelerator=accelerator, number_format=form) if form in sheet else rate
            for form, rate in zip(FORMATS, (self.bf16_flop_per_s, self.fp8_flop_per_s), strict=True)
        }
        table("facts/hardware.yaml")["accelerators"][name] = sheet | _figures(self, sheet, peaks)
        share = self.attention_flop_per_s / peaks["bf16"] * (1 + constant("attention_length") / LENGTH)
        known: dict[str, Any] = dict(chip(accelerator)) if accelerator else {"generation": UNKNOWN_GENERATION}
        known |= {"matmul": self.bf16_flop_per_s / peaks["bf16"], "attention": share}
        if self.fp8_flop_per_s:
            known["fp8"] = self.fp8_flop_per_s / peaks["fp8"]
        constants()["chips"][name] = known
        links = table("planner/names.yaml")
        usual = links[accelerator] if accelerator else {"node": self.gpus, "network": UNKNOWN_NETWORK}
        links[name] = {**usual, "called": []}
        return name


def _figures(card: Card, sheet: dict[str, Any], peaks: dict[str, float]) -> dict[str, Any]:
    """Return a measured card as a row of hardware.yaml. The planner multiplies bandwidths by a fraction, so they are divided by it here."""
    measured = {
        "hbm": (card.hbm_bytes_per_s / constant("hbm"), "GB/s"),
        "usable": (card.memory_bytes, "GB"),
        "nvlink": (2 * card.link_bytes_per_s / constant("fast_link"), "GB/s"),
    }
    if not sheet:
        measured |= {form: (rate, "TFLOP/s") for form, rate in peaks.items() if rate}
        measured["memory"] = measured["usable"]
        if not card.link_bytes_per_s:
            measured["nvlink"] = (card.hbm_bytes_per_s, "GB/s")
    scale = {"GB/s": 1e9, "GB": 1e9, "TFLOP/s": 1e12}
    return {figure: {"value": value / scale[unit], "unit": unit} for figure, (value, unit) in measured.items() if value}
