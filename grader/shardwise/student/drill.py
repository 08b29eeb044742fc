"""The drill: practice in a terminal, one question after another. Every answer is saved at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from shardwise.errors import Faulty, ShardwiseError, Unreadable
from shardwise.kinds import kind_of, text_of
from shardwise.kinds.answers import parsed_answer
from shardwise.kinds.base import NumericKind
from shardwise.markdown.feedback import as_terminal
from shardwise.markdown.terminal import cells, columns, to_terminal, wrapped
from shardwise.marking import check
from shardwise.question import Outcome, Question, in_points
from shardwise.student.messages import STOPPED
from shardwise.student.progress.chapters import ProblemRow
from shardwise.student.progress.journal import JUDGED
from shardwise.student.running.in_a_thread import run_limited
from shardwise.student.session import Session
from shardwise.text_files import read_text

HINT, SOLUTION, SKIP, QUIT, HELP = "?", "!", "skip", "quit", "help"
_IN_FULL = {"hint": HINT, "solution": SOLUTION, "skip": SKIP, "quit": QUIT, "exit": QUIT, "help": HELP}
_LETTERS = {"h": HINT, "q": QUIT, "s": HELP}  # unless the letter is an answer; s could mean solution or skip
_KEYS = f"{HINT} hint · {SOLUTION} solution · {SKIP} · {QUIT}"
_TIP = (
    "You can type a calculation, such as `2*1.5 GB*999/1000`. In another terminal, `shardwise formulas` lists formulas."
)
_PROMPT, _MORE, _PAUSE = "> ", "… ", "Enter for the next question, q to quit "


class Quit(Exception):
    """A student's request to stop."""


def _command(question: Question, line: str) -> str:
    """Return the command on a line, or the line itself if it is an answer."""
    if (letter := line.lower()) in _LETTERS:
        return line if _is_answer(question, line) else _LETTERS[letter]
    return _IN_FULL.get(line.lower(), line)


def _is_quit(line: str) -> bool:
    """Return whether a line at a pause means quit."""
    word = line.strip().lower()
    return QUIT in (_IN_FULL.get(word), _LETTERS.get(word))


def _is_answer(question: Question, line: str) -> bool:
    """Return whether a letter can be read as an answer: an option, a symbol, or the name of a file."""
    kind = kind_of(question)
    if kind.is_program:
        return Path(line).is_file()
    try:
        return parsed_answer(kind, question.form, line) is not None
    except Unreadable:
        return False


def _how(question: Question) -> str:
    """Return how to answer; an example with several lines, or wider than the terminal, begins on its own line."""
    kind = kind_of(question)
    if kind.is_program:
        return "Answer with the name of a file that contains the function."
    example = kind.example(question.form)
    if "\n" in example:
        return f"An answer looks like\n\n{example}\n\nEnd your answer with an empty line."
    if cells(short := f"An answer looks like  {example}") <= columns():
        return short
    return "\n".join(("An answer looks like", "", *wrapped(example, columns()), ""))


class Drill:
    """A session that asks questions. `ask` reads a line after a prompt and may raise EOFError or KeyboardInterrupt; `say` prints.

    Answers are marked inside the context `apart`, where Ctrl-C raises KeyboardInterrupt whatever it does elsewhere.
    With `pauses`, the student reads the end of a question before the next one appears.
    """

    def __init__(
        self,
        session: Session,
        ask: Callable[[str], str],
        say: Callable[[str], None],
        apart: Callable[[], AbstractContextManager[None]] = nullcontext,
        *,
        pauses: bool = False,
    ) -> None:
        self._session, self._ask, self._say, self._apart, self._pauses = session, ask, say, apart, pauses
        self._has_tip = False
        self.right = self.asked = 0

    def run(self, rows: Sequence[ProblemRow]) -> None:
        """Ask each problem with new numbers, until none is left or the student quits."""
        try:
            for number, row in enumerate(rows, start=1):
                try:
                    question = self._session.question(row.problem.id, row.record.next_seed())
                except ShardwiseError as error:  # this template cannot be drawn, but the others can
                    self._say(f"{error}\n")
                    continue
                points = in_points(question.points)
                title, which = f"── {number} of {len(rows)} ── {question.title}", f"── {points}, {question.id}"
                apart = " " if cells(f"{title} {which}") <= columns() else "\n"
                self._say(f"{title}{apart}{which}\n")
                is_read = self._question(question)
                self._say("")
                if is_read and self._pauses and number < len(rows) and _is_quit(self._ask(_PAUSE)):
                    return
        except (Quit, EOFError, KeyboardInterrupt):
            self._say("")

    def _question(self, question: Question) -> bool:
        """Ask one question until it is answered correctly, given up or skipped; return whether it was not skipped."""
        self._say(f"{to_terminal(text_of(question))}\n\n{_how(question)}\n{_KEYS}")
        if isinstance(kind_of(question), NumericKind) and not self._has_tip:
            self._has_tip = True
            self._say(to_terminal(_TIP))
        hints, is_asked = 0, False
        while True:
            line = _command(question, self._ask(_PROMPT).strip())
            if line == QUIT:
                raise Quit
            if line == SKIP:
                return False
            if line == HELP:
                self._say(f"{_KEYS}\n{to_terminal(_TIP)}")
            elif line == HINT:
                given = self._session.hinted(question, hints + 1, "terminal")
                self._say(
                    to_terminal(
                        given[hints] if given[hints:] else f"That was the last hint. {SOLUTION} shows the solution."
                    )
                )
                hints = len(given)
            elif line == SOLUTION:
                self.asked += not is_asked
                self._session.showed_solution(question, "terminal")
                self._say(to_terminal(question.solution))
                return True
            elif line:
                answer = self._whole(question, line)
                if answer is not None and (outcome := self._mark(question, answer)) is not None:
                    self.asked += not is_asked
                    is_asked = True
                    if outcome == Outcome.CORRECT:
                        self.right += 1
                        return True

    def _whole(self, question: Question, line: str) -> str | None:
        """Return the answer that begins with a line: a file's contents, several lines, or the line; None if that file does not exist."""
        kind = kind_of(question)
        if kind.is_program:
            try:
                path = Path(line).expanduser()
                if not path.is_file():  # a folder, or a device, which might never end
                    self._say(f"{line} is not a file. Answer with the name of a file that contains the function.")
                    return None
                return read_text(path, line)
            except Faulty as error:
                self._say(f"{error}\nAnswer with the name of a file that contains the function.")
                return None
            except (OSError, RuntimeError, ValueError) as error:
                self._say(f"Cannot read {line}: {error}. Answer with the name of a file that contains the function.")
                return None
        lines = [line]
        if "\n" in kind.example(question.form):
            while more := self._ask(_MORE).strip():
                lines.append(more)
        return "\n".join(lines)

    def _mark(self, question: Question, answer: str) -> Outcome | None:
        """Print and save what an answer earns, and return its outcome; None if it was not judged."""
        try:
            with self._apart():
                feedback = check(question, answer, runner=run_limited, front="terminal")
        except KeyboardInterrupt:
            self._say(f"\n{STOPPED} It does not count. Answer again, or type {SKIP} or {QUIT}.")
            return None
        feedback = self._session.answered(question, feedback, "terminal")
        self._say(as_terminal(feedback))
        return feedback.outcome if feedback.outcome in JUDGED else None
