"""Lessons and their problems: which section a problem follows, faults in the list, and new problems."""

from __future__ import annotations

from pathlib import Path

import pytest

from shardwise.bank.bank import Bank, Banks
from shardwise.bank.chapters import section_faults
from shardwise.bank.lesson import sections_of
from shardwise.bank.lint.lint import faults_of, lint
from shardwise.bank.scaffold import new_problem, starter
from shardwise.course.assigning.notebooks import chapter_notebook
from shardwise.course.assigning.rendering import render
from shardwise.errors import Faulty, ShardwiseError

LESSON = """\
# Rings

Why there are rings.

## Two phases

First.

![A ring.](figures/ring.png)

```text
## No heading
```

## An aside

Nothing is asked here.

## What a step costs ##

![A step.](figures/step.png)

## Sources

A paper.
"""
SECTIONS = """\
problems:
  Two phases: [first-one, second-one]
  What a step costs:
    - third-one
"""
PLAIN = "problems: [first-one, second-one, third-one]\n"


def a_bank(folder: Path, problems: str = SECTIONS, lesson: str = LESSON) -> Bank:
    """A bank with one chapter and three problems."""
    chapter = folder / "problems" / "01-rings"
    (chapter / "figures").mkdir(parents=True)
    for picture in ("ring", "step"):
        (chapter / "figures" / f"{picture}.png").write_bytes(picture.encode())
    (chapter / "lesson.md").write_text(lesson, "utf-8")
    for slug in ("first-one", "second-one", "third-one"):
        (chapter / f"{slug}.yaml").write_text(starter("choice", slug.capitalize()), "utf-8")
    listing(folder).write_text(f"title: Rings\nsummary: A chapter about rings.\n{problems}", "utf-8")
    return Bank.open(folder)


def listing(folder: Path) -> Path:
    return folder / "problems" / "01-rings" / "chapter.yaml"


# The notebook ------------------------------------------------------------------------------------------------------


def order(bank: Bank) -> list[str]:
    """Return the notebook's cells: the first words of each text cell, and the problem of each other cell."""
    found = []
    for cell in chapter_notebook(bank, "01-rings")["cells"]:
        ours, first = cell["metadata"]["shardwise"], cell["source"].partition("\n")[0]
        found.append(f"{ours['role']} {ours['question'].partition('@')[0]}" if "question" in ours else first)
    return found


def asked(slug: str) -> list[str]:
    return [f"{role} 01-rings/{slug}" for role in ("form", "typed")]


def test_each_section_is_followed_by_its_problems(tmp_path: Path) -> None:
    set_up = "from shardwise import another, check, figure, hint, planner, practice, progress, solution"
    assert order(a_bank(tmp_path)) == [
        "# Rings", "## How to practise", set_up, "## Two phases", *asked("first-one"), *asked("second-one"),
        "## An aside", "## What a step costs ##", *asked("third-one"), "## Sources",
        "# The end of this chapter",
    ]  # fmt: skip


def test_a_plain_list_follows_the_whole_lesson(tmp_path: Path) -> None:
    set_up = "from shardwise import another, check, figure, hint, planner, practice, progress, solution"
    problems = [*asked("first-one"), *asked("second-one"), *asked("third-one")]
    headings = ["# Rings", "## Two phases", "## An aside", "## What a step costs ##", "## Sources"]
    assert order(a_bank(tmp_path, PLAIN)) == [*headings, "## Practice", set_up, *problems, "# The end of this chapter"]


def test_the_problems_are_numbered_through_and_one_tuple_in_the_notebooks_order(tmp_path: Path) -> None:
    bank = a_bank(tmp_path)
    chapter = bank.chapters["01-rings"]
    assert chapter.problems == ("first-one", "second-one", "third-one")
    assert dict(chapter.sections) == {
        "Two phases": ("first-one", "second-one"),
        "What a step costs": ("third-one",),
    }
    cells = chapter_notebook(bank, "01-rings")["cells"]
    shown = [cell["outputs"][0]["data"]["text/markdown"] for cell in cells if cell["id"].endswith("-form")]
    heads = [text.partition("\n")[0] for text in shown]
    assert heads == ["### 1.1 First-one", "### 1.2 Second-one", "### 1.3 Third-one"]


def test_a_heading_is_a_line_of_text_and_not_of_code() -> None:
    fenced = "## One\n\n~~~\n## Two\n```\n~~~\n\n## Three\n\n````\n```\n## Four\n````\n## Five  \n### Six\n```\n## Seven\n`````\n## Eight\n"
    assert [section.heading for section in sections_of(fenced)] == ["One", "Three", "Five", "Eight"]
    assert sections_of("") == []
    assert "\n\n".join(section.text for section in sections_of(LESSON)) == LESSON.strip()


