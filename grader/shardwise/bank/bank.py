"""The bank: chapters and templates as they lie in `problems/`, loaded, validated and drawn into questions."""

from __future__ import annotations

import difflib
import hashlib
import json
import keyword
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from operator import or_
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union

from pydantic import Field, TypeAdapter, create_model

import shardwise
from shardwise.errors import Fault, Faulty, ShardwiseError
from shardwise.kinds import kinds
from shardwise.kinds.base import Dice, Kind, Posed
from shardwise.question import Question
from shardwise.template.expressions import prose, shown
from shardwise.template.model import AuthorModel, Template
from shardwise.template.parameters import Drawn, draw, throw
from shardwise.template.references import HELPERS

if TYPE_CHECKING:
    from shardwise.template import yaml_source  # imported where files are read, for grading reads no YAML


class Chapter(AuthorModel):
    """A folder of problems with a lesson; `chapter.yaml`."""

    title: str = Field(min_length=3)
    summary: str = Field(min_length=10)
    objectives: tuple[str, ...] = Field(min_length=1)
    problems: tuple[str, ...] = Field(min_length=1, description="Every problem of the folder, in the notebook's order.")


@dataclass(frozen=True)
class Problem:
    """A template and where it comes from."""

    id: str
    template: Template
    digest: str
    path: Path
    source: yaml_source.Source = field(repr=False)

    @property
    def kind(self) -> Kind[Any, Any, Any]:
        """The kind that draws and marks it."""
        return kinds()[self.template.kind]

    @property
    def slug(self) -> str:
        """The last part of the id."""
        return self.id.rpartition("/")[2]


class Problems(Mapping[str, Problem]):
    """The problems of a bank by id. Each is read when it is first asked for: a student needs one, not all."""

    def __init__(self, root: Path, names: Iterable[str]) -> None:
        self._root = root
        self._loaded: dict[str, Problem | None] = dict.fromkeys(names)

    def __getitem__(self, name: str) -> Problem:
        """A problem. Raises KeyError for a stranger, and Faulty with all its faults."""
        found = self._loaded[name]
        if found is None:
            found = self._loaded[name] = load_problem(self._root / f"{name}.yaml", self._root)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._loaded)

    def __len__(self) -> int:
        return len(self._loaded)


@dataclass(frozen=True)
class Bank:
    """Every chapter and every problem, in order."""

    root: Path
    chapters: Mapping[str, Chapter]
    problems: Mapping[str, Problem]

    def find(self, name: str) -> Problem:
        """A problem by its id, or by its slug alone. Raises ShardwiseError with the nearest names."""
        found = next((one for one in self.problems if name in (one, one.rpartition("/")[2])), None)
        if found is None:
            near = difflib.get_close_matches(
                name, [*self.problems, *(one.rpartition("/")[2] for one in self.problems)], n=3
            )
            hint = f" Did you mean {' or '.join(near)}?" if near else " `shardwise list` shows them all."
            raise ShardwiseError(f"There is no problem “{name}”.{hint}")
        return self.problems[found]

    def of_chapter(self, chapter: str) -> list[Problem]:
        """The problems of a chapter in the order of its notebook."""
        return [self.problems[f"{chapter}/{slug}"] for slug in self.chapters[chapter].problems]


def folder(name: str) -> Path:
    """Where `problems` or `solutions` lie: inside the package in a wheel, at the root in a checkout."""
    package = Path(shardwise.__file__).parent
    return package / name if (package / name).is_dir() else package.parents[1] / name


def template_model() -> Any:
    """The union of all kinds' templates, told apart by `kind`."""
    models = [one.Template for one in kinds().values()]
    union: Any = models[0]
    for model in models[1:]:
        union = or_(union, model)
    return Annotated[union, Field(discriminator="kind")]


