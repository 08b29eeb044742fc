"""The student's verbs: check, hint, solution, another, practice, progress, figure and use_bank, as a notebook calls them."""

from __future__ import annotations

import os
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
from shardwise.student.running.in_a_thread import run_limited
from shardwise.student.session import SEED, WHICH, Session

if TYPE_CHECKING:
    from shardwise.bank.bank import Banks
    from shardwise.student.progress.card import Card
    from shardwise.student.widget import Picture, Practice


P = ParamSpec("P")
T = TypeVar("T")
TYPE_HERE = "No answer yet: type it in place of the three dots, or use the form above."

_SESSION = Session()
_FAILED = FailedCells()
_FAILED.listen()
_GRADED = GradedSets()


def _in_words(graded_sets_have: str = "") -> Callable[[Callable[P, T]], Callable[P, T | Message]]:
    """Let a verb say in words what is wrong, and what graded sets have none of, such as "are no hints"."""

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
    """Practise the problems of these banks from now on; "shipped" is the one that is installed. Gives what was opened."""
    names = [name for folder in folders for name in (folder if isinstance(folder, list | tuple) else [folder])]
    _open(tuple(map(str, names)))
    return Message(f"Bank: {_SESSION.banks}")


def _open(named: tuple[str, ...]) -> None:
    """Begin a session with these banks. Raises ShardwiseError, and the session before goes on."""
    global _SESSION
    fresh = Session(named)
    _ = fresh.banks
    _SESSION = fresh


def _open_if_new(bank: str | None) -> None:
    """Practise this bank from now on, if it is none of those that are practised. Raises ShardwiseError."""
    if bank is not None and bank not in _SESSION.named:
        _open((bank,))


def _is_page() -> bool:
    """Whether nobody sees the cells: Voilà shows a notebook's outputs alone, and tells the kernel who it is."""
    return os.environ.get("SERVER_SOFTWARE", "").startswith("voila")


def check(
    name: str | None = None,
    answer: Any = NOT_GIVEN,
    *,
    seed: int | str = SEED,
    bank: str | None = None,
    of: str | None = None,
) -> Checked | Message | None:
    """Mark an answer to the problem of that name: to the variant that notebooks show, or to the one of that seed.

    Without `answer` the variable named after the problem is taken: `monthly_payment` for `monthly-payment`,
    or the function that the problem asks for. `bank` is where the problem is found, for notebooks of other banks
    than the shipped one. `of` names the graded set that the problem belongs to: then it says how the answer is read.
    """
    graded = _GRADED.of(of)
    if graded is not None:
        return graded.check(name, answer)
    if of is not None:
        return not_ready(of)
    if name is None:  # the last one may be a variant that another() drew, and this marks the one of the notebook
        return Message(WHICH)
    try:
        _open_if_new(bank)
        asked = _SESSION.question(name, seed)
    except ShardwiseError as error:
        return Message(_said(error))
    if answer is ...:  # as a practice notebook has it
        return None if _is_page() else Message(TYPE_HERE)
    variable = variable_of(asked)
    raw = vars(__main__).get(variable) if answer is NOT_GIVEN else answer
    if answer is NOT_GIVEN and (why := _FAILED.why(variable)) is not None:
        return Checked(_FAILED.feedback(asked.id, asked.points, variable, why))
    try:
        feedback = mark(asked, raw, runner=run_limited)
    except KeyboardInterrupt:
        return Message(STOPPED)
    if feedback.outcome == Outcome.BLANK and answer is NOT_GIVEN and variable not in vars(__main__):
        note = "Python does not know that name yet. If your answer stands in its cell, run that cell first."
        return Checked(feedback.saying(*feedback.remarks, note))
    feedback = _SESSION.answered(asked, feedback, "cell")
    drawn = _SESSION.drawn.get(asked.id, asked.seed)
    if drawn != asked.seed and feedback.outcome != Outcome.CORRECT:
        which = "as the notebook asks it" if asked.seed == SEED else f"with `seed={asked.seed}`"
        note = f"*This marks the question {which}. The one that `another()` drew: `{check_of(asked.slug, drawn)}`.*"
        feedback = feedback.saying(*feedback.remarks, note)
    return Checked(feedback)


