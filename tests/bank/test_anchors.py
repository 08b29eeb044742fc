"""Numbers printed in primary sources, reproduced by the references: tests/anchors/*.yaml, a file for each chapter.

Each entry says `what` the number is, the `source` with its table, row, equation or section, and how it is `printed` there. Either a
`reference` gives it for `arguments` (in base units), in the `unit` of what is printed, to half a unit of the last printed digit; a wider
`rel_tol` says `why`. Or the entry says why it `cannot`.
"""

from __future__ import annotations

import importlib
import math
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from shardwise.units import from_base

FILES = sorted((Path(__file__).parents[1] / "anchors").glob("*.yaml"))
ENTRIES = [(path.stem, entry) for path in FILES for entry in yaml.load(path.read_text("utf-8"), yaml.CSafeLoader)]
REPRODUCED = [(stem, entry) for stem, entry in ENTRIES if "cannot" not in entry]
_NUMBER = re.compile(r"(\d[\d ,]*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?")


def printed_number(entry: Mapping[str, Any]) -> tuple[float, float]:
    """Return a printed number without its unit, and half a unit of its last digit: "2,048.5 GB" is 2048.5 ± 0.05."""
    found = _NUMBER.search(str(entry["printed"]))
    assert found, entry
    whole, decimals, exponent = re.sub("[ ,]", "", found[1]), found[2] or "", int(found[3] or 0)
    return float(f"{whole}.{decimals or 0}e{exponent}"), 0.5 * 10.0 ** (exponent - len(decimals))


def computed(entry: Mapping[str, Any]) -> float:
    """Return the reference's result, in the printed unit."""
    module, _, name = entry["reference"].rpartition(".")
    value = getattr(importlib.import_module(f"solutions.{module}"), name)(**entry["arguments"])
    return from_base(float(value), entry["unit"]) if "unit" in entry else float(value)


def differs(entry: Mapping[str, Any]) -> str:
    """Describe how the result differs from the printed number; empty if it does not."""
    printed, half = printed_number(entry)
    allowed = max(half * 1.000001, entry.get("rel_tol", 0) * printed)
    try:
        found = computed(entry)
    except Exception as error:  # whatever a reference raises, the other entries are still checked
        return repr(error)
    return "" if math.isclose(found, printed, rel_tol=0, abs_tol=allowed) else f"{found}, and {printed} is printed"


def lacking(entry: Mapping[str, Any]) -> str:
    """Describe missing and superfluous keys of an entry; empty if there are none."""
    needed = {"what", "source", "printed"}
    if "cannot" in entry:
        if set(entry) != needed | {"cannot"}:
            return f"what cannot come out has {sorted(needed)} and a reason alone"
        return "" if len(entry["cannot"]) > 20 else "the reason is no sentence"
    needed |= {"reference", "arguments"}
    if not needed <= set(entry) <= needed | {"rel_tol", "unit", "why"}:
        return f"has {sorted(entry)}"
    if not re.search(
        "[Tt]able|[Ff]igure|[Ss]ection|[Ee]quation|[Aa]ppendix|[Aa]bstract|[Pp]age|sheet|:", entry["source"]
    ):
        return f"does not say where in its source: {entry['source']}"
    printed, half = printed_number(entry)
    is_told_why = entry.get("rel_tol", 0) <= max(2 * half / printed, 0.01) or "why" in entry
    return "" if is_told_why else "a wider tolerance says why"


def test_references_reproduce_every_published_number() -> None:
    assert [(stem, entry["what"], said) for stem, entry in REPRODUCED if (said := differs(entry))] == []


def test_every_entry_has_a_description_and_a_source() -> None:
    assert [(stem, entry["what"], said) for stem, entry in ENTRIES if (said := lacking(entry))] == []


def test_no_number_is_listed_twice() -> None:
    told = Counter(f"{entry['what']} {entry['source']} {entry['printed']}" for _, entry in ENTRIES)
    assert not [what for what, times in told.items() if times > 1]