def load_problem(path: Path, root: Path) -> Problem:
    """One template. Raises Faulty with all its faults."""
    from shardwise.template import yaml_source

    name = f"problems/{path.relative_to(root).as_posix()}"
    source = yaml_source.read(path, name)
    template: Template = yaml_source.validate(source, _adapter())
    identity = path.relative_to(root).with_suffix("").as_posix()
    digest = hashlib.sha256(source.text.encode()).hexdigest()[:16]
    return Problem(identity, template, digest, path, source)


@cache
def _adapter() -> Any:
    return TypeAdapter(template_model())


def load(root: Path | None = None) -> Bank:
    """The whole bank, read to the end. Raises Faulty with every fault of every file."""
    loaded, faults = _opened(root or folder("problems"))
    for name in loaded.problems:
        try:
            loaded.problems[name]
        except Faulty as error:
            faults += error.faults
    if faults:
        raise Faulty(faults)
    return loaded


def open_bank(root: Path) -> Bank:
    """The bank with its chapters read; each problem is read when it is first asked for. Raises Faulty for chapters."""
    opened, faults = _opened(root)
    if faults:
        raise Faulty(faults)
    return opened


def _opened(root: Path) -> tuple[Bank, list[Fault]]:
    """The bank with its chapters read and its problems still to be read, and the faults of the chapters."""
    chapters: dict[str, Chapter] = {}
    names: list[str] = []
    faults: list[Fault] = []
    for path in sorted(root.glob("*/chapter.yaml")):
        chapter = path.parent.name
        try:
            chapters[chapter] = load_chapter(path, root)
        except Faulty as error:
            faults += error.faults
            continue
        names += [f"{chapter}/{slug}" for slug in chapters[chapter].problems]
    if not chapters and not faults:
        raise ShardwiseError(f"{root} holds no chapter.yaml; is this the right folder?")
    return Bank(root, chapters, Problems(root, names)), faults


def bad_slug(slug: str) -> str:
    """Why a problem cannot have this name, or nothing: a slug is also the name of the answer in a notebook."""
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", slug) or not 3 <= len(slug) <= 60:
        return f"{slug!r} is no slug: use 3 to 60 lower-case letters and digits, and single hyphens between words"
    if keyword.iskeyword(slug) or slug in shardwise.__all__:
        return f"{slug!r} is a name that notebooks need for something else"
    return ""


def load_chapter(path: Path, root: Path) -> Chapter:
    """One chapter.yaml. Raises Faulty, also when its list and its folder differ."""
    from shardwise.template import yaml_source

    source = yaml_source.read(path, f"problems/{path.relative_to(root).as_posix()}")
    chapter: Chapter = yaml_source.validate(source, Chapter)
    here = {one.stem for one in path.parent.glob("*.yaml")} - {"chapter"}
    faults = []
    for place, slug in enumerate(chapter.problems):
        if slug not in here:
            faults.append(source.fault(("problems", place), f"problems: there is no {slug}.yaml in this folder"))
        elif slug in chapter.problems[:place]:
            faults.append(source.fault(("problems", place), f"problems: {slug} is listed twice", "Remove one."))
        elif why := bad_slug(slug):
            faults.append(source.fault(("problems", place), f"problems: {why}", "Rename the file."))
    faults += [
        source.fault(("problems",), f"problems: {slug}.yaml lies in this folder and is not listed", "Add it.")
        for slug in sorted(here - set(chapter.problems))
    ]
    if faults:
        raise Faulty(faults)
    return chapter


@cache
def bank() -> Bank:
    """The bank that comes with this installation."""
    return open_bank(folder("problems"))


def roll(problem: Problem, seed: str, attempt: int | None = None) -> tuple[Drawn, Any]:
    """The numbers of a question: its parameters, and what its kind solved. Raises ShardwiseError.

    With `attempt` it is that throw of the dice, which some template once accepted, and no other. Raises Reject then.
    """
    template, kind = problem.template, problem.kind
    if attempt is not None:
        values = throw(template.params, seed, problem.id, attempt, HELPERS)
        return Drawn(seed, problem.id, values, attempt), kind.solve(template, values, Dice(seed, problem.id, attempt))
    return draw(
        template.params,
        template.where,
        seed,
        problem.id,
        extra=HELPERS,
        accept=lambda values, attempt: kind.solve(template, values, Dice(seed, problem.id, attempt)),
    )


