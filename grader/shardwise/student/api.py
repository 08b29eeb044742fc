"""The functions that a student calls in a notebook: check, hint, solution, another, practice, progress, figure and use_bank."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import __main__
from shardwise.errors import Faulty, ShardwiseError
from shardwise.kinds import text_of, variable_of
from shardwise.marking import check as mark
from shardwise.question import Outcome
from shardwise.student.failed_cells import FailedCells
from shardwise.student.graded import NOT_GIVEN, GradedSet, GradedSets, not_ready
from shardwise.student.in_words import asked_in_words, check_of
from shardwise.student.messages import STOPPED, Checked, Message
from shardwise.student.progress.events import SEED
from shardwise.student.running.in_a_thread import run_limited
from shardwise.student.session import WHICH, Session

if TYPE_CHECKING:
    from shardwise.bank.bank import Banks
    from shardwise.student.progress.card import Card
    from shardwise.student.widget import Picture, Practice, ProgressCard


P = ParamSpec("P")
T = TypeVar("T")

_BURST_S = 3.0  # cells that are run together open their forms closer to each other than this
_SESSION = Session()
_FAILED = FailedCells()
_FAILED.listen()
_GRADED = GradedSets()


def _in_words(graded_sets_have: str = "") -> Callable[[Callable[P, T]], Callable[P, T | Message]]:
    """Decorate a verb to return errors as messages, and to refuse in a graded set, where there "are no hints", for example."""

    def decorate(verb: Callable[P, T]) -> Callable[P, T | Message]:
        @wraps(verb)
        def called(*args: P.args, **keywords: P.kwargs) -> T | Message:
            if graded_sets_have and (graded := _GRADED.of(None)) is not None:
                return graded.has_no(graded_sets_have)
            try:
                return verb(*args, **keywords)
            except ShardwiseError as error:
                return Message(_said(error))

        return called

    return decorate


@_in_words()
def use_bank(*folders: str | list[str]) -> Message:
    """Practise the problems of these banks from now on; "shipped" is the installed one. Returns a message that names them."""
    names = [name for folder in folders for name in (folder if isinstance(folder, list | tuple) else [folder])]
    _open(tuple(map(str, names)))
    return Message(f"Bank: {_SESSION.banks}")


def _open(named: tuple[str, ...]) -> None:
    """Start a session with these banks. Raises ShardwiseError, and then the current session stays."""
    global _SESSION
    fresh = Session(named)
    _ = fresh.banks
    _SESSION = fresh


def _open_if_new(bank: str | None) -> None:
    """Switch to this bank, unless it is already in use. Raises ShardwiseError."""
    if bank is not None and bank not in _SESSION.named:
        _open((bank,))


def _is_page() -> bool:
    """Return whether the cells are hidden: Voilà shows only a notebook's outputs, and names itself to the kernel."""
    return os.environ.get("SERVER_SOFTWARE", "").startswith("voila")


def check(
    name: str | None = None,
    answer: Any = NOT_GIVEN,
    *,
    seed: int | str = SEED,
    bank: str | None = None,
    of: str | None = None,
) -> Checked | Message | None:
    """Mark an answer to the named problem: to the variant in the notebook, or to the variant with that seed.

    Without `answer`, the answer is the variable named after the problem (`monthly_payment` for `monthly-payment`), or the
    function that the problem asks for. `bank` is the problem's bank, for notebooks of a bank other than the shipped one.
    `of` names the graded set that the problem belongs to; the result then says only how the answer is read.
    """
    graded = _GRADED.of(of)
    if graded is not None:
        return graded.check(name, answer)
    if of is not None:
        return not_ready(of)
    if name is None:  # the last question may come from another(), but this marks the one in the notebook
        return Message(WHICH)
    try:
        _open_if_new(bank)
        asked = _SESSION.question(name, seed)
    except ShardwiseError as error:
        return Message(_said(error))
    if answer is ...:  # the placeholder in a practice notebook
        return None
    variable = variable_of(asked)
    raw = vars(__main__).get(variable) if answer is NOT_GIVEN else answer
    if answer is NOT_GIVEN and (why := _FAILED.why(variable)) is not None:
        return Checked(_FAILED.feedback(asked.id, asked.points, variable, why))
    try:
        feedback = mark(asked, raw, runner=run_limited)
    except KeyboardInterrupt:
        return Message(STOPPED)
    if feedback.outcome == Outcome.BLANK and answer is NOT_GIVEN and variable not in vars(__main__):
        note = "Python does not know that name yet. If your answer is in its cell, run that cell first."
        return Checked(feedback.saying(*feedback.remarks, note))
    feedback = _SESSION.answered(asked, feedback, "cell")
    _refresh_forms(asked.id)
    drawn = _SESSION.drawn.get(asked.id, asked.seed)
    if drawn != asked.seed and feedback.outcome != Outcome.CORRECT:
        which = "in the notebook" if asked.seed == SEED else f"with `seed={asked.seed}`"
        note = f"*This marks the question {which}. To check the one from `another()`, run `{check_of(asked.slug, drawn)}`.*"
        feedback = feedback.saying(*feedback.remarks, note)
    return Checked(feedback)


def banks_in_use(bank: str | None = None) -> Banks:
    """Return the banks in use here, after switching to `bank` if it is not one of them. Raises ShardwiseError."""
    _open_if_new(bank)
    return _SESSION.banks


def _said(error: ShardwiseError) -> str:
    """Return an error as a message for a student; the faults of a bank keep their line breaks."""
    return f"```text\n{error}\n```" if isinstance(error, Faulty) else str(error)


