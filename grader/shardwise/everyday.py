"""Units as they are written every day, worked out by pint beforehand: loading pint takes longer than marking a notebook.

The table lies beside this module, and a test compares all of it with pint. `python -m shardwise.units` writes it anew.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("everyday.json")

_DECIMAL = ("", "k", "K", "M", "G", "T", "P", "E")
_BINARY = ("Ki", "Mi", "Gi", "Ti", "Pi")
_LONG = ("", "kilo", "mega", "giga", "tera", "peta", "kibi", "mebi", "gibi", "tebi")
_WORDS = [
    "second",
    "minute",
    "hour",
    "day",
    "week",
    "s",
    "sec",
    "min",
    "h",
    "hr",
    "d",
    "ms",
    "us",
    "µs",
    "μs",
    "ns",
    "flop",
    "joule",
    "J",
    "kJ",
    "MJ",
    "W",
    "kW",
    "MW",
    "GW",
    "watt",
    "Wh",
    "kWh",
    "MWh",
    "GWh",
    "dollar",
    "USD",
    "token",
    "step",
    "gpu",
    "GPU",
    "node",
    "layer",
    "stage",
    "sequence",
    "seq",
    "sample",
    "micro_batch",
    "parameter",
    "param",
    "message",
    "crash",
    "head",
]
_PLURALS = ["seconds", "minutes", "hours", "days", "weeks", "dollars", "tokens", "steps", "gpus", "GPUs", "nodes", "layers", "stages", "sequences", "samples", "parameters", "params", "messages", "heads", "bytes", "bits"]  # fmt: skip
_TOGETHER = [
    "GPU*h",
    "GPU*hour",
    "GPU*hours",
    "GPU*day",
    "GPU*days",
    "gpu*h",
    "gpu*hour",
    "gpu*hours",
    "gpu*day",
    "gpu*days",
    "FLOP/s*day",
    "PFLOP/s*day",
    "PFLOP/s*days",
    "TFLOP/s*day",
    "token/s",
    "tokens/s",
    "token/second",
    "tokens/second",
    "tokens/day",
    "seq/s",
    "sequences/s",
    "samples/s",
    "steps/s",
    "W*h",
    "dollar/GPU*h",
]


def spellings() -> list[str]:
    """What the table has an entry for."""
    amounts = [prefix + unit for prefix in _DECIMAL for unit in ("B", "b", "bit", "FLOP")]
    amounts += [prefix + unit for prefix in _BINARY for unit in ("B", "bit")]
    amounts += [prefix + unit for prefix in _LONG for unit in ("byte", "bytes", "bit", "bits")]
    rates = [f"{amount}/{time}" for amount in amounts for time in ("s", "sec", "second")]
    return list(dict.fromkeys([*amounts, *rates, *_WORDS, *_PLURALS, *_TOGETHER]))


@cache
def known() -> dict[str, tuple[int, int, str]]:
    """By spelling: numerator and denominator of one of it in base units, and its dimension."""
    return {name: (top, bottom, dimension) for name, (top, bottom, dimension) in json.loads(TABLE.read_bytes()).items()}