def pose(problem: Problem, seed: int | str, *, attempt: int | None = None) -> Question:
    """The question that `problem` becomes for `seed`: the same on every machine.

    With `attempt` it is drawn by that throw of the dice, however today's template likes it: a question that was handed out.
    Raises ShardwiseError, naming the problem, when its template cannot be drawn or rendered.
    """
    seed = str(seed)
    try:
        drawn, solved = roll(problem, seed, attempt)
        return _question(problem, drawn, solved)
    except Faulty:
        raise
    except Exception as error:  # a reference may raise anything at an author's numbers
        why = str(error) if isinstance(error, ShardwiseError) else f"{type(error).__name__}: {error}"
        raise ShardwiseError(f"{problem.id}, seed {seed}: {why}") from error


def _question(problem: Problem, drawn: Drawn, solved: Any) -> Question:
    template = problem.template
    names = names_for_prose(template, drawn.values)
    posed: Posed = problem.kind.pose(template, solved, names, Dice(drawn.seed, problem.id, drawn.rejected))
    prompt = prose(template.prompt, names)
    return Question(
        id=problem.id,
        seed=drawn.seed,
        kind=template.kind,
        title=template.title,
        points=template.points,
        difficulty=template.difficulty,
        params={name: _printable(value) for name, value in names.items() if name in template.params},
        prompt=f"{prompt}\n\n{posed.tail}".strip(),
        hints=tuple(prose(hint, names) for hint in template.hints),
        solution=prose(template.solution, {**names, **posed.names}),
        form=posed.form,
        key=posed.key,
        digest=problem.digest,
        rejected=drawn.rejected,
    )


def names_for_prose(template: Template, values: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters as numbers that print themselves in their author's units, and the helper functions."""
    named = {name: shown(values[name], one.unit, one.direction or "none") for name, one in template.params.items()}
    return {**named, **HELPERS}


def _printable(value: Any) -> Any:
    return str(value) if hasattr(value, "text") else value


def revive(data: Mapping[str, Any]) -> Question:
    """A question out of a lock file. Raises ShardwiseError when it is not one of ours."""
    kind = kinds().get(str(data.get("kind")))
    if kind is None:
        raise ShardwiseError(f"no kind {data.get('kind')!r} is installed here")
    try:
        form = kind.Form.model_validate(data["form"])
        key = kind.Key.model_validate(data["key"])
        return Question.model_validate({**data, "form": form, "key": key})
    except (ValueError, KeyError) as error:
        raise ShardwiseError(f"question {data.get('id')!r} of this lock file is damaged: {error}") from None


@cache
def _line_model() -> Any:
    """A line of a lock file, with a model for each kind of question, so that pydantic reads it in one go."""
    models = [
        create_model(name, __base__=Question, kind=(Literal[name], ...), form=(kind.Form, ...), key=(kind.Key, ...))  # type: ignore[arg-type]
        for name, kind in kinds().items()
    ]
    union: Any = Annotated[Union[tuple(models)], Field(discriminator="kind")]  # noqa: UP007  made of a list
    questions: Any = tuple[union, ...]
    return create_model("Line", name=(str, ""), questions=(questions, ...))


def revive_line(line: bytes) -> tuple[str, tuple[Question, ...]]:
    """A student's name and questions out of a line of a lock file. Raises ShardwiseError when it is damaged."""
    try:
        found = _line_model().model_validate_json(line)
    except ValueError as error:
        for one in json.loads(line)["questions"]:
            revive({**one})  # says which
        raise ShardwiseError(f"a line of this lock file is damaged: {error}") from None
    return found.name, found.questions


def revive_form(kind: str, data: Mapping[str, Any]) -> Any:
    """A question's form out of a notebook: what is needed to read an answer."""
    return kinds()[kind].Form.model_validate(data)
