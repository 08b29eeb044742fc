"""Units: read as people write them, kept apart where they differ."""

from __future__ import annotations

import math
from contextlib import suppress
from fractions import Fraction
from typing import Any

import pint
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from drawing import a_quarter_at_once
from shardwise.errors import ShardwiseError, Unreadable
from shardwise.units import THIN_SPACE, from_base, nouns_asked_for, read, show_amount, show_number, to_base, unit


def test_a_bit_is_an_eighth_of_a_byte_and_never_a_plain_number() -> None:
    assert read("8 Gb", "GB").value == 10**9
    with pytest.raises(Unreadable, match="a plain number"):
        read("8 Gb", "1")


@pytest.mark.parametrize(
    ("text", "asked", "value"),
    [
        ("1_750 MB", "GB", 1.75e9),
        ("2 997 MB", "GB", 2.997e9),
        ("70\u202f000 us", "ms", 0.07),
        ("１,４９８５ GB", "GB", 1.4985e9),
        ("१५,५ GB", "GB", 15.5e9),
        ("٧٠.٥ ms", "s", 0.0705),
        ("0,0001", "1", 1e-4),
        ("1,4651", "1", 1.4651),
        ("12,5 GB", "GB", 12.5e9),
        ("1.234,5 GB", "GB", 1234.5e9),
        ("2,048 GPUs", "GPU", 2048),
        ("2*127/128*2 GB/(100 GB/s)", "s", 2 * 127 / 128 * 2 / 100),
        ("100 GB / 2 s", "GB/s", 50e9),
        ("3*10^{-2}", "1", 0.03),
        ("-2^2", "1", -4),
        ("ceil(511/64)", "GPU", 8),
        ("-15.4*math.log(1 - 5/15.4)", "1", -15.4 * math.log(1 - 5 / 15.4)),
        ("2 * exp(-1) s", "s", 2 * math.exp(-1)),
        ("375 H100", "GPU", 375),
        ("8x A100-80GB", "GPU", 8),
        ("2*15/16 = 1.875 GB", "GB", 1.875e9),
        ("64-way", "1", 64),
        ("24:1", "1", 24),
        ("75833 pfs-days", "PFLOP/s*day", 75833 * 8.64e19),
        ("3640 petaFLOP-days", "PFLOP/s*day", 3640 * 8.64e19),
        ("3640 PF-days", "PFLOP/s*day", 3640 * 8.64e19),
        ("8 gradient accumulation steps", "step", 8),
        ("24 micro-batches", "step", 24),
        ("12 samples/s", "seq/s", 12),
        ("2^30 B", "GiB", 2**30),
        ("140 Gbit", "GB", 17.5e9),
        ("400 Gbps", "GB/s", 50e9),
        ("50 GB/s per direction", "GB/s", 50e9),
        ("405B", "parameter", 405e9),
        ("11,216 USD", "dollar", 11_216),  # money has cents, and no thousandths
        ("98,304 dollars per day", "dollar/day", 98_304 / 86_400),
        ("466.286 tokens", "token", 466.286),  # a point is a decimal point, as Python prints it
        ("120 GB / (2 B)", "parameter", 60e9),  # bytes, and no two billion
        ("120 GB / 2 B", "parameter", 60e9),
        ("70 B", "parameter", 70e9),
        ("5 t", "kg", 5e6),
        ("0.42 t/MWh", "g/kWh", 420 / 3.6e6),
        ("989 TFLOPS", "TFLOP/s", 989e12),
        ("30.84 million GPU-hours", "GPU*h", 30.84e6 * 3600),
        ("1.06 GWh", "kWh", 1.06e9 * 3600),
        ("420 g/kWh", "g/kWh", 420 / 3.6e6),
        ("420 g of CO₂ per kWh", "g/kWh", 420 / 3.6e6),
        ("0.42 tonnes CO2-eq/MWh", "g/kWh", 420 / 3.6e6),
        ("420 grams CO2 equivalent per kilowatt-hour", "g/kWh", 420 / 3.6e6),
        ("−3 ms", "ms", -0.003),
        ("50 GBPs", "GB/s", 50e9),
        ("50 Gbps", "Gbit/s", 6.25e9),
        ("12 GPU (hours)", "GPU*h", 43_200),
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
        ("64 GPUs", "step", "It counts GPUs; this question asks for steps."),
        ("<40 ms", "ms", "That is a bound. I expected the number itself."),
        ("120 GB / (4 B)", "ms", "It is an amount of data; this question asks for a time."),
        ("1,875 GB", "GB", "read in two ways, as 1875 GB or as 1.875 GB."),
        ("39,375 us", "GB", "“us” is a time; this question asks for an amount of data."),
        ("$1,875M", "dollar", "read in two ways, as 1875 M dollar or as 1.875 M dollar."),
        ("1,23,456 GB", "GB", "I can't tell which number “1,23,456” is"),
        ("1024 256 GB", "GB", "I can't tell which number"),
        ("1875 mb", "MB", "begins with m, which is milli. M is mega"),
        ("1875 kb", "MB", "Did you mean kB or kbit?"),
        ("70-72 ms", "ms", "Is it from 70 to 72?"),
        ("2 × 10-3 s", "ms", "Is that 10^-3?"),
        ("70 ms = 0.07 GB", "s", "The two sides of “=” are not equal."),
        ("3 s 2 d", "s", "two numbers side by side"),
        ("2 GB + 3 s", "GB", "adds quantities of different kinds"),
        ("log(8)", "1", "This log has no base. Write ln, log2 or log10."),
        ("ln(0)", "1", "ln of that number is undefined"),
        ("exp(2 s)", "1", "exp takes a plain number"),
        ("2^100000", "1", "That power is too large."),
        ("2 +", "1", "ends where I expected a number"),
        ("5 GPs", "GB/s", "“GPs” is not a unit I know. Did you mean GPUs?"),
        ("8 GPU(s)", "gpu", "“GPU(s)” is not a unit I know. Did you mean GPUs?"),
        ("5 (GB", "GB", "I expected no “(” after “5”."),
        ("5 GB/", "GB", "It ends where I expected a number."),
        ("3/0", "1", "It divides by zero."),
        ("1" * 500, "GB", "an answer of 500 characters"),
        ("0x10 GB", "GB", "Is “0x10” a hexadecimal number? Write it in decimal digits."),
    ],
)
def test_what_cannot_be_read_is_said_in_words(text: str, asked: str, said: str) -> None:
    with pytest.raises(Unreadable) as error:
        read(text, asked)
    assert said in str(error.value)


