"""A traced reference gives an expression, and the expression gives the same number as the reference."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from shardwise.kinds.quantity.slips.program import program
from shardwise.kinds.quantity.slips.tracing import traced
from shardwise.template.references import References

BODIES = {  # what comes back, and the operations that the expression has
    "round(sent / size)": {"round", "over"},
    "float(int(sent / size))": {"floor", "over"},
    "abs(size - sent)": {"minus", "negative"},
    "max(size, sent) - min(size, sent)": {"minus"},
    "log2(sent) + math.sqrt(size) + math.exp(math.log10(size))": {"plus", "log2", "sqrt", "exp", "log10"},
    "divmod(sent, size)[1]": {"rest"},
    "-(-sent // size)": {"ceil", "over"},
    "sent * share": {"times"},
    "sent if isinstance(size, int) else 0": set(),
    "sent if Fraction(size).limit_denominator(100) * size > 2 < sent * Fraction(1, 3) else size": set(),
}


def references_of(folder: Path, body: str) -> References:
    (folder / "example.py").write_text(
        "import math\nfrom fractions import Fraction\nfrom math import log2\n\n"
        f"def found(*, sent, size, share=0.25):\n    return {body}\n"
    )
    return References(folder)


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("values", [{"sent": 17.5, "size": 3}, {"sent": 8, "size": 5}])
def test_an_expression_gives_what_the_reference_gave(tmp_path: Path, body: str, values: Mapping[str, Any]) -> None:
    references = references_of(tmp_path, body)
    root = traced(references, "example.found", values, {})
    assert root is not None
    assert program([root]).run(values) == [pytest.approx(references.reference("example.found")(**values))]
    assert {here.operation for here in _all(root) if here.parts} == BODIES[body]


def test_a_default_is_an_argument_and_not_taken_for_a_parameter_of_that_name(tmp_path: Path) -> None:
    references = references_of(tmp_path, "sent * share")
    values = {"sent": 8.0, "size": 2}
    root = traced(references, "example.found", values, {})
    assert root is not None
    assert program([root]).run({"sent": 8.0, "share": 0.5}) == [4.0]
    assert traced(references, "example.found", {**values, "share": 0.5}, {"share": "0.25"}) is not None
    assert traced(references, "example.found", values, {"sent": "nothing + 1"}) is None


def _all(root: Any) -> list[Any]:
    return [root, *(here for part in root.parts for here in _all(part))]
