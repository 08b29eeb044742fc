"""Build hook: carries problems/, solutions/ and the built forms into the wheel and the sdist, inside the package."""

from __future__ import annotations

from pathlib import Path
from runpy import run_path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "shardwise_bank"
FORMS = Path(PACKAGE, "static", "forms.js")


class CarryBank(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the bank, which lies above this folder in a checkout, and inside the package in an sdist."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the forms where they are missing, and name the folders to be carried.

        An editable install carries nothing, since it reads the checkout. A checkout has a link from the package to solutions/, as
        a file of text where git makes no links. Whichever it is, pyproject.toml excludes it, and the folder itself is carried, once.
        """
        if version == "editable":
            return
        root = Path(self.root)
        if not (root / FORMS).is_file():
            run_path(str(root.parent / "hatch_build.py"))["build_desk"](root.parent, root / FORMS)
        for name in ("problems", "solutions"):
            inside, above = root / PACKAGE / name, root.parent / name
            source = inside if inside.is_dir() and not inside.is_symlink() else above
            if not source.is_dir():
                raise FileNotFoundError(
                    f"The bank needs {above} or {inside}. Build from a whole checkout, or from an sdist."
                )
            build_data["force_include"][str(source)] = f"{PACKAGE}/{name}"
