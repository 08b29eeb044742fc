"""Draws every picture of every lesson. Run from the folder that holds solutions/:  python -m solutions.figures"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from types import ModuleType

import matplotlib
from matplotlib.figure import Figure
from matplotlib.image import imread
from matplotlib.typing import RcKeyType

from . import GREY

STYLE: dict[RcKeyType, object] = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "savefig.transparent": True,
    **dict.fromkeys(
        ("text.color", "axes.edgecolor", "axes.labelcolor", "axes.titlecolor", "xtick.color", "ytick.color"), GREY
    ),
    "savefig.dpi": 130,  # about as wide as a notebook's column
}


def chapters() -> list[ModuleType]:
    """List the modules next to this one, each with the CHAPTER that it illustrates and its pictures."""
    names = sorted(module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)]))
    return [importlib.import_module(f".{name}", __package__) for name in names if not name.startswith("_")]


def pictures(chapter: ModuleType) -> list[Callable[[], Figure]]:
    """List the functions of a module that take nothing and return a figure."""
    functions = [value for value in vars(chapter).values() if inspect.isfunction(value)]
    return [function for function in functions if inspect.get_annotations(function) == {"return": "Figure"}]


def draw(problems: Path) -> dict[Path, bytes]:
    """Every picture as a PNG, by the file it belongs in. PNG, because JupyterLab shows no SVG from a cell's attachments."""
    matplotlib.use("agg")
    drawn: dict[Path, bytes] = {}
    for chapter in chapters():
        for function in pictures(chapter):
            with matplotlib.rc_context(STYLE):
                name = function.__name__.replace("_", "-")
                drawn[problems / chapter.CHAPTER / "figures" / f"{name}.png"] = _png(function())
    return drawn


def _png(figure: Figure) -> bytes:
    file = BytesIO()
    figure.savefig(file, format="png", bbox_inches="tight", metadata={"Software": None})
    return file.getvalue()


def is_the_same(picture: bytes, other: bytes) -> bool:
    """Whether two pictures look the same: processors differ in the last digit, which changes the shade of an edge."""
    pixels, others = (imread(BytesIO(contents)) for contents in (picture, other))
    return pixels.shape == others.shape and float(abs(pixels - others).max()) < 0.05


def main() -> None:
    """Write the pictures that have changed."""
    problems = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2] / "problems"
    for path, picture in draw(problems).items():
        if path.exists() and is_the_same(path.read_bytes(), picture):
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(picture)
        print(path.relative_to(problems.parent))


if __name__ == "__main__":
    main()
