"""Writes the book's pages for Sphinx: lessons with worked examples, the documents, and the reference pages that follow from code."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from posixpath import normpath, relpath

from book import reference
from shardwise.bank.bank import Bank, Problem
from shardwise.bank.lesson import by_figures, lesson_of
from shardwise.bank.pages.formula_sheet import in_markdown
from shardwise.bank.pages.formulas import NO_REFERENCES, formulas_of
from shardwise.bank.posing import pose
from shardwise.kinds import text_of

ROOT = Path(__file__).parents[1]
HOME = "https://github.com/shardwise/shardwise/blob/main/"  # where links of the README lead
SITE = "https://shardwise.github.io/shardwise/"  # where a release publishes the app, with the book in FOLDER
FOLDER = "docs"  # of a site, where the book is; the app is one folder up
EXAMPLES = 2  # of a chapter
SEED = "book"  # of the worked examples: other numbers than those that the notebooks ask
DOCUMENTS = {  # caption of a group in the book → its pages, by their files in the repository and those that are made of code
    "Tutorials": ["docs/tutorials/student.md", "docs/course.md", "docs/tutorials/author.md"],
    "How-to guides": [
        "docs/desk.md", "docs/progress.md", "docs/site.md", "docs/grading.md", "docs/migrating.md", "docs/overrides.md", "docs/exporting.md", "docs/measured.md", "docs/scaling.md", "docs/deploy.md", "docs/banks.md", "docs/kinds.md", "CONTRIBUTING.md",
    ],
    "Reference": [
        "docs/formulas.md", "docs/glossary.md", "docs/templates.md", "docs/units.md", "docs/reference/keys.md", "docs/reference/commands.md",
        "docs/reference/notebooks.md", "solutions/index.md", "docs/coverage.md", "docs/vocabulary.md", "CHANGELOG.md",
    ],
    "Background": [
        "docs/security.md", "docs/planner.md", "docs/reality.md", "docs/mutants.md", "bench/README.md",
    ],
}  # fmt: skip
_FENCE, _WORD = r"^(?P<fence>`{3,}).*?^(?P=fence)", r"`[^`\n]*`"  # blocks of code, and code within a line
_LINK = r"(?<!!)\[(?P<words>[^\]]*)\]\((?!https?:|#|mailto:)(?P<target>[^)#\s]+)(?P<anchor>#[^)\s]*)?\)"
_LINKS = re.compile(f"{_FENCE}|{_LINK}|{_WORD}", re.DOTALL | re.MULTILINE)
_PROBLEM = re.compile(r"problems/(\d[^/]*/(?!chapter\.)[^/]+)\.yaml")
_PICTURE = re.compile(r"!\[[^\]]*\]\((?!https?:)([^)\s]+)\)")


def main(out: Path) -> None:
    """Write all pages into a folder, which is emptied first."""
    shutil.rmtree(out, ignore_errors=True)
    bank = Bank.open(ROOT)
    pages = dict(_lessons(bank))
    pages["docs/formulas.md"] = in_markdown(bank, formulas_of(bank), ROOT / "docs")
    pages |= dict(_references()) | dict(reference.pages())
    written = (name for names in DOCUMENTS.values() for name in names if name not in pages)
    pages |= {name: _at_home((ROOT / name).read_text("utf-8"), name) for name in written}
    for name, text in pages.items():
        path = out / place(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_linked(text, name, pages), "utf-8")
        for picture in _PICTURE.findall(text):
            source = normpath(f"{Path(name).parent.as_posix()}/{picture}")
            _copy(source, out / place(source))
    (out / "index.md").write_text(_index(bank), "utf-8")
    _copy("book/conf.py", out / "conf.py")
    for file in ("book.css", "book.js"):
        _copy(f"book/{file}", out / "_static" / file)
    shutil.copytree(ROOT / "book" / "templates", out / "_templates")


def place(name: str) -> str:
    """Return where the book has a file of the repository."""
    return name.removeprefix("docs/")


def in_the_app(name: str, route: str) -> str:
    """Return the address of something in the app, as a page of the book links to it."""
    return f"{'../' * (place(name).count('/') + 1)}#/{route}"


def _copy(name: str, to: Path) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(ROOT / name, to)


def _index(bank: Bank) -> str:
    problems = sum(len(chapter.problems) for chapter in bank.chapters.values())
    opening = f"""# Documentation