@pytest.mark.parametrize("word", ["parameters", "params", "weights"])
def test_a_plain_number_of_parameters_may_be_called_by_other_words_for_them(word: str) -> None:
    assert read(f"140B {word}", "", nouns=("parameter",)).value == 140e9
    if word != "parameters":
        with pytest.raises(Unreadable):
            read(f"140B {word}", "", nouns=("copy",))


@pytest.mark.parametrize(("unit_text", "nouns"), [("node", ("nodes",)), ("1", ("nodes", "node")), ("1", ("server",))])
def test_what_a_question_only_mentions_names_no_answer(unit_text: str, nouns: tuple[str, ...]) -> None:
    def told(text: str) -> float:
        return read(text, unit_text, "none", nouns, ("core", "rack", "spare")).value

    for text in ("6", "6 Servers", "6 machines", "6 nodes per rack", "6 spare nodes", "6 nodes of cores"):
        assert told(text) == 6
    for text, counted in (
        ("6 cores", "cores"),
        ("1 core", "cores"),
        ("6 spare cores", "cores"),
        ("6 racks of nodes", "racks"),
    ):
        with pytest.raises(Unreadable, match=f"It counts {counted}; this question asks for (?:nodes|servers)."):
            told(text)
    with pytest.raises(Unreadable, match="“nodes per banana” is not a unit I know"):
        told("6 nodes per banana")


