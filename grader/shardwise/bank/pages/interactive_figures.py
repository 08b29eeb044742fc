"""Interactive figures: modules in a bank's solutions/interactive/ that compute what to show for a setting of their controls."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

from shardwise.bank.bank import Bank
from shardwise.bank.lesson import by_figures, figure_of, lesson_of
from shardwise.errors import AUTHORS_CAN_RAISE, Fault, Faulty, ShardwiseError, said_by
from shardwise.template.references import Unloadable

FOLDER = "interactive"
WITHIN = 0.15  # a guess this close to the answer is right, because students guess before they compute anything
_NEEDS = ("CHAPTER", "STILL", "TITLE", "CONTROLS", "show", "predict")

Data = dict[str, Any]


@dataclass(frozen=True)
class Moving:
    """An interactive figure with its controls, a question to guess at first, and a still image for paper."""

    name: str
    bank: Bank
    module: ModuleType = field(repr=False)

    @property
    def title(self) -> str:
        """The title of the figure."""
        return str(self.module.TITLE)

    @property
    def start(self) -> dict[str, str]:
        """The initial setting: for each control, the text of an option."""
        return {name: control["start"] for name, control in self.module.CONTROLS.items()}

    @cached_property
    def _predicted(self) -> Data:
        return dict(self.module.predict())

    @cached_property
    def _shown(self) -> dict[tuple[str, ...], Data]:
        return {}

    @property
    def view(self) -> Data:
        """The data that a front end needs first, without the answer to the question."""
        controls = [
            {
                "name": name,
                "label": control["label"],
                "options": list(control["options"]),
                "as": control.get("as", "slider"),
            }
            for name, control in self.module.CONTROLS.items()
        ]
        asked = {name: self._predicted[name] for name in ("ask", "choices", "unit") if name in self._predicted}
        plays = getattr(self.module, "PLAYS", None)
        return {"name": self.name, "title": self.title, "controls": controls, "start": self.start, "plays": plays, "predict": asked}  # fmt: skip

    def show(self, settings: Mapping[str, Any]) -> Data:
        """Return the panels, facts and frames for a setting. Raises ShardwiseError for unknown or incompatible options."""
        chosen: Data = {}
        for name, control in self.module.CONTROLS.items():
            option = settings.get(name)
            if not isinstance(option, str) or option not in control["options"]:
                raise ShardwiseError(
                    f"{control['label']} must be one of {', '.join(control['options'])}, not {option!r}."
                )
            chosen[name] = control["options"][option]
        key = tuple(str(settings[name]) for name in chosen)
        if key not in self._shown:
            try:
                self._shown[key] = self.module.show(**chosen)
            except ValueError as error:
                raise ShardwiseError(f"Cannot draw this setting: {error}.") from error
        return self._shown[key]

    def judge(self, guess: Any) -> Data:
        """Return the response to a guess, and whether it was right, which is None if it cannot be read."""
        known = self._predicted
        if "choices" in known:
            answer = known["choices"][known["answer"]]
            if guess not in known["choices"]:
                return {"right": None, "say": "Choose one of the options."}
            right, found = guess == answer, answer
        else:
            number = _number(guess, known["unit"])
            if number is None:
                return {"right": None, "say": f"I could not read “{guess}”. Enter a number in {known['unit']}, such as 12.5."}  # fmt: skip
            right = math.isclose(number, known["answer"], rel_tol=WITHIN)
            found = f"{known['answer']:.3g} {known['unit']}"
        return {"right": right, "say": f"{'Yes' if right else 'No'}: {found}. {known['why']}"}

    @property
    def still(self) -> tuple[bytes, str]:
        """The still image for paper, and its description from the lesson."""
        path = self.bank.lessons / self.module.CHAPTER / "figures" / f"{self.module.STILL}.png"
        words = re.search(
            rf"!\[([^\]]*)\]\(figures/{re.escape(path.name)}\)", lesson_of(self.bank.lessons / self.module.CHAPTER)
        )
        if words is None:
            raise ShardwiseError(f"The lesson of {self.module.CHAPTER} does not show figures/{path.name}.")
        return figure_of(self.bank.lessons / self.module.CHAPTER, path.name), words[1]


def _number(guess: Any, unit: str) -> float | None:
    """Parse a number that may have a unit; None if it is not a number."""
    text = str(guess).strip().removesuffix(unit).strip().replace(",", "")
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def moving_names(bank: Bank) -> list[str]:
    """Return the names of a bank's interactive figures, as figure() accepts them."""
    modules = sorted((bank.folder / "solutions" / FOLDER).glob("[!_]*.py"))
    return [module.stem.replace("_", "-") for module in modules]


def moving(banks: Sequence[Bank], name: str) -> Moving:
    """Return the interactive figure of this name in the first bank that has it. Raises ShardwiseError with the closest name."""
    for bank in banks:
        if name in moving_names(bank):
            module = bank.references.module(f"{FOLDER}.{name.replace('-', '_')}")
            lacking = [need for need in _NEEDS if not hasattr(module, need)]
            if lacking:
                raise ShardwiseError(f"{_file(name)} lacks {', '.join(lacking)}.")
            return Moving(name, bank, module)
    names = [known for bank in banks for known in moving_names(bank)]
    near = difflib.get_close_matches(name, names, n=1)
    hint = (
        f"Did you mean “{near[0]}”?"
        if near
        else f"The figures are {', '.join(names)}."
        if names
        else "The bank has no interactive figures."
    )
    raise ShardwiseError(f"Unknown figure “{name}”. {hint}")


def moving_faults(bank: Bank) -> Iterator[Fault]:
    """Yield the faults of a bank's interactive figures, and of the lessons that name them."""
    names = moving_names(bank)
    for name in names:
        try:
            picture = moving([bank], name)
            picture.show(picture.start)
            asked = picture.module.predict()
            picture.judge(asked["choices"][0] if "choices" in asked else asked["answer"])
            _ = picture.view, picture.still
        except Unloadable as error:
            yield error.fault
        except AUTHORS_CAN_RAISE as error:  # an author's module may raise anything
            message = str(error) if isinstance(error, ShardwiseError) else said_by(error)
            yield Fault(_file(name), message)
    for chapter in bank.chapters:
        yield from _unknown(bank.lessons / chapter, names)


def _unknown(chapter: Path, names: Sequence[str]) -> Iterator[Fault]:
    """Yield a fault for each interactive figure that a chapter's lesson names but that does not exist."""
    try:
        lesson = lesson_of(chapter)
    except Faulty:  # stray_files reports a lesson that is missing or cannot be read
        return
    for _, name in by_figures(lesson):
        if name and name not in names:
            file = f"problems/{chapter.name}/lesson.md"
            yield Fault(file, f"figure(“{name}”) needs {_file(name)}, which does not exist")


def _file(name: str) -> str:
    return f"solutions/{FOLDER}/{name.replace('-', '_')}.py"