@_in_words("are no hints")
def hint(name: str | None = None, *, seed: int | str | None = None) -> Message:
    """Show the next hint for a problem, or for the last problem you used if you give no name."""
    asked = _SESSION.question(name, seed)
    before = len(_SESSION.hints.get((asked.id, asked.seed), ()))
    given = _SESSION.hinted(asked, before + 1, "cell")
    if len(given) == before:
        return Message(f'That was the last hint. `solution("{asked.slug}")` shows the worked solution.')
    more = len(asked.hints) - len(given)
    rest = "" if more == 0 else f" *({more} more)*"
    return Message(f"{given[-1]}{rest}")


@_in_words("are no solutions")
def solution(name: str | None = None, *, seed: int | str | None = None) -> Message:
    """Show the worked solution, with this question's numbers."""
    asked = _SESSION.question(name, seed)
    _SESSION.showed_solution(asked, "cell")
    return Message(f'**Solution.**\n\n{asked.solution}\n\n`another("{asked.slug}")` draws new numbers.')


@_in_words("are no other variants")
def another(name: str | None = None, *, seed: int | str | None = None) -> Message:
    """Show the same problem with new numbers, and the cell that checks it; `seed` shows that variant again."""
    before = _SESSION.question(name, seed)
    after = before if seed is not None else _SESSION.fresh(before, _SESSION.drawn.get(before.id, before.seed))
    _SESSION.drawn[after.id] = after.seed
    same = seed is None and text_of(after) == text_of(before)
    note = "*The text stays the same; the test inputs are new.*\n\n" if same else ""
    return Message(note + asked_in_words(after))


@_in_words("are no forms")
def practice(
    name: str | int | None = None, *, seed: int | str | None = None, bank: str | None = None
) -> Practice | Message:
    """Show a problem as a form with buttons, or one after another: those left in a chapter, or without a name today's five.

    Give the number of a chapter, its name, or a part of its name or title. `bank` is the bank, as in `check`.
    """
    from shardwise.student.desk import Desk
    from shardwise.student.widget import Practice

    _open_if_new(bank)
    if name is not None and (seed is not None or not _chapters(name)):
        _SESSION.burst.append(time.monotonic())
        return Practice(Desk(_SESSION), _SESSION.question(name, SEED if seed is None else seed))  # type: ignore[arg-type]
    from shardwise.student.walk import walk

    chapter = None if name is None else _SESSION.banks.find_chapter(name)
    problems, end = walk(_SESSION.banks, _SESSION.journal.events(), chapter)
    if not problems:
        return Message(end)
    return Practice(Desk(_SESSION, problems, "" if chapter else end), _SESSION.question(*problems[0]))


def _chapters(name: str | int) -> list[str]:
    """Return the chapters that a name can mean; none if it is the name of a problem."""
    is_problem = any(name in (known, known.rpartition("/")[2]) for known in _SESSION.banks.problems)
    return [] if is_problem else _SESSION.banks.chapters_like(name)


def _refresh_forms(problem: str) -> None:
    """Let the forms of this kernel show that a problem was answered in a cell."""
    if "shardwise.student.widget.form" in sys.modules:
        from shardwise.student.widget.form import refresh

        refresh(problem)


@_in_words()
def figure(name: str | None = None, *, bank: str | None = None) -> Picture | Message:
    """Show an interactive figure, which asks for a guess first; without a name, list all figures.

    `bank` is the figure's bank, as in `check`.
    """
    from shardwise.bank.pages.interactive_figures import moving_names
    from shardwise.student.desk import Desk
    from shardwise.student.widget import Picture

    _open_if_new(bank)
    desk = Desk(_SESSION)
    if name is None:
        names = dict.fromkeys(known for opened in _SESSION.banks.all for known in moving_names(opened))
        listed = "\n".join(f'- `figure("{known}")`: {desk.moving(known).title}' for known in names)
        return Message(listed or "These banks have no interactive figures.")
    return Picture(desk, desk.moving(str(name)))


@_in_words()
def progress(chapter: str | int | None = None, *, bank: str | None = None) -> Card | ProgressCard | Message:
    """Show what you have solved and mastered in a chapter or in all chapters, what is due today, and what comes next.

    `bank` is the chapter's bank, as in `check`. Your progress is kept only on this computer.
    """
    from shardwise.student.progress.card import card_of

    _open_if_new(bank)
    session = _SESSION
    only = None if chapter is None else session.banks.find_chapter(chapter)
    card = card_of(session.banks, only, session.journal)
    was_burst = len(session.burst) > 1 and time.monotonic() - session.burst[-1] < _BURST_S
    session.burst.clear()
    if not _has_forms():
        return card
    from shardwise.student.desk import Desk
    from shardwise.student.widget import ProgressCard

    returns = only is not None and was_burst and not _is_page()
    return ProgressCard(Desk(session), card, lambda: card_of(session.banks, only, session.journal), returns=returns)


def _has_forms() -> bool:
    """Return whether this is a notebook's kernel, with a student in front of it."""
    ipython = sys.modules.get("IPython")
    return bool(ipython and getattr(ipython.get_ipython(), "kernel", None)) and "NBGRADER_EXECUTION" not in os.environ


def check_all(*, of: str | None = None) -> Message:
    """List a graded set's questions and the state of each answer, such as answered, blank, incomplete or unreadable.

    The list does not say whether an answer is right: answers are marked after you hand in the notebook.
    """
    graded = _GRADED.of(of)
    if graded is None:
        return not_ready(of) if of else Message("check_all() is for graded sets. Here, check() marks each answer.")
    return graded.check_all()


def handed_out(name: str, questions: Mapping[str, Mapping[str, Any]]) -> Message:
    """Register the questions of a graded notebook, without their keys. The notebook's first cell calls this."""
    _GRADED.add(GradedSet(name, questions, _FAILED))
    return Message(f"Ready: {len(questions)} question{'' if len(questions) == 1 else 's'}.")