def test_what_is_measured_is_not_answered_by_a_count() -> None:
    for unit_text, asked in (("GB", "an amount of data"), ("%", "a plain number"), ("token/s", "token per time")):
        with pytest.raises(Unreadable, match=f"It counts ranks; this question asks for {asked}."):
            read("6 ranks", unit_text, "none", (), ("rank",))
    assert read("6 GB per rank", "GB", "none", (), ("rank",)).value == 6e9
    with pytest.raises(Unreadable, match="asks for token per time"):
        read("6 tokens", "token/s")


@pytest.mark.parametrize(
    ("prompt", "asked"),
    [
        ("Two clusters have the same number of GPUs. What is the smallest number of accumulation steps?", ("steps",)),
        ("It has 16 replicas. How many of the 48 layers are recomputed?", ("layers",)),
        ("By how many per cent does it grow? How many times is that?", ()),
        (
            "The number of stages must be even. How many micro-batches are 16,384. How many racks?",
            ("micro-batches", "racks"),
        ),
    ],
)
def test_a_prompt_asks_for_some_of_what_it_counts(prompt: str, asked: tuple[str, ...]) -> None:
    assert nouns_asked_for(prompt) == asked


def test_where_only_a_whole_number_can_be_meant_a_comma_parts_thousands_and_a_point_is_asked_about() -> None:
    assert read("3,312 GPUs", "1", nouns=("GPUs",), whole=True).value == 3312
    for text in ("16.000 GPUs", "170.667"):
        with pytest.raises(
            Unreadable,
            match=r"The point can be read in two ways, as (16000 GPUs or as 16.000 GPUs|170667 or as 170.667)\.",
        ):
            read(text, "GPU", whole=True)
    with pytest.raises(Unreadable, match="The comma can be read in two ways"):
        read("3,312", "1")


@pytest.mark.parametrize(
    ("text", "asked", "step"),
    [("0.289 s", "s", 1e-3), ("289 ms", "s", 1e-3), ("1.75e9 B", "GB", 1e7), ("8,190", "step", 1), ("2*14/3", "1", 0),
     ("17.5", "%", 1e-3), ("40 GB/s duplex", "GB/s", 5e8)],
)  # fmt: skip
def test_what_one_of_the_last_digit_is_is_known(text: str, asked: str, step: float) -> None:
    assert read(text, asked).step == pytest.approx(step)


def test_a_number_beside_per_cent_may_be_a_share_and_then_has_the_digits_of_one() -> None:
    share, plain = read("1.175", "%").each(1.0)
    assert (share.value, share.step) == (1.175, 0.001)
    assert (plain.value, plain.step) == (0.01175, pytest.approx(1e-5))


@pytest.mark.parametrize("sign", ["≥ ", ">= ", "≤", "<= ", "at least "])
def test_a_bound_is_read_as_the_number_at_it(sign: str) -> None:
    assert read(f"{sign}11.45 MB", "MB").value == 11.45e6


@pytest.mark.parametrize("shared", ["/month", " per month", " a month", " each month", " every month"])
def test_what_is_asked_for_each_month_may_be_answered_so(shared: str) -> None:
    assert read(f"2339 dollars{shared}", "dollar", nouns=("month",)).value == 2339
    with pytest.raises(Unreadable, match="not a unit I know"):
        read(f"2339 dollars{shared}", "dollar")


@given(st.text(max_size=60), st.sampled_from(["GB", "ms", "1", "step", "%", "GB/s", "PFLOP/s*day", "dollar"]))
def test_nothing_but_unreadable_comes_out_of_any_text(text: str, asked: str) -> None:
    with suppress(Unreadable):
        assert isinstance(read(text, asked).value, float)


