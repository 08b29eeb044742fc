"""Writes the book's pages for Sphinx: every lesson with two worked examples, the formula sheet, the references, and the documents.

python -m book.sources FOLDER
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from posixpath import normpath, relpath

from shardwise.bank.bank import Bank, Problem
from shardwise.bank.lesson import by_figures, lesson_of
from shardwise.bank.pages.formula_sheet import in_markdown
from shardwise.bank.pages.formulas import NO_REFERENCES, formulas_of
from shardwise.bank.posing import pose
from shardwise.kinds import text_of

ROOT = Path(__file__).parents[1]
EXAMPLES = 2  # of a chapter
SEED = "book"  # of the worked examples: other numbers than those that the notebooks ask
DOCUMENTS = {  # file of the repository → caption of its group in the book
    "docs/banks.md": "For instructors and authors",
    "docs/templates.md": "For instructors and authors",
    "docs/kinds.md": "For instructors and authors",
    "docs/vocabulary.md": "For instructors and authors",
    "docs/grading.md": "For instructors and authors",
    "docs/scaling.md": "For instructors and authors",
    "docs/security.md": "For instructors and authors",
    "docs/progress.md": "For students",
    "docs/planner.md": "What was measured",
    "docs/reality.md": "What was measured",
    "docs/mutants.md": "What was measured",
    "bench/README.md": "What was measured",
    "docs/coverage.md": "What was measured",
    "CONTRIBUTING.md": "For instructors and authors",
    "CHANGELOG.md": "For instructors and authors",
}
_FENCE, _WORD = r"^(?P<fence>`{3,}).*?^(?P=fence)", r"`[^`\n]*`"  # blocks of code, and code within a line
_LINK = r"(?<!!)\[(?P<words>[^\]]*)\]\((?!https?:|#|mailto:)(?P<target>[^)#\s]+)(?P<anchor>#[^)\s]*)?\)"
_LINKS = re.compile(f"{_FENCE}|{_LINK}|{_WORD}", re.DOTALL | re.MULTILINE)
_PICTURE = re.compile(r"!\[[^\]]*\]\((?!https?:)([^)\s]+)\)")


def main(out: Path) -> None:
    """Write all pages into a folder, which is emptied first."""
    shutil.rmtree(out, ignore_errors=True)
    bank = Bank.open(ROOT)
    pages = dict(_lessons(bank))
    pages["docs/formulas.md"] = in_markdown(bank, formulas_of(bank), ROOT / "docs")
    pages |= {name: (ROOT / name).read_text("utf-8") for name in DOCUMENTS}
    pages |= dict(_references())
    for name, text in pages.items():
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_linked(text, name, pages), "utf-8")
        for picture in _PICTURE.findall(text):
            _copy(normpath(f"{Path(name).parent.as_posix()}/{picture}"), out)
    (out / "index.md").write_text(_index(bank), "utf-8")
    shutil.copyfile(ROOT / "book" / "conf.py", out / "conf.py")
    (out / "_static").mkdir()
    shutil.copyfile(ROOT / "book" / "book.css", out / "_static" / "book.css")


def _copy(name: str, out: Path) -> None:
    (out / name).parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(ROOT / name, out / name)


def _index(bank: Bank) -> str:
    groups: dict[str, list[str]] = {}
    for name, caption in DOCUMENTS.items():
        groups.setdefault(caption, []).append(name)
    lessons = [f"problems/{chapter}/lesson.md" for chapter in bank.chapters]
    opening = (
        "# shardwise\n\nThe arithmetic of training large models on many GPUs: lessons, formulas and worked examples. "
        f"The {sum(len(chapter.problems) for chapter in bank.chapters.values())} problems that go with them are answered in the notebooks, "
        "where every student gets numbers of their own.\n"
    )
    trees = [_tree("Chapters", lessons), _tree("Formulas", ["docs/formulas.md", "solutions/index.md"])]
    return "\n".join([opening, *trees, *(_tree(caption, names) for caption, names in groups.items())])


def _tree(caption: str, names: Sequence[str]) -> str:
    return f"```{{toctree}}\n:caption: {caption}\n:maxdepth: 1\n\n" + "\n".join(names) + "\n```\n"


# Chapters ---------------------------------------------------------------------------------------------------------------


def _lessons(bank: Bank) -> Iterator[tuple[str, str]]:
    for chapter in bank.chapters:
        lesson = "\n\n".join(_with_note(*piece) for piece in by_figures(lesson_of(bank.lessons / chapter)))
        examples = "\n\n".join(_example(problem) for problem in islice(_worth_showing(bank, chapter), EXAMPLES))
        yield f"problems/{chapter}/lesson.md", f"{lesson}\n\n## Worked examples\n\n{examples}\n"


def _with_note(text: str, figure: str) -> str:
    return f'{text}\n\n*This picture moves in the notebook: `figure("{figure}")`.*' if figure else text


def _worth_showing(bank: Bank, chapter: str) -> Iterator[Problem]:
    """Problems of a chapter in which something is computed, those that take more steps first; others where there are none."""
    problems = list(bank.of_chapter(chapter))
    return iter(sorted(problems, key=lambda problem: (problem.kind.name != "quantity", -problem.template.points)))


def _example(problem: Problem) -> str:
    question = pose(problem, SEED)
    return (
        f"### {question.title}\n\n{_lowered(text_of(question))}\n\n"
        f":::::{{dropdown}} Solution\n{_lowered(question.solution)}\n:::::"
    )


def _lowered(text: str) -> str:
    """Markdown whose headings stand below those of the page."""
    return re.sub(r"^(#+ )", r"###\1", text, flags=re.MULTILINE)


# References -------------------------------------------------------------------------------------------------------------


def _references() -> Iterator[tuple[str, str]]:
    """A page for each module of references, with its source."""
    folder = ROOT / "solutions"
    paths = (
        path for path in folder.glob("*/*.py") if path.stem != "__init__" and path.parent.name not in NO_REFERENCES
    )
    modules = sorted(path.relative_to(folder).with_suffix("").as_posix() for path in paths)
    for module in modules:
        source = (ROOT / "solutions" / f"{module}.py").read_text("utf-8")
        yield f"solutions/{module}.md", f"# {module}\n\n``````python\n{source}``````\n"
    listed = _tree("Modules", [f"{module}.md" for module in modules])
    yield "solutions/index.md", f"# References\n\nThe functions that the keys are computed with.\n\n{listed}"


# Links ------------------------------------------------------------------------------------------------------------------


def _linked(text: str, name: str, pages: dict[str, str]) -> str:
    """A page whose links lead to other pages of the book; what the book does not have stays as words."""
    here = Path(name).parent.as_posix()

    def turned(found: re.Match[str]) -> str:
        if found["target"] is None:  # code
            return found[0]
        words, target, anchor = found["words"], normpath(f"{here}/{found['target']}"), found["anchor"] or ""
        page = f"{target.removesuffix('.py')}.md" if target.endswith(".py") else target
        return f"[{words}]({relpath(page, here)}{anchor})" if page in pages else words

    return _LINKS.sub(turned, text)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
