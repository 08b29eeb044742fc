"""Reads the YAML files beside the references: published figures of models, accelerators and clusters, with their sources."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # where PyYAML has libyaml, that takes a tenth of the time


@cache
def table(name: str) -> dict[str, Any]:
    """What models.yaml, hardware.yaml and their like hold, read once.

    >>> "Llama-3-8B" in table("models.yaml")
    True
    """
    text = Path(__file__).with_name(name).read_text("utf-8")
    return dict(yaml.load(text, _LOADER))
