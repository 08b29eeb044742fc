"""A course: the file `course.yaml`, which names the roster, the key, the banks, the sets and their weights."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from shardwise.template import yaml_source
from shardwise.template.model import AuthorModel

COURSE_FILE = "course.yaml"


class CourseSet(AuthorModel):
    """A set of a course."""

    file: str = Field(description="The set's YAML file, relative to course.yaml.")
    weight: float = Field(1, ge=0, description="Its weight in the course total; 0 keeps it out of the total.")


def _course_set(value: Any) -> Any:
    return {"file": value} if isinstance(value, str) else value


class CourseDefinition(AuthorModel):
    """What `course.yaml` says. Paths are relative to the file."""

    title: str = Field(min_length=1, description="The title that students see.")
    roster: str = Field("roster.csv", description="The roster, as a course system exports it.")
    key: str = Field("course.key", description="The course key, which draws and signs every set.")
    overrides: str = Field("overrides.yaml", description="Your decisions about points, deadlines and attempts.")
    bank: tuple[str, ...] = Field((), description='Folders of banks, or "shipped". The first with a problem is used.')
    sets: tuple[Annotated[CourseSet, BeforeValidator(_course_set, json_schema_input_type=str | CourseSet)], ...] = (
        Field((), description="The sets in order, each a file or a file with its weight.")
    )
    drop_lowest: int = Field(0, ge=0, description="How many of each student's lowest sets do not count.")


@dataclass(frozen=True)
class Course:
    """A course and the folder of its `course.yaml`."""

    folder: Path
    definition: CourseDefinition

    def at(self, path: str) -> Path:
        """Return a path that is written in `course.yaml`."""
        return self.folder / path

    def assigned(self, set_name: str) -> Path:
        """Return the folder with a set's notebooks and lock file."""
        return self.folder / "assigned" / set_name

    def submitted(self, set_name: str) -> Path:
        """Return the folder of a set's submissions."""
        return self.folder / "submitted" / set_name

    def results(self, set_name: str) -> Path:
        """Return the folder of a set's results."""
        return self.folder / "results" / set_name


def load_course(path: Path) -> Course:
    """Read a `course.yaml`. Raises Faulty with all its faults."""
    return Course(path.parent, yaml_source.validate(yaml_source.load_yaml(path), CourseDefinition))


def course_around(folder: Path) -> Course | None:
    """Return the course that a folder belongs to: the nearest `course.yaml` in it or above; None without one.

    Raises Faulty with all faults of the file.
    """
    folder = folder.resolve()
    file = next((above / COURSE_FILE for above in (folder, *folder.parents) if (above / COURSE_FILE).is_file()), None)
    return load_course(file) if file else None