@given(
    st.floats(1e-12, 1e25),
    st.sampled_from(["GB", "GiB", "kB", "bit", "ms", "us", "day", "TFLOP", "GPU*h", "kWh", "step", "%"]),
)
@example(1.875, "step")
def test_what_we_write_we_read_back(value: float, text: str) -> None:
    base = float(to_base(value, text))
    assert math.isclose(from_base(base, text), value, rel_tol=1e-12)
    assert math.isclose(read(show_amount(base, text, digits=12), text).value, base, rel_tol=1e-10)


@given(st.floats(-1e30, 1e30, allow_nan=False), st.integers(2, 8))
def test_a_number_shown_is_the_number_to_so_many_digits(value: float, digits: int) -> None:
    text = show_number(value, digits)
    plain = text.replace(THIN_SPACE, "").translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))
    back = float(plain.replace(" × 10", "e"))
    assert math.isclose(back, value, rel_tol=0.51 * 10.0 ** (1 - digits), abs_tol=1e-300)


@pytest.mark.parametrize("text", ["1.5 GB ± 0.1 GB", "1.5 GB +- 0.1 GB", "1.5 +/- 0.1 GB"])
def test_a_number_with_its_error_is_not_taken_for_a_difference(text: str) -> None:
    with pytest.raises(Unreadable, match="followed by an error"):
        read(text, "GB")


@pytest.mark.parametrize("text", ["\ufeff1.5 GB", "1.5\u200bGB", "1.5\u2060 GB\u200d", "1.5\u00a0GB"])
def test_signs_that_nobody_sees_come_with_what_is_pasted_and_mean_nothing(text: str) -> None:
    assert read(text, "GB").value == 1.5e9


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hors", "Did you mean hours?"), ("minuts", "Did you mean minutes?"), ("GB/sek", "Did you mean GB/s?"),
        ("months", "They differ in length: write days or hours."), ("Yr", "They differ in length: write days or hours."),
        *((far, "") for far in ("t/MWh", "miles", "euros", "lbs", "milisecond", "step/y", "decades")),
    ],
)  # fmt: skip
def test_what_is_near_to_no_unit_is_not_said_to_be(text: str, said: str) -> None:
    with pytest.raises(ShardwiseError) as told:
        unit(text)
    assert str(told.value) == f"“{text}” is not a unit I know. {said}".rstrip()


def test_whole_numbers_stay_whole() -> None:
    assert to_base(2, "GiB") == 2**31
    assert isinstance(to_base(2, "GiB"), int)
    assert to_base(0.1, "us") == 1e-7


# pint as the judge ------------------------------------------------------------------------------------------------

PREFIXES = """
kilo- = 1000 = k- = K-
mega- = 1000000 = M-
giga- = 1000000000 = G-
tera- = 1000000000000 = T-
peta- = 1000000000000000 = P-
exa- = 1000000000000000000 = E-
kibi- = 1024 = Ki-
mebi- = 1048576 = Mi-
gibi- = 1073741824 = Gi-
tebi- = 1099511627776 = Ti-
pebi- = 1125899906842624 = Pi-
milli- = 1/1000 = m-
micro- = 1/1000000 = u- = µ- = μ-
nano- = 1/1000000000 = n-
"""
UNITS = """
byte = [information] = B = octet
bit = byte / 8 = b
second = [time] = s = sec
minute = 60 * second = min
hour = 3600 * second = h = hr
day = 86400 * second = d
week = 604800 * second
flop = [computation] = FLOP
joule = [energy] = J
watt = joule / second = W
watt_hour = 3600 * joule = Wh
dollar = [money] = USD
gram = [mass] = g
tonne = 1000000 * gram
token = [token]
step = [step]
gpu = [gpu] = GPU
node = [node]
layer = [layer]
stage = [stage]
sequence = [sequence] = seq
sample = [sample]
micro_batch = [micro_batch]
parameter = [parameter] = param
message = [message]
crash = [crash]
head = [head]
"""


