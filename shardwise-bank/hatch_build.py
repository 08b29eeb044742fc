"""Build hooks: the version of the program, and problems/, solutions/ and the built forms inside the package."""

from __future__ import annotations

import re
from pathlib import Path
from runpy import run_path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

PACKAGE = "shardwise_bank"
FORMS = Path(PACKAGE, "static", "forms.js")


class SameVersion(MetadataHookInterface):
    """Gives the bank the version of the program next to it, and requires exactly that version, since templates use its features."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set version and dependencies. An sdist has them in its PKG-INFO, which hatchling reads by itself."""
        program = Path(self.root).parent / "grader" / "shardwise" / "__init__.py"
        written = re.search(r'^__version__ = "(.+)"', program.read_text("utf-8"), re.MULTILINE)
        if written is None:
            raise ValueError(f"{program} has no version.")
        metadata["version"] = written[1]
        metadata["dependencies"] = ["numpy>=2.0", f"shardwise=={written[1]}"]  # numpy for the oracles


class CarryBank(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the bank, which is above this folder in a checkout and inside the package in an sdist."""

    def dependencies(self) -> list[str]:
        """Require Node when the forms must be built, that is, in a checkout."""
        root = Path(self.root)
        return [] if (root / FORMS).is_file() else list(_checkout_s(root)["node_for"](root / FORMS))

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the forms if they are missing, and name the folders to include.

        An editable install includes nothing, since it reads the checkout. A checkout has a link from the package to solutions/, which
        is a text file where git creates no links. In both cases pyproject.toml excludes it, and the folder itself is included once.
        """
        if version == "editable":
            return
        root = Path(self.root)
        if not (root / FORMS).is_file():
            _checkout_s(root)["build_desk"](root.parent, root / FORMS)
        for name in ("problems", "solutions"):
            inside, above = root / PACKAGE / name, root.parent / name
            source = inside if inside.is_dir() and not inside.is_symlink() else above
            if not source.is_dir():
                raise FileNotFoundError(
                    f"The bank needs {above} or {inside}. Build from a full checkout or from an sdist."
                )
            build_data["force_include"][str(source)] = f"{PACKAGE}/{name}"


def _checkout_s(root: Path) -> dict[str, Any]:
    """Return the functions of the program's build hook, which builds the forms of both packages."""
    return run_path(str(root.parent / "hatch_build.py"))
