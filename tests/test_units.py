"""Units: read as people write them, kept apart where they differ."""

from __future__ import annotations

import math
import subprocess
import sys
from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shardwise import everyday, units
from shardwise.errors import ShardwiseError, Unreadable
from shardwise.units import from_base, read, show, show_number, to_base, unit


def test_gb_is_not_gib() -> None:
    assert read("1 GiB", "GB").value == 2**30
    assert read("1 GB", "GiB").value == 10**9


def test_a_bit_is_an_eighth_of_a_byte_and_never_a_plain_number() -> None:
    assert read("8 Gb", "GB").value == 10**9
    with pytest.raises(Unreadable, match="a plain number"):
        read("8 Gb", "1")


@pytest.mark.parametrize(
    ("text", "asked", "value"),
    [
        ("70 ms", "s", 0.07),
        ("0.07s", "ms", 0.07),
        ("1,750 MB", "GB", 1.75e9),
        ("1.75×10^9 B", "GB", 1.75e9),
        ("1.75 x 10^9 bytes", "GB", 1.75e9),
        ("2^30 B", "GiB", 2**30),
        ("7/8 GB", "GB", 0.875e9),
        ("≈ 66 ms", "ms", 0.066),
        ("140 Gbit", "GB", 17.5e9),
        ("400 Gbps", "GB/s", 50e9),
        ("50 GB/s per direction", "GB/s", 50e9),
        ("100 GB/s (both directions)", "GB/s", 50e9),
        ("64", "step", 64),
        ("64 steps", "step", 64),
        ("4M tokens", "token", 4e6),
        ("405B", "parameter", 405e9),
        ("$60.5 million", "dollar", 60.5e6),
        ("60.5M dollars", "dollar", 60.5e6),
        ("12.5 %", "1", 0.125),
        ("0.125", "1", 0.125),
        ("3.82x", "1", 3.82),
        ("438,750 PF-days", "PFLOP/s*day", 438750 * 8.64e19),
        ("438,750 petaflop-days", "PFLOP/s*day", 438750 * 8.64e19),
        ("3.79e25 FLOPs", "FLOP", 3.79e25),
        ("989 TFLOPS", "TFLOP/s", 989e12),
        ("30.84 million GPU-hours", "GPU*h", 30.84e6 * 3600),
        ("1.06 GWh", "kWh", 1.06e9 * 3600),
        ("2 days", "h", 172800),
        ("−3 ms", "ms", -0.003),
        ("264.9 seq/s", "sequence/s", 264.9),
    ],
)
def test_numbers_are_read_as_people_write_them(text: str, asked: str, value: float) -> None:
    assert math.isclose(read(text, asked).value, value, rel_tol=1e-12)


@pytest.mark.parametrize(
    ("text", "asked", "said"),
    [
        ("40 GB/s", "GB", "“GB/s” is a bandwidth; this question asks for an amount of data."),
        ("40 GB", "ms", "“GB” is an amount of data; this question asks for a time."),
        ("140", "GB", "a number without a unit. 140 what?"),
        ("64 GPUs", "step", "“GPUs” is a number of GPUs; this question asks for a number of steps."),
        ("7 gb", "GB", "Did you mean GB or Gb?"),
        ("1,75 GB", "GB", "is that comma a decimal point?"),
        ("many", "GB", "I expected a number first."),
        ("1e999 B", "GB", "nothing in this course is that large"),
        ("9**9**9", "1", "“**9” is not a unit"),
        ("3/0", "1", "it divides by zero"),
        ("1" * 500, "GB", "an answer of 500 characters"),
        ("5 __import__('os')", "GB", "is not a unit"),
    ],
)
def test_what_cannot_be_read_is_said_in_words(text: str, asked: str, said: str) -> None:
    with pytest.raises(Unreadable) as error:
        read(text, asked)
    assert said in str(error.value)


@given(st.text(max_size=60), st.sampled_from(["GB", "ms", "1", "step", "%", "GB/s", "PFLOP/s*day", "dollar"]))
def test_nothing_but_unreadable_comes_out_of_any_text(text: str, asked: str) -> None:
    with suppress(Unreadable):
        assert isinstance(read(text, asked).value, float)


@given(
    st.floats(1e-12, 1e25),
    st.sampled_from(["GB", "GiB", "kB", "bit", "ms", "us", "day", "TFLOP", "GPU*h", "kWh", "step", "%"]),
)
def test_what_we_write_we_read_back(value: float, text: str) -> None:
    base = float(to_base(value, text))
    assert math.isclose(read(show(base, text, digits=12), text).value, base, rel_tol=1e-10)
    assert math.isclose(from_base(base, text), value, rel_tol=1e-12)


@given(st.floats(-1e30, 1e30, allow_nan=False), st.integers(2, 8))
def test_a_number_shown_is_the_number_to_so_many_digits(value: float, digits: int) -> None:
    text = show_number(value, digits)
    plain = text.replace(",", "").translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))
    back = float(plain.replace(" × 10", "e"))
    assert math.isclose(back, value, rel_tol=0.51 * 10.0 ** (1 - digits), abs_tol=1e-300)


def test_an_unknown_unit_names_its_neighbour() -> None:
    with pytest.raises(ShardwiseError, match="Did you mean kWh"):
        unit("kWhr")


def test_whole_numbers_stay_whole() -> None:
    assert to_base(2, "GiB") == 2**31
    assert isinstance(to_base(2, "GiB"), int)
    assert to_base(0.1, "us") == 1e-7


def test_the_table_of_everyday_units_is_what_pint_says() -> None:
    for spelled, (top, bottom, dimension) in everyday.known().items():
        assert units.by_pint(spelled) == (Fraction(top, bottom), dimension), spelled
    assert set(everyday.known()) <= set(everyday.spellings())
    assert len(everyday.known()) > 250


def test_units_of_the_bank_are_marked_without_loading_pint() -> None:
    program = (
        "import sys\n"
        "from shardwise.bank.bank import bank, pose\n"
        "from shardwise.marking import check\n"
        "question = pose(bank().find('bytes-per-gpu'), 1)\n"
        "assert check(question, '3 GB').outcome and check(question, '7e9 bytes').read\n"
        "assert 'pint' not in sys.modules and 'numpy' not in sys.modules, 'loaded'\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_unit_that_is_not_of_every_day_is_still_known() -> None:
    assert units.unit("GB/week") == units.Unit("GB/week", Fraction(10**9, 604_800), "[information] / [time]")
