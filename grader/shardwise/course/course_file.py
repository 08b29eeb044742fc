"""A course: the file `course.yaml`, which names the roster, the key, the banks, the sets and their weights."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from shardwise.course.assigning.lockfile import LOCK_SUFFIX
from shardwise.errors import Faulty, ShardwiseError
from shardwise.file_names import fault_of_name
from shardwise.template import yaml_source
from shardwise.template.model import AuthorModel

COURSE_FILE = "course.yaml"
LARGEST_WEIGHT = 1_000_000  # a total with an infinite weight is not a number
_SUBMITTED = "submitted"


class CourseSet(AuthorModel):
    """A set of a course."""

    file: str = Field(description="The set's YAML file, relative to course.yaml.")
    weight: float = Field(
        1, ge=0, le=LARGEST_WEIGHT, description="Its weight in the course total; 0 keeps it out of the total."
    )


def _course_set(value: Any) -> Any:
    return {"file": value} if isinstance(value, str) else value


class CourseDefinition(AuthorModel):
    """Contents of `course.yaml`. Paths are relative to the file."""

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
        """Resolve a path in `course.yaml`."""
        return self.folder / path

    @property
    def key(self) -> Path:
        """The file of the course key."""
        return self.at(self.definition.key)

    @property
    def file(self) -> Path:
        """The file `course.yaml`."""
        return self.folder / COURSE_FILE

    @property
    def roster(self) -> Path:
        """The file of the roster."""
        return self.at(self.definition.roster)

    @cached_property
    def sets(self) -> dict[str, CourseSet]:
        """The sets by name, in the course's order. A set whose file cannot be read yet is named after the file.

        Raises ShardwiseError if two sets have the same name, since they would share notebooks, grades and a weight.
        """
        named = dict[str, CourseSet]()
        for each in self.definition.sets:
            name = self._text_in(each, "name")
            name = Path(each.file).stem if fault_of_name(name) else name
            if other := named.get(name):
                files = each.file if each.file == other.file else f"{other.file} and {each.file}"
                raise ShardwiseError(
                    f"{self.file} lists the set {name} twice, as {files}. Remove one of them, or rename a set."
                )
            named[name] = each
        return named

    def titles(self) -> dict[str, str]:
        """Return the titles of the sets by name; empty titles for files that cannot be read."""
        return {name: self._text_in(each, "title") for name, each in self.sets.items()}

    def set_called(self, words: str) -> str | None:
        """Return the name of the set whose name, file, stem or folder is given; None if there is none."""
        for name in self.sets:
            file = self.file_of(name)
            places = (file, self.assigned(name), self.submitted(name), self.results(name))
            if words in (name, file.stem) or Path(words).resolve() in [place.resolve() for place in places]:
                return name
        return None

    def _text_in(self, each: CourseSet, key: str) -> str:
        """Return a set's name or title from its file; empty if the file cannot be read or does not contain it."""
        with suppress(Faulty):
            return str(yaml_source.load_yaml(self.at(each.file)).at((key,)) or "")
        return ""

    def file_of(self, set_name: str) -> Path:
        """Return the YAML file of a set."""
        return self.at(self.sets[set_name].file)

    def lock(self, set_name: str) -> Path:
        """Return the lock file of a set."""
        return self.assigned(set_name) / f"{set_name}{LOCK_SUFFIX}"

    def assigned(self, set_name: str) -> Path:
        """Return the folder with a set's notebooks and lock file."""
        return self.folder / "assigned" / set_name

    def submitted(self, set_name: str) -> Path:
        """Return the folder of a set's submissions."""
        return self.folder / _SUBMITTED / set_name

    def results(self, set_name: str) -> Path:
        """Return the folder of a set's results."""
        return self.folder / "results" / set_name


def load_course(path: Path) -> Course:
    """Read a `course.yaml`. Raises Faulty with all its faults."""
    return Course(path.parent, yaml_source.validate(yaml_source.load_yaml(path), CourseDefinition))


def course_around(folder: Path) -> Course | None:
    """Return the course that a folder belongs to: the nearest `course.yaml` in it or above it, or None.

    A file among the submissions of another course is ignored: a student may have handed it in. Raises Faulty with all
    faults of the file.
    """
    folder = folder.resolve()
    around = [above for above in (folder, *folder.parents) if (above / COURSE_FILE).is_file()]
    for nearest in around:
        if not any(outer / _SUBMITTED in (nearest, *nearest.parents) for outer in around):
            return load_course(nearest / COURSE_FILE)
    return None
