"""Build hook: carries `problems/` and `solutions/` into the wheel, inside the package; editable installs read the checkout."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CarryBank(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the bank to the files of a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the folders to be carried, unless this is an editable install."""
        if version == "editable":
            return
        for name in ("problems", "solutions"):
            folder = Path(self.root) / name
            if folder.is_dir():
                build_data["force_include"][str(folder)] = f"shardwise/{name}"
