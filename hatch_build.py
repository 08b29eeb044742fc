"""Build hook: the forms' JavaScript, which npm builds from `desk/` where a checkout does not have it yet."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

BUNDLE = Path("grader", "shardwise", "student", "widget", "desk.js")


def build_desk(checkout: Path, bundle: Path) -> None:
    """Build all bundles of a checkout if it does not have this one. An sdist has it, so it needs no npm.

    Raises:  FileNotFoundError without npm, CalledProcessError when npm fails.
    """
    if bundle.is_file():
        return
    npm = shutil.which("npm")
    if npm is None:
        raise FileNotFoundError(
            f"{bundle} has not been built, and there is no npm to build it. Run `make desk`, which installs npm, and try again."
        )
    for command in (
        ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"],
        ["run", "--silent", "build"],
    ):
        subprocess.run([npm, *command], cwd=checkout / "desk", check=True)


class BuildDesk(BuildHookInterface):  # type: ignore[type-arg]
    """Builds the forms for a wheel and for an sdist. An editable install gets them by `make desk`."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the bundle where it is missing."""
        if version != "editable":
            build_desk(Path(self.root), Path(self.root) / BUNDLE)
