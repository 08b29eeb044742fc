"""A site's documentation: pages that another tool writes into its folder `docs`. The app links to them and searches them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from shardwise.errors import ShardwiseError

DOCS = "docs"
_HOME, _ENTRIES = "index.html", "index.json"


class _Entry(BaseModel):
    """An entry of the app's search: a page of the documentation, or a section of a page."""

    model_config = ConfigDict(extra="forbid")

    type: Literal["page"]
    title: str
    about: str = ""
    text: str = ""
    to: str = Field(pattern=f"^{DOCS}/")


def link_to(site: Path) -> dict[str, str]:
    """Return the map's link to a site's documentation, or an empty dictionary if there is none."""
    return {"docs": f"{DOCS}/{_HOME}"} if (site / DOCS / _HOME).is_file() else {}


def entries_of(site: Path) -> list[dict[str, Any]]:
    """Return the documentation's entries for the app's search. Raises ShardwiseError if they cannot be read."""
    path = site / DOCS / _ENTRIES
    if not path.is_file():
        return []
    try:
        return [entry.model_dump() for entry in TypeAdapter(list[_Entry]).validate_json(path.read_bytes())]
    except ValidationError as error:
        first = error.errors()[0]
        fault = ": ".join(filter(None, (".".join(map(str, first["loc"])), first["msg"])))
        raise ShardwiseError(f"{path} is not a list of entries for the search: {fault}.") from None
