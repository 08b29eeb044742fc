"""The names that a cell sets, which reveal a misspelt answer."""

from __future__ import annotations

import warnings

import pytest

from shardwise.cell_names import names_set_by


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("a = b = 1\na += 1", ["a", "b"]),
        ("(a, [b, *c]) = 1, [2]\nfor d in c: pass\nwith e as f: pass", ["a", "b", "c", "d", "f"]),
        ("if (a := 1):\n    b: int = 2", ["a", "b"]),
        ("def f(n):\n    a = n\nclass C:\n    b = 1", ["f", "C"]),
        ("[x for x in y]\n(lambda z: (w := z))", []),
        ("%matplotlib inline\n!ls\nx = 1", ["x"]),
        ("# nothing", []),
        ("print(x)", []),
        ("x = = 1", None),
        ("x = " + "(" * 5000, None),
    ],
)  # fmt: skip
def test_names_are_those_that_the_notebook_has_afterwards(source: str, names: list[str] | None) -> None:
    assert names_set_by(source) == names


def test_what_python_warns_of_in_a_students_cell_does_not_reach_the_graders_terminal() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert names_set_by("answer = '\\d'\nother = 1if 1else 2") == ["answer", "other"]
