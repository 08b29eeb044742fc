"""Folded layouts of experts, against ranks that are placed one by one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions.layout.layout import folded_expert_replicas
from solutions.oracles.layout import layout as placed

degrees = st.sampled_from([1, 2, 3, 4, 8])


@given(gpus=st.sampled_from([24, 64, 96, 128]), tp=degrees, cp=degrees, pp=degrees, ep=degrees, etp=degrees)
def test_a_set_of_experts_takes_part_of_every_stage_or_is_refused(gpus: int, **axes: int) -> None:
    case: dict[str, Any] = {"gpus": gpus, **axes}
    is_whole = gpus % (axes["tp"] * axes["cp"] * axes["pp"]) == gpus % (axes["etp"] * axes["ep"] * axes["pp"]) == 0
    if is_whole:
        assert folded_expert_replicas(**case) == placed.folded_expert_replicas(**case)
        assert folded_expert_replicas(**case) * axes["etp"] * axes["ep"] * axes["pp"] == gpus
        return
    with pytest.raises(ValueError, match="do not divide"):
        folded_expert_replicas(**case)
    with pytest.raises(ValueError, match="incomplete"):
        placed.folded_expert_replicas(**case)
