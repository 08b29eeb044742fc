"""Build hook: carries problems/ and solutions/ into the wheel and the sdist, inside the package."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "shardwise_bank"


class CarryBank(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the bank, which lies above this folder in a checkout, and inside the package in an sdist."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the folders to be carried. An editable install carries nothing, since it reads the checkout.

        A checkout has a link from the package to solutions/, as a file of text where git makes no links. Whichever it is, pyproject.toml
        excludes it, and this hook carries the folder itself, once.
        """
        if version == "editable":
            return
        root = Path(self.root)
        for name in ("problems", "solutions"):
            inside, above = root / PACKAGE / name, root.parent / name
            source = inside if inside.is_dir() and not inside.is_symlink() else above
            if not source.is_dir():
                raise FileNotFoundError(
                    f"The bank needs {above} or {inside}. Build from a whole checkout, or from an sdist."
                )
            build_data["force_include"][str(source)] = f"{PACKAGE}/{name}"