# What cannot be ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("problems", "said"),
    [
        (
            SECTIONS.replace("Two phases", "Two fases"),
            "4:3: problems.Two fases: lesson.md has no heading “## Two fases” / Did you mean “Two phases”?",
        ),
        (
            SECTIONS.replace("Two phases", "No heading"),
            "4:3: problems.No heading: lesson.md has no heading “## No heading” / The headings are “Two phases”, "
            "“An aside”, “What a step costs”, “Sources”.",
        ),
        (
            "problems:\n  What a step costs: [third-one]\n  Two phases: [first-one, second-one]\n",
            "5:3: problems.Two phases: in lesson.md this section comes before “## What a step costs” / "
            "List the sections in the order of the lesson.",
        ),
    ],
)
def test_a_heading_that_contradicts_the_lesson_is_reported_at_its_place(
    tmp_path: Path, problems: str, said: str
) -> None:
    bank = a_bank(tmp_path, problems)
    (fault,) = section_faults(bank, "01-rings")
    where = "problems/01-rings/chapter.yaml:"
    assert f"{fault.place}: {fault.message} / {fault.remedy}" == where + said
    for only in ([], ["first-one"]):  # linting one problem of the chapter reports it too
        assert fault in faults_of(lint(Banks([bank]), seeds=1, only=only, workers=1))
    with pytest.raises(Faulty, match=r"chapter\.yaml"):
        render(Banks([bank]), tmp_path / "notebooks", check=False)


def test_a_heading_that_occurs_twice_is_reported(tmp_path: Path) -> None:
    bank = a_bank(tmp_path, lesson=LESSON.replace("## An aside", "## Two phases"))
    (fault,) = section_faults(bank, "01-rings")
    assert fault.place == "problems/01-rings/chapter.yaml:4:3"
    assert fault.message == "problems.Two phases: lesson.md has the heading “## Two phases” 2 times"
    assert fault.remedy == "Give each section a different heading."


def test_a_lesson_without_headings_or_no_lesson_has_no_sections(tmp_path: Path) -> None:
    bank = a_bank(tmp_path, lesson="# Rings\n")
    assert {fault.remedy for fault in section_faults(bank, "01-rings")} == {
        "Add headings to the lesson, or write one plain list."
    }
    lesson = tmp_path / "problems" / "01-rings" / "lesson.md"
    lesson.write_bytes(b"\xff")
    assert [fault.message for fault in section_faults(bank, "01-rings")] == ["is not UTF-8: invalid start byte"]
    lesson.unlink()
    assert list(section_faults(bank, "01-rings")) == []  # the lint reports that there is no lesson


@pytest.mark.parametrize(
    ("problems", "words"),
    [
        (SECTIONS.replace("third-one", "first-one"), "6:7: problems: first-one is listed twice"),
        (SECTIONS.replace(", second-one", ""), "second-one.yaml is in this folder but not in the list"),
        (SECTIONS.replace("third-one", "fourth-one"), "6:7: problems: cannot find fourth-one.yaml in this folder"),
        (SECTIONS.replace("What a step costs", "Two phases"), "5:3: not valid YAML: "),
        (SECTIONS.replace("[first-one, second-one]", "first-one"), "problems.Two phases: expected a list, but found 'first-one'"),
        ("problems: {}\n", "problems: expected at least 1 entry"),
    ],
)  # fmt: skip
def test_a_list_that_differs_from_the_folder_is_reported_at_its_place(
    tmp_path: Path, problems: str, words: str
) -> None:
    with pytest.raises(Faulty) as caught:
        a_bank(tmp_path, problems)
    assert words in str(caught.value)


# A new problem -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("problems: # all\n- first-one\n- second-one\n- third-one # hard\n", ("third-one # hard\n", "third-one # hard\n- new-one\n")),
        ("problems:\n  [first-one,\n   'second-one',\n   \"third-one\" # hard\n  ]\n", ('"third-one"', '"third-one", new-one')),
        (SECTIONS + "# The end.\n", ("    - third-one\n", "    - third-one\n    - new-one\n")),
        ("problems: {Two phases: [first-one], 'What a step costs': [second-one, third-one]} # all\n", ("third-one]", "third-one, new-one]")),
        ("problems: # all\n  Two phases: # two\n  - first-one\n  - second-one\n  Sources:\n  -   third-one\n\n# End", ("third-one\n", "third-one\n  -   new-one\n")),
    ],
)  # fmt: skip
def test_a_new_problem_is_listed_last_and_nothing_else_changes(
    tmp_path: Path, before: str, after: tuple[str, str]
) -> None:
    bank = a_bank(tmp_path, before)
    text = listing(tmp_path).read_text("utf-8")
    new_problem("01-rings/new-one", "choice", Banks([bank]))
    assert listing(tmp_path).read_text("utf-8") == text.replace(*after)
    made = Bank.open(tmp_path).chapters["01-rings"]
    assert made.problems == ("first-one", "second-one", "third-one", "new-one")
    assert not made.sections or list(made.sections.values())[-1][-1] == "new-one"


def test_a_list_that_cannot_be_added_to_is_left_alone(tmp_path: Path) -> None:
    bank = a_bank(tmp_path, 'problems: [first-one, second-one, "third\\x2done"]\n')
    before = sorted(tmp_path.rglob("*")), listing(tmp_path).read_text("utf-8")
    with pytest.raises(ShardwiseError, match=r"Cannot add the problem to the list in chapter\.yaml\. Add it by hand"):
        new_problem("01-rings/new-one", "choice", Banks([bank]))
    assert (sorted(tmp_path.rglob("*")), listing(tmp_path).read_text("utf-8")) == before