shardwise has {len(bank.chapters)} lessons and {problems} problems about training large models on many GPUs. <a href="../#/">Practise them here</a>, in a notebook or in
the terminal; teach a course with them; or write your own.

::::{{grid}} 1 2 2 4
:::{{grid-item-card}} Learn
:link: tutorials/student
:link-type: doc
Answer your first questions in twenty minutes.
:::
:::{{grid-item-card}} Teach
:link: course
:link-type: doc
From a roster to released grades, alone or with nbgrader, GitHub or an LMS.
:::
:::{{grid-item-card}} Write
:link: tutorials/author
:link-type: doc
Start a bank of your own, in any field.
:::
:::{{grid-item-card}} Plan
:link: planner
:link-type: doc
The planner's accuracy on published training runs.
:::
::::
"""
    lessons = [f"problems/{chapter}/lesson.md" for chapter in bank.chapters]
    trees = [_tree(caption, [place(name) for name in names]) for caption, names in DOCUMENTS.items()]
    return "\n".join([opening, *trees[:2], _tree("Lessons", lessons), *trees[2:]])


def _tree(caption: str, names: Sequence[str]) -> str:
    return f"```{{toctree}}\n:caption: {caption}\n:maxdepth: 1\n\n" + "\n".join(names) + "\n```\n"


# Chapters ---------------------------------------------------------------------------------------------------------------


def _lessons(bank: Bank) -> Iterator[tuple[str, str]]:
    for chapter in bank.chapters:
        name = f"problems/{chapter}/lesson.md"
        title, _, lesson = lesson_of(bank.lessons / chapter).partition("\n")
        pieces = "\n\n".join(_with_link(*piece, name) for piece in by_figures(lesson))
        examples = "\n\n".join(_example(problem, name) for problem in islice(_worth_showing(bank, chapter), EXAMPLES))
        practise = f'<p><a class="practise" href="{in_the_app(name, chapter)}">Practise this chapter</a></p>'
        yield name, f"{title}\n\n{practise}\n\n{pieces}\n\n## Problems with solutions\n\n{examples}\n\n{practise}\n"


def _with_link(text: str, figure: str, name: str) -> str:
    link = f'<p><a href="{in_the_app(name, f"figures/{figure}")}">Move this figure</a></p>'
    return f"{text}\n\n{link}" if figure else text


def _worth_showing(bank: Bank, chapter: str) -> Iterator[Problem]:
    """Problems of a chapter in which something is computed, those that take more steps first; others where there are none."""
    problems = list(bank.of_chapter(chapter))
    return iter(sorted(problems, key=lambda problem: (problem.kind.name != "quantity", -problem.template.points)))


def _example(problem: Problem, name: str) -> str:
    question = pose(problem, SEED)
    return (
        f"### {question.title}\n\n{_lowered(text_of(question))}\n\n"
        f":::::{{dropdown}} Solution\n{_lowered(question.solution)}\n:::::\n\n"
        f'<p><a href="{in_the_app(name, problem.id)}">Solve it with other numbers</a></p>'
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


def _at_home(text: str, name: str) -> str:
    """Return a document whose links to the repository and to the published site lead to this site."""
    text = re.sub(rf"(?<=\]\(){re.escape(SITE)}{FOLDER}/([\w./-]+)\.html", r"/docs/\1.md", text.replace(HOME, "/"))
    return re.sub(rf"\[([^\]]*)\]\({re.escape(SITE)}\)", rf'<a href="{in_the_app(name, "")}">\1</a>', text)


def _linked(text: str, name: str, pages: dict[str, str]) -> str:
    """Return a page with links to the book's pages and to problems in the app; other links become plain text."""
    here = Path(name).parent.as_posix()

    def turned(found: re.Match[str]) -> str:
        if found["target"] is None:  # code
            return found[0]
        target = found["target"][1:] if found["target"].startswith("/") else normpath(f"{here}/{found['target']}")
        words, anchor = found["words"], found["anchor"] or ""
        if problem := _PROBLEM.fullmatch(target):
            return f'<a href="{in_the_app(name, problem[1])}">{words}</a>'
        page = f"{target.removesuffix('.py')}.md" if target.endswith(".py") else target
        return f"[{words}]({relpath(place(page), Path(place(name)).parent)}{anchor})" if page in pages else words

    return _LINKS.sub(turned, text)
