"""Set files: the problems that are assigned together, what they are worth, and when they are due."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, Tag, ValidationInfo, field_validator

from shardwise.bank.bank import Catalogue
from shardwise.course.assigning.dates import DueDate
from shardwise.errors import Faulty, ShardwiseError
from shardwise.file_names import SAFE_NAME, fault_of_name
from shardwise.template import yaml_source
from shardwise.template.model import AuthorModel


def _in_hundredths(points: float) -> float:
    if round(points, 2) != points:  # earned points are rounded to two decimals
        raise ValueError(f"points can have at most two decimals, not {points!r}")
    return points


Points = Annotated[float, Field(ge=0, le=100), AfterValidator(_in_hundredths)]  # 0: the question does not count


class Entry(AuthorModel):
    """One problem of a set."""

    id: str = Field(description="The problem's id, or its slug.")
    points: Points | None = Field(None, description="Points that replace the template's, with at most two decimals.")


class Pool(AuthorModel):
    """Problems from which each student gets some."""

    pool: tuple[str, ...] = Field(min_length=2, description="Problems by id or slug, all worth the same points.")
    choose: int = Field(ge=1, description="How many of them each student gets.")
    points: Points | None = Field(None, description="Points of each question, which replace the templates'.")

    @field_validator("choose")
    @classmethod
    def _within_the_pool(cls, choose: int, info: ValidationInfo) -> int:
        if choose > (size := len(info.data.get("pool", range(choose)))):
            raise ValueError(f"choose is {choose}, but the pool has only {size} problems")
        return choose


def _entry(value: Any) -> Any:
    return {"id": value} if isinstance(value, str) else value


def _sort_of_entry(value: Any) -> str:
    return "several" if isinstance(value, Pool) or (isinstance(value, Mapping) and "pool" in value) else "entry"


AnyEntry = Annotated[
    Annotated[Entry, Tag("entry")] | Annotated[Pool, Tag("several")],
    Discriminator(_sort_of_entry),
    BeforeValidator(_entry, json_schema_input_type=str | Entry | Pool),
]


class SetSection(AuthorModel):
    """A section of the roster, which may have another due date."""

    due: DueDate = Field(description="ISO 8601 with an offset.")


class SetDefinition(AuthorModel):
    """A set of problems to assign."""

    name: str = Field(pattern=rf"^{SAFE_NAME}$", description="Used in file names and in every seed.")
    title: str = Field(min_length=3, description="The title that students see.")
    intro: str = Field("", description="Markdown shown above the first question.")
    problems: tuple[AnyEntry, ...] = Field(
        min_length=1, description="Problems by name; an entry can also give points, or a pool to choose from."
    )
    hand_in: str = Field("", description="Markdown: where and how to hand in; shown in the notebook.")
    attempts: int | None = Field(None, ge=1, description="How often a student may hand in; shown in the notebook.")
    due: DueDate | None = Field(None, description="ISO 8601 with an offset, such as 2026-12-01T23:59:00+01:00.")
    sections: Mapping[str, SetSection] = Field({}, description="Sections of the roster with a due date of their own.")

    @field_validator("name")
    @classmethod
    def _of_a_file(cls, name: str) -> str:
        if fault := fault_of_name(name):
            raise ValueError(f"{name!r} {': '.join(fault)}")
        return name


def load_set(path: Path, bank: Catalogue) -> SetDefinition:
    """Return a set's definition. Raises Faulty with all its faults, including unknown and repeated problems."""
    source = yaml_source.load_yaml(path)
    made: SetDefinition = yaml_source.validate(source, SetDefinition)
    faults, seen = [], dict[str, str]()
    worth: defaultdict[int, dict[str, float]] = defaultdict(dict)  # points by problem, by entry
    for entry, at, name in named_problems(made):
        try:
            problem = bank.find(name)
            worth[entry][problem.slug] = float(problem.data["points"])
        except ShardwiseError as error:
            faults.append(source.fault(at, str(error)))
            continue
        if problem.slug in seen:
            other = seen[problem.slug]
            why = "is listed twice" if other == problem.id else f"and {other} would have the same name in a notebook"
            faults.append(source.fault(at, f"{problem.id} {why}", "Remove one of them."))
        seen[problem.slug] = problem.id
    for entry, points in worth.items():
        if made.problems[entry].points is None and len(set(points.values())) > 1:
            each = ", ".join(f"{slug} {points[slug]:g}" for slug in points)
            why, remedy = f"the problems of this pool are worth different points: {each}", "Give the pool `points:`."
            faults.append(source.fault(("problems", entry, "pool"), why, remedy))
    if faults:
        raise Faulty(faults)
    return made


def named_problems(definition: SetDefinition) -> Iterator[tuple[int, tuple[str | int, ...], str]]:
    """Yield every problem that a set names, with the number of its entry and its path in the file."""
    for place, entry in enumerate(definition.problems):
        if isinstance(entry, Entry):
            yield place, ("problems", place), entry.id
        else:
            yield from ((place, ("problems", place, "pool", number), name) for number, name in enumerate(entry.pool))
