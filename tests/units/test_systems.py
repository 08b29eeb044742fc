"""Units of other fields: the SI and everyday units, and those that a bank defines."""

from __future__ import annotations

import math
from pathlib import Path

import pint
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shardwise.bank.bank import Bank
from shardwise.errors import Faulty, Unreadable
from shardwise.units import from_base, qualified, read, show_amount, system_text, to_base, unit

ALL = system_text(("si", "everyday"), {}, ())


def si(text: str) -> str:
    return qualified(text, ALL)


@pytest.mark.parametrize(
    ("text", "asked", "value"),
    [
        ("9.81 m/s^2", "m/s^2", 9.81),
        ("9,81 m/s²", "m/s^2", 9.81),
        ("9.81 m s^-2", "m/s^2", 9.81),
        ("9.81 m·s⁻²", "m/s^2", 9.81),
        ("9.81 m/s2", "m/s^2", 9.81),
        ("9.81 m/s/s", "m/s^2", 9.81),
        ("9.81 meters per second squared", "m/s^2", 9.81),
        (r"9.81 \mathrm{m/s^2}", "m/s^2", 9.81),
        ("9.81 N/kg", "m/s^2", 9.81),
        ("35.3 km/h", "m/s", 35.3 / 3.6),
        ("35.3 kmh", "m/s", 35.3 / 3.6),
        ("60 mph", "m/s", 26.8224),
        ("4.7 kΩ", "Ω", 4700),
        ("4.7 k\u2126", "Ω", 4700),
        (r"4.7 k\Omega", "Ω", 4700),
        ("4,7 kOhm", "Ω", 4700),
        ("4700 ohm", "kΩ", 4700),
        ("2 eV", "eV", 2 * 1.602176634e-19),
        ("3.2e-19 J", "eV", 3.2e-19),
        ("320 nm", "m", 320e-9),
        ("0.32 µm", "nm", 320e-9),  # the micro sign
        ("0.32 μm", "nm", 320e-9),  # the Greek letter
        ("0.32 um", "nm", 320e-9),
        ("1.5 kg*m/s²", "N", 1.5),
        ("5 N m", "N*m", 5),
        ("5 N·m", "N*m", 5),
        ("5 Nm", "N*m", 5),
        ("4.18 kJ/(kg K)", "J/(kg*K)", 4180),
        ("4180 J/kg K", "J/(kg*K)", 4180),
        ("4180 J kg^-1 K^-1", "J/(kg*K)", 4180),
        ("5 kg/(m s^2)", "Pa", 5),
        ("5 kg/(m*s**2)", "Pa", 5),
        ("5 kg⋅m/s²", "N", 5),
        ("1.2 MHZ", "Hz", 1.2e6),
        ("4.18 J/g°C", "J/(kg*K)", 4180),
        ("0.6 W/mK", "W/(m*K)", 0.6),
        ("3 cm³", "mL", 3e-6),
        ("22.4 l", "L", 0.0224),
        ("1013 hPa", "bar", 101300),
        ("100 N / 2 m^2", "Pa", 50),
        ("100*sin(30°) m", "m", 50),
        ("300 K", "K", 300),  # not 300,000
        ("2 mT", "T", 0.002),
        ("5 min", "s", 300),
        ("5 ft 11 in", "m", 1.8034),
        ("50 1/s", "Hz", 50),
        ("10 s^-1", "rad/s", 10),
        ("600 rpm", "rad/s", 20 * math.pi),
        ("30°", "rad", math.pi / 6),
        ("30 degrees", "°", math.pi / 6),
        ("650 kcal", "kJ", 2719600),
        ("€12", "€", 12),
        ("$12", "dollar", 12),
        ("5 Km", "m", 5000),
        ("7 million km", "km", 7e9),
    ],
)
def test_physics_is_read_as_people_write_it(text: str, asked: str, value: float) -> None:
    assert read(text, si(asked)).value == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize(
    ("text", "asked", "kelvins"),
    [
        ("25 °C", "°C", 298.15),
        ("25 C", "°C", 298.15),
        ("25 degrees Celsius", "°C", 298.15),
        ("-5 ℃", "°C", 268.15),
        ("298.15 K", "°C", 298.15),
        ("77 °F", "K", 298.15),
        ("25 °C", "ΔK", 25),
        ("25 K", "ΔK", 25),
    ],
)
def test_celsius_is_a_temperature_unless_a_difference_is_asked_for(text: str, asked: str, kelvins: float) -> None:
    assert read(text, si(asked)).value == pytest.approx(kelvins)