def _names(definitions: str) -> list[str]:
    """Every name and symbol of pint's definitions: the parts between equals signs, without the values."""
    rows = [line.replace("-", "").split(" = ") for line in definitions.strip().splitlines()]
    return [name for first, _, *more in rows for name in (first, *more)]


class Judge:
    """What pint makes of a unit, from definitions in its own words; its default registry has bits without a dimension."""

    def __init__(self) -> None:
        self.registry: Any = pint.UnitRegistry(None, non_int_type=Fraction, on_redefinition="ignore")
        for line in (PREFIXES + UNITS).strip().splitlines():
            if line:
                self.registry.define(line)

    def scale(self, text: str) -> tuple[Fraction, dict[str, int]] | None:
        """The factor and the powers of the dimensions, or None where pint knows no such unit."""
        try:
            units = self.registry.parse_units(text)
            return Fraction(self.registry.get_base_units(units)[0]), dict(units.dimensionality)
        except Exception:  # pint raises many kinds for one thing
            return None


JUDGE = Judge()


def _ours(text: str) -> tuple[Fraction, dict[str, int]] | None:
    """What `unit` makes of a text, in the form of the judge."""
    try:
        known = unit(text)
    except ShardwiseError:
        return None
    over, *under = known.dimension.split(" / ")
    powers = {name: 1 for name in over.split(" * ") if name not in ("1", "dimensionless")}
    return known.factor, powers | dict.fromkeys(under, -1)


NAMES = _names(UNITS)
SINGLE = st.builds(
    "{}{}{}".format, st.sampled_from(["", *_names(PREFIXES)]), st.sampled_from(NAMES), st.sampled_from(["", "s"])
)
COMPOUND = st.lists(
    st.sampled_from(["GB", "s", "GPU", "hours", "kWh", "token", "*", " / ", "*(", "/(", ")"]), max_size=9
)


@settings(max_examples=a_quarter_at_once(800))
@given(SINGLE)
def test_a_unit_with_a_prefix_or_a_plural_is_what_pint_says(text: str) -> None:
    assert _ours(text) == JUDGE.scale(text)


@given(COMPOUND.map("".join))
def test_a_quotient_or_a_product_of_units_is_what_pint_says(text: str) -> None:
    said, ours = JUDGE.scale(text), _ours(text)
    if text.strip() and (said is None or ours is not None):  # we refuse more: squares, unknown names that cancel, GB(s)
        assert ours == said


@pytest.mark.parametrize(
    ("text", "asked", "usual", "value", "how"),
    [
        ("39,375 us", "us", (9e3, 9e5), 0.039375, "thousands separator"),
        ("39,375 us", "us", (3, 200), 39.375e-6, "decimal point"),
        ("5,556 d", "day", (800, 4e4), 5556 * 86_400, "thousands separator"),
        ("93,960 PFLOP/s·day", "PFLOP/s*day", (900, 1e6), 93_960e15 * 86_400, "thousands separator"),
        ("39,375 ms", "us", (1e3, 1e5), 0.039375, "decimal point"),
        ("12,345 %", "%", (1, 100), 0.12345, "decimal point"),
    ],
)
def test_a_comma_with_one_group_is_read_where_the_questions_answers_lie(
    text: str, asked: str, usual: tuple[float, float], value: float, how: str
) -> None:
    reading = read(text, asked, usual=usual)
    assert reading.value == pytest.approx(value, rel=1e-12)
    assert reading.text.endswith(how)


@pytest.mark.parametrize("usual", [None, (1, 1e5), (1e6, 1e9)])
def test_a_comma_is_asked_about_where_both_readings_are_usual_or_neither_is(usual: tuple[float, float] | None) -> None:
    with pytest.raises(Unreadable, match=r"in two ways, as 39375 us or as 39\.375 us\."):
        read("39,375 us", "us", usual=usual)


def test_a_point_in_a_whole_number_is_read_likewise() -> None:
    assert read("1.304 tokens", "token", whole=True, usual=(300, 9e3)).value == 1304
