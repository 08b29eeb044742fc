"""Memory of recipes against the tensors they keep, FP8 against casts that are made, and both at their edges."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from solutions.oracles.precision import fp8 as cast
from solutions.oracles.precision import precision_memory as counted
from solutions.precision import formats, fp8, precision_memory

sizes = st.integers(1, 10**12)
fp8_names = st.sampled_from(["E4M3", "E5M2"])
magnitudes = st.floats(1e-6, 1e6)


def same(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=1e-9)


@pytest.mark.parametrize("recipe", sorted(precision_memory.RECIPES))
@pytest.mark.parametrize("with_gradients", [True, False])
def test_a_recipe_keeps_the_tensors_of_the_table(recipe: str, with_gradients: bool) -> None:
    case: dict[str, Any] = {"recipe": recipe, "with_gradients": with_gradients}
    for with_weights in (True, False):
        row = {**case, "with_weights": with_weights}
        assert precision_memory.state_bytes_per_parameter(**row) == counted.state_bytes_per_parameter(**row)
    assert same(precision_memory.state_bytes(parameters=7e9, **case), counted.state_bytes(parameters=7e9, **case))


def test_mixed_precision_saves_nothing_of_the_states() -> None:
    with_gradients = [
        precision_memory.state_bytes(parameters=13e9, recipe=name) for name in ("FP32", "mixed precision")
    ]
    assert with_gradients == [208e9, 208e9]
    without = [
        precision_memory.state_bytes(parameters=13e9, recipe=name, with_gradients=False)
        for name in ("FP32", "mixed precision")
    ]
    assert without == [156e9, 182e9]


@given(parameters=sizes, share=st.floats(0.1, 1), gradient=st.sampled_from([2, 4]))
def test_activations_pay_for_the_second_copy(parameters: int, share: float, gradient: int) -> None:
    case = {"parameters": parameters, "share_in_16_bits": share, "bytes_per_gradient": gradient}
    first, second = precision_memory.break_even_activation_bytes(**case), counted.break_even_activation_bytes(**case)
    assert math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-6)


@given(
    layers=st.integers(1, 40),
    tensors=st.integers(1, 4),
    sequences=st.integers(1, 5),
    length=st.integers(1, 9000),
    tiles=st.integers(1, 64),
    block=st.sampled_from([0, 32, 128]),
)
def test_activations_are_added_up_tensor_by_tensor(
    layers: int, tensors: int, sequences: int, length: int, tiles: int, block: int
) -> None:
    size = {
        "layers": layers, "tensors": tensors, "sequences": sequences, "sequence_length": length, "hidden": 128 * tiles,
    }  # fmt: skip
    for width in (1, 2):
        assert same(
            precision_memory.kept_activation_bytes(**size, bytes_per_element=width),
            counted.kept_activation_bytes(**size, bytes_per_element=width),
        )
    assert same(
        precision_memory.fp8_activation_saving_bytes(**size, block=block),
        counted.fp8_activation_saving_bytes(**size, block=block),
    )


@given(parameters=sizes, bf16=st.booleans(), second=st.booleans())
def test_fp8_weights_are_copies(parameters: int, bf16: bool, second: bool) -> None:
    case = {"parameters": parameters, "keeps_bf16": bf16, "second_copy": second}
    assert precision_memory.fp8_weight_bytes(**case) == counted.fp8_weight_bytes(**case)


@given(parameters=sizes, gpus=st.integers(1, 64), room=st.floats(1, 1e12))
def test_the_least_change_is_the_recipe_that_keeps_most(parameters: int, gpus: int, room: float) -> None:
    case = {"parameters": parameters, "gpus": gpus, "room_bytes": room}
    assert precision_memory.least_change_that_fits(**case) == counted.least_change_that_fits(**case)


@pytest.mark.parametrize(
    ("room", "called"), [(16, "mixed precision"), (10, "8-bit moments"), (8, "stochastic rounding")]
)
def test_states_as_large_as_the_room_fit(room: int, called: str) -> None:
    case: dict[str, Any] = {"parameters": 2**30, "gpus": 4, "room_bytes": room * 2**28}
    assert precision_memory.least_change_that_fits(**case) == counted.least_change_that_fits(**case) == called


@given(largest=magnitudes, ratio=st.floats(1, 1e12))
def test_the_format_is_the_precise_one_that_keeps_all_bits(largest: float, ratio: float) -> None:
    case = {"largest_value": largest, "smallest_value": largest / ratio}
    for name in ("E4M3", "E5M2"):  # at the edge itself floats decide
        span = formats.largest(number_format=name) / formats.smallest_normal(number_format=name)
        assume(abs(ratio / span - 1) > 1e-9)
    assert fp8.fp8_format(**case) == cast.fp8_format(**case)


@given(amax=magnitudes, name=fp8_names, margin=st.integers(0, 5))
def test_a_scale_fills_the_format(amax: float, name: str, margin: int) -> None:
    case = {"amax": amax, "number_format": name, "margin": margin}
    assert same(fp8.scale_factor(**case), cast.scale_factor(**case))
    scaled = amax * fp8.scale_factor(**case)
    assert scaled <= formats.largest(number_format=name) * (1 + 1e-12)


@given(amax=magnitudes, name=fp8_names)
def test_what_an_outlier_costs(amax: float, name: str) -> None:
    lost = fp8.largest_lost_value(amax=amax, number_format=name)
    assert same(lost, cast.largest_lost_value(amax=amax, number_format=name))
    assert same(fp8.largest_outlier(smallest_value=lost, number_format=name), amax)
    assert same(
        fp8.largest_outlier(smallest_value=lost, number_format=name),
        cast.largest_outlier(smallest_value=lost, number_format=name),
    )
    typical = amax / 1000
    assert same(
        fp8.zeroed_share(amax=amax, typical=typical, number_format=name),
        cast.zeroed_share(amax=amax, typical=typical, number_format=name),
    )


def test_the_smallest_normal_number_keeps_all_bits_and_a_smaller_one_does_not() -> None:
    # With this largest value the scale of E4M3 is 1.
    normal = formats.smallest_normal(number_format="E4M3")
    for smallest, name in ((normal, "E4M3"), (normal * (1 - 2**-20), "E5M2")):
        case = {"largest_value": 448.0, "smallest_value": smallest}
        assert fp8.fp8_format(**case) == cast.fp8_format(**case) == name


def test_no_more_than_all_values_become_zero() -> None:
    case: dict[str, Any] = {"amax": 1e9, "typical": 1.0, "number_format": "E4M3"}
    assert fp8.zeroed_share(**case) == cast.zeroed_share(**case) == 1


@pytest.mark.parametrize("power", range(6))
def test_an_outlier_of_a_power_of_two_needs_that_margin(power: int) -> None:
    case = {"known_amax": 2.0, "next_amax": 2.0 * 2**power}
    assert fp8.smallest_margin(**case) == cast.smallest_margin(**case) == power


@given(before=magnitudes, after=magnitudes)
def test_a_margin_that_holds(before: float, after: float) -> None:
    case = {"known_amax": before, "next_amax": after}
    assert fp8.smallest_margin(**case) == cast.smallest_margin(**case)


@given(
    rows=st.integers(1, 3000),
    columns=st.integers(1, 3000),
    block=st.sampled_from([(1, 128), (128, 128), (1, 32), (3000, 3000)]),
    width=st.sampled_from([1, 4]),
)
def test_every_block_has_a_scale(rows: int, columns: int, block: tuple[int, int], width: int) -> None:
    case = {
        "rows": rows, "columns": columns, "block_rows": block[0], "block_columns": block[1], "bytes_per_scale": width,
    }  # fmt: skip
    assert fp8.scale_bytes(**case) == cast.scale_bytes(**case)


@given(element=st.sampled_from([4, 6, 8]), block=st.integers(1, 512), scale=st.sampled_from([8, 32]))
def test_bits_of_a_block(element: int, block: int, scale: int) -> None:
    case = {"element_bits": element, "block": block, "scale_bits": scale}
    assert same(fp8.bits_per_element(**case), cast.bits_per_element(**case))


@given(linear=sizes, other=sizes, element=st.sampled_from([4, 8]), block=st.sampled_from([16, 32, 128]))
def test_how_much_smaller_weights_become(linear: int, other: int, element: int, block: int) -> None:
    case = {
        "linear_parameters": linear, "other_parameters": other, "element_bits": element, "block": block, "scale_bits": 8,
    }  # fmt: skip
    cut = fp8.weights_cut(**case)
    assert same(cut, cast.weights_cut(**case))
    assert 1 < cut < 16 / element


@given(share=st.floats(0.01, 1), faster=st.floats(1.05, 4))
def test_a_step_is_as_fast_as_its_parts(share: float, faster: float) -> None:
    speedup = fp8.step_speedup(gemm_share=share, gemm_speedup=faster)
    assert same(speedup, cast.step_speedup(gemm_share=share, gemm_speedup=faster))
    if speedup > 1.001:
        wanted = min(speedup, faster)
        assert math.isclose(fp8.needed_gemm_share(speedup=wanted, gemm_speedup=faster), share, rel_tol=1e-6)
        assert math.isclose(
            fp8.needed_gemm_share(speedup=wanted, gemm_speedup=faster),
            cast.needed_gemm_share(speedup=wanted, gemm_speedup=faster),
            rel_tol=1e-6,
        )


@given(bf16=st.floats(1e14, 1e15), ratio=st.floats(1.1, 2), hbm=st.floats(1e12, 8e12), width=st.sampled_from([3, 5]))
def test_the_width_that_pays_is_where_both_take_as_long(bf16: float, ratio: float, hbm: float, width: int) -> None:
    case = {
        "bf16_flop_per_s": bf16, "fp8_flop_per_s": bf16 * ratio, "hbm_bytes_per_s": hbm, "bytes_per_element": width,
    }  # fmt: skip
    assert math.isclose(fp8.smallest_width_that_pays(**case), cast.smallest_width_that_pays(**case), rel_tol=1e-6)


@given(
    layers=st.integers(1, 130),
    head=st.sampled_from([64, 128]),
    kv_heads=st.sampled_from([1, 2, 8]),
    groups=st.integers(1, 16),
    ffn=st.integers(64, 60000),
    vocabulary=st.integers(100, 200000),
    length=st.integers(1, 131072),
)
def test_the_linear_share_is_that_of_the_matrices(
    layers: int, head: int, kv_heads: int, groups: int, ffn: int, vocabulary: int, length: int
) -> None:
    heads = kv_heads * groups
    case = {
        "layers": layers, "hidden": head * heads, "ffn_hidden": ffn, "heads": heads, "kv_heads": kv_heads,
        "vocabulary": vocabulary, "sequence_length": length,
    }  # fmt: skip
    assert same(fp8.linear_flop_share(**case), cast.linear_flop_share(**case))


@given(parameters=sizes, gpus=st.integers(1, 4096), width=st.sampled_from([1, 2]))
def test_gathers_in_fp8(parameters: int, gpus: int, width: int) -> None:
    case = {"parameters": parameters, "gpus": gpus, "bytes_per_gathered_weight": width}
    assert math.isclose(
        fp8.fp8_step_traffic_bytes(**case), cast.fp8_step_traffic_bytes(**case), rel_tol=1e-9, abs_tol=1e-9
    )


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="no recipe of FP32"):
        precision_memory.state_bytes(parameters=1, recipe="FP4")
    with pytest.raises(ValueError, match="more_state_bytes"):
        precision_memory.break_even_activation_bytes(parameters=1e9, bytes_per_gradient=1)
    with pytest.raises(ValueError, match="do not divide"):
        precision_memory.fp8_activation_saving_bytes(
            layers=1, tensors=1, sequences=1, sequence_length=1, hidden=100, block=128
        )
    with pytest.raises(ValueError, match=r"^speedup_above_one must be above 0"):
        fp8.needed_gemm_share(speedup=1, gemm_speedup=2)
    with pytest.raises(ValueError, match="gemm_speedup_above_one must be above 0"):
        fp8.needed_gemm_share(speedup=1.2, gemm_speedup=1)
    with pytest.raises(ValueError, match="cannot become 3"):
        fp8.needed_gemm_share(speedup=3, gemm_speedup=2)
    with pytest.raises(ValueError, match="saved_s_per_flop"):
        fp8.smallest_width_that_pays(bf16_flop_per_s=2, fp8_flop_per_s=1, hbm_bytes_per_s=1, bytes_per_element=5)
    with pytest.raises(ValueError, match="must divide"):
        fp8.linear_flop_share(layers=1, hidden=10, ffn_hidden=1, heads=3, kv_heads=1, vocabulary=1, sequence_length=1)
    with pytest.raises(ValueError, match="range"):
        fp8.fp8_format(smallest_value=2.0, largest_value=1.0)
