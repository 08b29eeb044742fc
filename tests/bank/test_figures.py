"""The figures of the lessons are those that the references draw: `make generated` writes them, and they are committed."""

from __future__ import annotations

import pytest

from checkout import ROOT


@pytest.mark.slow
def test_the_figures_are_those_that_the_references_draw() -> None:
    from solutions.figures.__main__ import draw, is_the_same

    drawn = draw(ROOT / "problems")
    assert drawn
    assert [path for path, picture in drawn.items() if not is_the_same(path.read_bytes(), picture)] == [], (
        "run make generated"
    )