def banks_in_use(bank: str | None = None) -> Banks:
    """Return the banks that are practised here, after opening `bank` where it is another. Raises ShardwiseError."""
    _open_if_new(bank)
    return _SESSION.banks


def _said(error: ShardwiseError) -> str:
    """An error for a student; the faults of a bank keep their lines."""
    return f"```text\n{error}\n```" if isinstance(error, Faulty) else str(error)


@_in_words("are no hints")
def hint(name: str | None = None, *, seed: int | str | None = None) -> Message:
    """The next hint of a problem; of the last one checked when no name is given."""
    asked = _SESSION.question(name, seed)
    before = len(_SESSION.hints.get((asked.id, asked.seed), ()))
    given = _SESSION.hinted(asked, before + 1, "cell")
    if len(given) == before:
        return Message(f'That was the last hint. `solution("{asked.slug}")` shows the way.')
    more = len(asked.hints) - len(given)
    rest = "" if more == 0 else f" *({more} more)*"
    return Message(f"{given[-1]}{rest}")


@_in_words("are no solutions")
def solution(name: str | None = None, *, seed: int | str | None = None) -> Message:
    """The worked solution with this question's own numbers."""
    asked = _SESSION.question(name, seed)
    _SESSION.showed_solution(asked, "cell")
    return Message(f'**Solution.**\n\n{asked.solution}\n\n`another("{asked.slug}")` draws new numbers.')


@_in_words("are no other variants")
def another(name: str | None = None, *, seed: int | str | None = None) -> Message:
    """The same problem with new numbers, and a check of its own; `seed` shows that variant again."""
    before = _SESSION.question(name, seed)
    after = before if seed is not None else _SESSION.fresh(before, _SESSION.drawn.get(before.id, before.seed))
    _SESSION.drawn[after.id] = after.seed
    same = seed is None and text_of(after) == text_of(before)
    note = "*It reads the same each time; what it is tried on is new.*\n\n" if same else ""
    return Message(note + asked_in_words(after))


@_in_words("are no forms")
def practice(name: str | None = None, *, seed: int | str | None = None, bank: str | None = None) -> Practice | Message:
    """The problem as a form with buttons. `bank` is where it is found, as in `check`."""
    from shardwise.student.desk import Desk
    from shardwise.student.widget import Practice

    _open_if_new(bank)
    asked = _SESSION.question(name, SEED if seed is None and name is not None else seed)
    return Practice(Desk(_SESSION), asked)


@_in_words()
def figure(name: str | None = None, *, bank: str | None = None) -> Picture | Message:
    """A picture that moves, with sliders and a question to guess at first; without a name, a list of all there are.

    `bank` is where it is found, as in `check`.
    """
    from shardwise.bank.pages.interactive_figures import moving_names
    from shardwise.student.desk import Desk
    from shardwise.student.widget import Picture

    _open_if_new(bank)
    desk = Desk(_SESSION)
    if name is None:
        names = dict.fromkeys(known for opened in _SESSION.banks.all for known in moving_names(opened))
        listed = "\n".join(f'- `figure("{known}")`: {desk.moving(known).title}' for known in names)
        return Message(listed or "These banks have no pictures that move.")
    return Picture(desk, desk.moving(str(name)))


@_in_words()
def progress(chapter: str | None = None, *, bank: str | None = None) -> Card | Message:
    """What you solved and mastered in a chapter, or in all of them, what is due today, and what is next.

    `bank` is where the chapter is found, as in `check`. All of it is kept on this computer alone.
    """
    from shardwise.student.progress.card import card_of

    _open_if_new(bank)
    return card_of(_SESSION.banks, chapter, _SESSION.journal)


def check_all(*, of: str | None = None) -> Message:
    """A list of a graded set's questions, each with what became of its answer: read, blank, incomplete or unreadable.

    It says nothing about whether an answer is right: that is marked after the notebook was handed in.
    """
    graded = _GRADED.of(of)
    if graded is None:
        return not_ready(of) if of else Message("check_all() is for graded sets; here check() marks each answer.")
    return graded.check_all()


def handed_out(name: str, questions: Mapping[str, Mapping[str, Any]]) -> Message:
    """What the first cell of a graded notebook calls: its questions, without their keys."""
    _GRADED.add(GradedSet(name, questions, _FAILED))
    return Message(f"Ready: {len(questions)} question{'' if len(questions) == 1 else 's'}.")
