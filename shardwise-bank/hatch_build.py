"""Build hook: carries problems/, solutions/ and the built forms into the wheel and the sdist, inside the package."""

from __future__ import annotations

from pathlib import Path
from runpy import run_path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "shardwise_bank"
FORMS = Path(PACKAGE, "static", "forms.js")


class CarryBank(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the bank, which lies above this folder in a checkout."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the forms where they are missing, and name the folders to be carried.

        An editable install carries nothing, since it reads the checkout. Neither does a wheel that is built from an sdist:
        there the folders lie inside the package already.
        """
        root = Path(self.root)
        if version != "editable" and not (root / FORMS).is_file():
            run_path(str(root.parent / "hatch_build.py"))["build_desk"](root.parent, root / FORMS)
        for name in ("problems", "solutions"):
            inside, above = root / PACKAGE / name, root.parent / name
            if version == "editable" or inside.is_dir():
                continue
            if not above.is_dir():
                raise FileNotFoundError(
                    f"The bank needs {above} or {inside}. Build from a whole checkout, or from an sdist."
                )
            build_data["force_include"][str(above)] = f"{PACKAGE}/{name}"
