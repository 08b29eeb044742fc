"""The data of an estimate problem: the template an author writes, the range that a student sees, and the key."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from shardwise.kinds.quantity.general import Trait
from shardwise.kinds.quantity.model import Measured, QuantityForm
from shardwise.question import Key
from shardwise.template import model as author

HALF_A_POWER = 10**0.5


class EstimateAnswer(Measured):
    """The `answer` of an estimate problem."""

    within: float = Field(
        HALF_A_POWER,
        ge=1.2,
        le=10,
        description="The factor, either way, within which an estimate is right; √10 by default.",
    )


class EstimateTemplate(author.Template):
    """A problem answered by an order of magnitude and a confidence."""

    kind: Literal["estimate"]
    answer: EstimateAnswer


class EstimateForm(QuantityForm):
    """The unit asked for, and how near an estimate has to be."""

    within: float


class EstimateKey(Key):
    """The exact value, in base units, and what identifies a wrong one."""

    value: float
    traits: tuple[Trait, ...] = ()
    stops: tuple[tuple[float, str], ...] = ()  # parameters and intermediate results, each with a sentence about it