@pytest.mark.parametrize(
    ("text", "asked", "why"),
    [
        ("10 s", "m", "“s” is a time; this question asks for a length."),
        ("10 W", "m/s^2", "“W” is a power; this question asks for an acceleration."),
        ("30", "°", "a number without a unit"),
        ("20 °C + 5 °C", "°C", "whose zero is arbitrary"),
        ("100*sin(30) m", "m", "Write sin(30°) or sin(0.52 rad)."),
        ("3 m^12", "m", "I expected no “^” after “3 m”."),
        ("5 GB", "m", "“GB” is an amount of data; this question asks for a length."),
        ("5 metrs", "m", "“metrs” is not a unit I know. Did you mean metre?"),
        ("4180 J kg^-1 K", "J/(kg*K)", "asks for a specific heat capacity"),
        ("1.2 mhz", "Hz", "begins with m, which is milli"),
    ],
)
def test_text_that_is_not_an_answer_is_refused_with_the_reason(text: str, asked: str, why: str) -> None:
    with pytest.raises(Unreadable) as error:
        read(text, si(asked))
    assert why in str(error.value)


def test_amounts_are_shown_as_in_a_textbook() -> None:
    shown = [
        show_amount(value, si(name))
        for value, name in ((9.81, "m/s^2"), (298.15, "°C"), (math.pi / 6, "°"), (25, "ΔK"), (50, "1/s"))
    ]
    assert shown == ["9.81 m/s²", "25 °C", "30°", "25 K", "50 s⁻¹"]


KNOWN_TO_PINT = """m kg g s A K mol cd Hz N Pa J W Wh C V F ohm S Wb T H Bq Gy bar L eV t min h day week year ha
    mile ft inch yard nautical_mile mph knot lb oz gallon atm psi mmHg cal rpm degree dalton Ah
    km mA kohm hPa MJ meV µF cm dL GHz pm Ms"""


@pytest.mark.parametrize("name", KNOWN_TO_PINT.split())
def test_a_unit_has_the_size_that_pint_gives_it(name: str) -> None:
    theirs = pint.get_application_registry().Quantity(1, name).to_base_units()
    assert float(unit(si(name)).factor) == pytest.approx(theirs.magnitude, rel=1e-6)


@given(st.sampled_from(["°C", "°F", "km/h", "eV", "°", "g/mol"]), st.floats(-1e4, 1e4))
def test_a_number_survives_the_way_to_base_units_and_back(name: str, number: float) -> None:
    assert from_base(to_base(number, si(name)), si(name)) == pytest.approx(number, rel=1e-9, abs=1e-9)


def test_a_bank_without_a_choice_keeps_the_units_of_computing() -> None:
    for text in ("5 m", "5 m^2", "5 °C", "5 V"):
        with pytest.raises(Unreadable):
            read(text, "s")
    assert read("5 K", "token").value == 5000
    assert qualified("GB", system_text(("computing",), {}, ())) == "GB"


OWN = """\
systems: [si, everyday]
units:
  furlong: 201.168 m
  fortnight: {is: 14 d, aliases: [fn]}
  widget: {dimension: widget}
  jolt: {is: 3.5 kJ, aliases: [Jt], prefixes: true}
"""


def bank_with(folder: Path, units: str) -> Bank:
    chapter = folder / "problems" / "01-own"
    chapter.mkdir(parents=True)
    (folder / "problems" / "units.yaml").write_text(units, encoding="utf-8")
    (chapter / "chapter.yaml").write_text("title: Own units\nsummary: A chapter for a test.\nproblems: [a-walk]\n")
    (chapter / "a-walk.yaml").write_text("")
    return Bank.open(folder)


def test_a_bank_defines_units_and_its_questions_carry_them(tmp_path: Path) -> None:
    own = bank_with(tmp_path, OWN).references.units
    assert read("2 furlongs per fortnight", qualified("m/s", own)).value == pytest.approx(2 * 201.168 / 1_209_600)
    assert read("2 kJt", qualified("J", own)).value == 7e6
    assert read("12 widgets", qualified("widget", own)).value == read("12", qualified("widget", own)).value == 12
    assert show_amount(12, qualified("widget", own)) == "12 widgets"
    with pytest.raises(Unreadable, match="is a length; this question asks for widgets"):
        read("12 m", qualified("widget", own))


@pytest.mark.parametrize(
    ("units", "words"),
    [
        ("systems: [imperial]", "'computing', 'si' or 'everyday'"),
        ("systems: [si]\nunits: {furlong: 220 yards}", "furlong: “220 yards” is neither a number with a unit"),
        ("units: {furlong: {is: 3 s, dimension: furlong}}", "either `is`"),
        ("units: {'two words': 3 s}", "two words"),
    ],
)
def test_a_fault_in_units_yaml_is_reported_with_its_place(tmp_path: Path, units: str, words: str) -> None:
    with pytest.raises(Faulty) as error:
        bank_with(tmp_path, units)
    assert all(fault.place.startswith("problems/units.yaml:") for fault in error.value.faults)
    assert words in " ".join(f"{fault.message} {fault.remedy}" for fault in error.value.faults)
