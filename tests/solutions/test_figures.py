"""The pictures of the lessons: readable on a light and on a dark ground."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest
from matplotlib import image
from matplotlib.figure import Figure

from contrast import contrast
from solutions import figures
from solutions.figures.__main__ import is_the_same

PICTURES = sorted((Path(__file__).parents[2] / "problems").glob("*/figures/*.png"))
GROUNDS = {"a page": "#ffffff", "JupyterLab's dark theme": "#111111"}


@pytest.mark.parametrize("ground", GROUNDS.values(), ids=list(GROUNDS))
@pytest.mark.parametrize("name", ["BLUE", "ORANGE", "GREEN", "GREY"])
def test_every_colour_stands_out_from_the_ground(name: str, ground: str) -> None:
    assert contrast(getattr(figures, name), ground) >= 4


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.stem)
def test_a_picture_has_no_ground_of_its_own(path: Path) -> None:
    pixels = image.imread(BytesIO(path.read_bytes()))
    assert pixels.shape[2] == 4
    assert (pixels[[0, 0, -1, -1], [0, -1, 0, -1], 3] == 0).all()  # the four corners let the page through


def test_a_shade_is_rounding_and_another_figure_is_another_picture() -> None:
    def written(label: str, colour: str) -> bytes:
        figure, file = Figure(), BytesIO()
        figure.text(0.5, 0.5, label, color=colour)
        figure.savefig(file, format="png")
        return file.getvalue()

    assert is_the_same(written("38 GB", "#808080"), written("38 GB", "#828181"))
    assert not is_the_same(written("38 GB", "#808080"), written("33 GB", "#808080"))
