"""Parameters: the numbers of a problem, each drawn in one of five ways, with their units."""

from __future__ import annotations

import decimal
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo, model_validator

from shardwise.errors import ShardwiseError
from shardwise.template.expressions import check_syntax
from shardwise.units import DIRECTIONS, qualified, to_base, unit

Scalar = bool | int | float | str
MOST_STEPS = 100_000  # in a range, because all of its values are computed
_EXACT = decimal.Context(prec=28)  # decimal's ln and exp are correctly rounded, so they agree on every machine


def valid_unit(text: str, info: ValidationInfo) -> str:
    """Return the name of a unit with the system of its bank, which is the context. Raises ValueError, which pydantic collects."""
    try:
        name = qualified(text, info.context or "")
        unit(name)
    except ShardwiseError as error:
        raise ValueError(str(error)) from None
    return name


UnitName = Annotated[str, AfterValidator(valid_unit)]


class Parameter(BaseModel):
    """How a number is drawn: exactly one of choice, range, log_range, fixed and derived."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    choice: tuple[Scalar, ...] | None = Field(None, description="One of these values.")
    range: tuple[int | float, int | float, int | float] | None = Field(
        None, description="[low, high, step], including both ends."
    )
    log_range: tuple[float, float] | None = Field(None, description="[low, high], uniform on a logarithmic scale.")
    digits: int = Field(2, ge=1, le=6, description="Significant digits of a log_range draw.")
    fixed: Scalar | None = Field(None, description="Always this value; the same as a bare value.")
    derived: str | None = Field(None, description="An expression over the other parameters, in base units.")
    unit: UnitName | None = Field(None, description="Unit of the values, such as GB, GiB, us or TFLOP/s.")
    direction: Literal["per direction", "duplex", "none"] | None = Field(
        None, description="Required for bandwidths: the rate in one direction, in both together, or neither."
    )

    @model_validator(mode="after")
    def _one_way_of_drawing(self) -> Parameter:
        ways = [
            name for name in ("choice", "range", "log_range", "fixed", "derived") if getattr(self, name) is not None
        ]
        if len(ways) != 1:
            raise ValueError(
                f"a parameter must be drawn in exactly one way, not {len(ways)}"
                f"{': ' + ', '.join(ways) if ways else ''}. A parameter is a plain value, {{choice: [a, b]}}, "
                "{range: [low, high, step]}, {log_range: [low, high]} or {derived: expression}."
            )
        if self.choice is not None and len(set(map(repr, self.choice))) != len(self.choice):
            raise ValueError("a choice must not repeat a value")
        if self.choice == ():
            raise ValueError("a choice needs at least one value")
        if self.range is not None:
            if not (self.range[0] <= self.range[1] and self.range[2] > 0):
                raise ValueError("a range must be [low, high, step] with low at most high and a step above 0")
            if self.range[1] - self.range[0] > MOST_STEPS * self.range[2]:
                raise ValueError(f"a range can have at most {MOST_STEPS:,} steps: use a larger step or a log_range")
        if self.log_range is not None and not 0 < self.log_range[0] < self.log_range[1]:
            raise ValueError("a log_range must be [low, high] with 0 < low < high")
        self._check_unit()
        if self.derived is not None:
            _or_value_error(check_syntax, self.derived, is_prose=False)
        return self

    def _check_unit(self) -> None:
        if self.unit is not None:
            measured = unit(self.unit)
            if measured.dimension == "[information] / [time]" and self.direction is None:
                raise ValueError(f"a bandwidth in {measured.text} needs a direction: one of {', '.join(DIRECTIONS)}")
        words = [value for value in (*(self.choice or ()), self.fixed) if isinstance(value, str)]
        if words and self.unit is not None:
            raise ValueError(f"{words[0]!r} is text, but the unit {unit(self.unit).text} needs a number")
        if words and _is_number(words[0]):
            raise ValueError(f"{words[0]!r} is text; write the number without quotes")

    def values(self) -> Sequence[Scalar]:
        """Return the values as written, simplest first; for a log_range, eight values across it."""
        return self._values

    @cached_property
    def _values(self) -> Sequence[Scalar]:
        if self.choice is not None:
            return self.choice
        if self.range is not None:
            low, high, step = map(_exact, self.range)
            return Steps(_step(self.range, place) for place in range(int((high - low) // step) + 1))
        if self.log_range is not None:
            return tuple(_on_log_scale(self.log_range, index * 2**64 // 7, self.digits) for index in range(8))
        return () if self.fixed is None else (self.fixed,)

    def roll(self, number: int) -> Scalar:
        """Return the value for a random integer below 2**64."""
        if self.log_range is not None:
            return _on_log_scale(self.log_range, number, self.digits)
        values = self.values()
        return values[(number * len(values)) >> 64]

    def base(self, value: Scalar) -> Scalar:
        """Convert a value as written to base units; a duplex bandwidth becomes that of one direction."""
        if isinstance(value, bool | str) or self.unit is None:
            return value
        return to_base(value, self.unit, self.direction or "none")


class Steps(tuple[int | float, ...]):
    """The values of a range."""


def _wrap(value: Any) -> Any:
    return value if isinstance(value, Mapping | Parameter) else {"fixed": value}


Written = Annotated[Parameter, BeforeValidator(_wrap, json_schema_input_type=Scalar | Parameter)]  # in a template


def _or_value_error(function: Any, *args: Any, **kwargs: Any) -> Any:
    """Call a function, turning ShardwiseError into ValueError, which pydantic collects."""
    try:
        return function(*args, **kwargs)
    except ShardwiseError as error:
        raise ValueError(str(error)) from None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _exact(number: float) -> decimal.Decimal:
    """Return a number exactly as written: 0.1, not the nearest binary fraction."""
    return decimal.Decimal(repr(number))


def _step(bounds: tuple[float, float, float], index: int) -> int | float:
    low, _, step = bounds
    if all(isinstance(bound, int) for bound in bounds):
        return low + index * step
    return float(_exact(low) + index * _exact(step))


def _on_log_scale(bounds: tuple[float, float], number: int, digits: int) -> int | float:
    low, high = map(_exact, bounds)
    span = _EXACT.subtract(_EXACT.ln(high), _EXACT.ln(low))
    fraction = _EXACT.divide(decimal.Decimal(number), decimal.Decimal(2**64))
    value = _EXACT.exp(_EXACT.add(_EXACT.ln(low), _EXACT.multiply(span, fraction)))
    rounded = decimal.Context(prec=digits).plus(value)
    return int(rounded) if rounded == rounded.to_integral_value() else float(rounded)
