"""Reader of the YAML files next to the references: published data of models, accelerators and clusters, with their sources."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]  # PyYAML has no types of its own

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times faster, if PyYAML has libyaml


@cache
def table(name: str) -> dict[str, Any]:
    """Return the content of a YAML file in solutions/, such as shapes/models.yaml, with a cache.

    >>> "Llama-3-8B" in table("shapes/models.yaml")
    True
    """
    text = (Path(__file__).parents[1] / name).read_text("utf-8")
    return dict(yaml.load(text, _LOADER))
