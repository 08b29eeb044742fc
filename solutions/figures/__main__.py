"""Draws every picture of every lesson:  python -m shardwise.solutions.figures"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from io import BytesIO
from pathlib import Path

import matplotlib
from matplotlib.figure import Figure

STYLE = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "savefig.dpi": 130,  # about as wide as a notebook's column
}


def draw(problems: Path) -> dict[Path, bytes]:
    """Every picture as a PNG, by the file it belongs in. JupyterLab shows no SVG out of a cell's attachments."""
    matplotlib.use("agg")
    drawn: dict[Path, bytes] = {}
    package = importlib.import_module("shardwise.solutions.figures")
    for module in sorted(one.name for one in pkgutil.iter_modules(package.__path__) if not one.name.startswith("_")):
        chapter = importlib.import_module(f"shardwise.solutions.figures.{module}")
        for function in chapter.FIGURES:
            with matplotlib.rc_context(STYLE):
                name = function.__name__.replace("_", "-")
                drawn[problems / chapter.CHAPTER / "figures" / f"{name}.png"] = _png(function())
    return drawn


def _png(figure: Figure) -> bytes:
    file = BytesIO()
    figure.savefig(file, format="png", bbox_inches="tight", metadata={"Software": None})
    return file.getvalue()


def main() -> None:
    """Write the pictures."""
    problems = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2] / "problems"
    for path, picture in draw(problems).items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(picture)
        print(path.relative_to(problems.parent))


if __name__ == "__main__":
    main()
