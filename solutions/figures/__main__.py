"""Draws every picture of every lesson:  python -m shardwise.solutions.figures"""

from __future__ import annotations

import importlib
import pkgutil
import sys
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
    "svg.hashsalt": "shardwise",  # the same picture is the same file
    "svg.fonttype": "path",
}


def draw(problems: Path) -> dict[Path, str]:
    """Every picture as SVG text, by the file it belongs in."""
    matplotlib.use("svg")
    drawn: dict[Path, str] = {}
    package = importlib.import_module("shardwise.solutions.figures")
    for module in sorted(one.name for one in pkgutil.iter_modules(package.__path__) if not one.name.startswith("_")):
        chapter = importlib.import_module(f"shardwise.solutions.figures.{module}")
        for function in chapter.FIGURES:
            with matplotlib.rc_context(STYLE):
                name = function.__name__.replace("_", "-")
                drawn[problems / chapter.CHAPTER / "figures" / f"{name}.svg"] = _svg(function())
    return drawn


def _svg(figure: Figure) -> str:
    from io import StringIO

    file = StringIO()
    figure.savefig(file, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None})
    lines = (line.rstrip() for line in file.getvalue().splitlines())
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the pictures."""
    problems = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2] / "problems"
    for path, text in draw(problems).items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        print(path.relative_to(problems.parent))


if __name__ == "__main__":
    main()
