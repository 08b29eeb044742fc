"""Reader of the YAML files beside the references: published figures of models, accelerators and clusters, with their sources."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]  # PyYAML has no types of its own

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # where PyYAML has libyaml, that takes a tenth of the time


@cache
def table(name: str) -> dict[str, Any]:
    """Return what a YAML file of solutions/ holds, read once, such as shapes/models.yaml.

    >>> "Llama-3-8B" in table("shapes/models.yaml")
    True
    """
    text = (Path(__file__).parents[1] / name).read_text("utf-8")
    return dict(yaml.load(text, _LOADER))
