"""The desk: Python's replies to the requests of forms, both as plain data. It knows nothing of Jupyter."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from threading import Lock
from typing import Any

from shardwise.bank.pages.interactive_figures import Moving, moving
from shardwise.errors import ShardwiseError, Unreadable
from shardwise.kinds import kind_of
from shardwise.kinds.calls import Runner, in_one_line
from shardwise.kinds.scripts import offer, script_reply
from shardwise.markdown.escaping import literal, safe
from shardwise.markdown.feedback import remarks_in_markdown
from shardwise.markdown.html import to_html
from shardwise.marking import check
from shardwise.question import Feedback, Outcome, Question
from shardwise.student.estimates import compared, read_estimate
from shardwise.student.messages import STOPPED
from shardwise.student.running.in_a_thread import run_limited
from shardwise.student.session import Session
from shardwise.student.views import verdict, view

_HELPED = "*You used a hint, so this variant does not count towards mastery.*"
_LATER = "After your first check, a chart here compares each quantity with its limit."
_ONE_AT_A_TIME = Lock()  # requests arrive on the notebook's thread and on the thread of a form's own connection

Data = dict[str, Any]
Request = Mapping[str, Any]


def error_reply(error: Exception) -> Data:
    """Return the reply to a failed request, with its `error` in HTML. The message of a ShardwiseError is Markdown."""
    if isinstance(error, ShardwiseError):
        return {"error": to_html(str(error))}
    return {"error": to_html(f"Something went wrong on our side (`{safe(in_one_line(error))}`). Please report it.")}


class Desk:
    """The replies to forms, which ask to show a question, check an answer, give a hint, show the solution or draw new numbers.

    Every request names its problem and seed, so that an answer is never marked against the numbers of another variant.
    """

    def __init__(
        self,
        session: Session,
        walk: Sequence[tuple[str, str]] = (),
        end: str = "",
        *,
        runner: Runner = run_limited,
    ) -> None:
        """Open a desk. `walk` lists the problems and seeds that *Next* goes through, and `end` is the message after them.

        Without a walk, *Next* goes through the chapter; without `end`, the message is about the chapter. `runner` calls the
        functions of students.
        """
        self._session, self._walk, self._end = session, list(walk), end
        self._runner = runner
        self._opened: dict[tuple[str, str], Question] = {}
        self._moving: dict[str, Moving] = {}

    def moving(self, name: str) -> Moving:
        """Return the figure of that name, which caches what it has shown. Raises ShardwiseError."""
        if name not in self._moving:
            self._moving[name] = moving(self._session.banks.all, name)
        return self._moving[name]

    def open(self, question: Question) -> Data:
        """Return the data from which a form shows a question, without its key: its view, the hints so far, and its scripts.

        The hints are in HTML. The question is kept, so that later requests about it need not draw it again.
        """
        self._opened[question.id, question.seed] = question
        given = [{"part": part, "html": to_html(hint)} for part, hint in self._session.given_hints(question)]
        scripts = offer({kind_of(piece).script for piece in kind_of(question).pieces(question)})
        shown = view(question)
        if (place := self._place(question)) is not None:
            shown["points"] = f"{place + 1} of {len(self._walk)} · {shown['points']}"
        return {
            "question": shown,
            "hints": given,
            "scripts": scripts,
            "state": self._session.state(question),
            "walk": bool(self._walk),
        }

    def state(self, question: Question) -> Data:
        """Return whether the problem of a question is solved and mastered."""
        return self._session.state(question)

    def label(self, question: Question) -> str:
        """Return the number of a question's problem, such as 1.4, or "" if no bank in use has it."""
        with suppress(ShardwiseError):
            return self._session.banks.label(self._session.banks.find(question.id).id)
        return ""

    def _place(self, question: Question) -> int | None:
        """Return the place of a question's problem in the walk."""
        return next((place for place, (problem, _) in enumerate(self._walk) if problem == question.id), None)

    def drafts_of(self, question: Question) -> Data:
        """Return what was typed for a problem before, by key, where the notebook cannot keep it."""
        return self._session.drafts_of(question)

    def typed(self, question: Question, before: Data, now: Data) -> None:
        """Save what was typed into a question's form since the last save."""
        new = {key: value for key, value in now.items() if key not in before or before[key] != value}
        self._session.typed(question, new)

    def reply(self, request: Any) -> Data:
        """Return the reply to a request, or one with an `error` in HTML if there is no answer. Never raises."""
        try:
            with _ONE_AT_A_TIME:
                return self._answered(request)
        except KeyboardInterrupt:
            return {"error": to_html(STOPPED)}
        except Exception as error:
            return error_reply(error)

    def _answered(self, request: Any) -> Data:
        if not isinstance(request, Mapping):
            raise ShardwiseError("A request must be a dictionary with `do`.")
        action = _ACTIONS.get(str(request.get("do")))
        if action is None:
            raise ShardwiseError(
                f"Unknown request `{safe(str(request.get('do')))}`. Known requests: {', '.join(_ACTIONS)}."
            )
        return action(self, request)

    def _asked(self, request: Request) -> Question:
        """Return the question that a request is about."""
        problem, seed = (request.get(name) for name in ("problem", "seed"))
        if not isinstance(problem, str) or not isinstance(seed, str):
            raise ShardwiseError("This request must name its `problem` and its `seed`, both as text.")
        asked = self._opened.get((problem, seed)) or self._session.question(problem, seed)
        self._opened[problem, seed] = asked
        return self._session.look_at(asked)

    def _question(self, request: Request) -> Data:
        return self.open(self._asked(request))

    def _check(self, request: Request) -> Data:
        asked = self._asked(request)
        answer = request.get("answer")
        marked = check(asked, answer, runner=self._runner, front="form")
        feedback = self._session.answered(asked, marked, "form")
        told = verdict(feedback)
        if feedback.outcome == Outcome.CORRECT:
            helped = _HELPED if self._session.hints.get((asked.id, asked.seed)) else ""
            told["more"] = to_html(f"{_more(asked, feedback, request.get('estimate'))}\n\n{helped}".strip())
            return {"verdict": told, "state": self._session.state(asked)}
        return {"verdict": told}

    def _estimate(self, request: Request) -> Data:
        asked, typed = self._asked(request), request.get("answer")
        try:
            read = read_estimate(asked, typed)
            self._session.estimated(asked, typed)
            return {"estimate": read}  # plain text: the notebook stores it, and a notebook may come from a stranger
        except Unreadable as error:
            return {"unreadable": to_html(literal(str(error)))}

    def _preview(self, request: Request) -> Data:
        asked = self._asked(request)
        return {"preview": dict(kind_of(asked).preview(asked.form, request.get("answer")))}

    def _bars(self, request: Request) -> Data:
        """Return an answer's values and their limits, but only after a first check, since the question asks for these values."""
        asked = self._asked(request)
        kind = kind_of(asked)
        if kind.has_bars(asked) and not self._session.was_answered(asked):
            return {"bars": {"why": _LATER}}
        return {"bars": dict(kind.bars(asked, request.get("answer")))}

    def _run(self, request: Request) -> Data:
        asked = self._asked(request)
        try:
            arguments, happened = kind_of(asked).run(
                asked, request.get("answer"), str(request.get("arguments") or ""), self._runner
            )
        except Unreadable as error:
            return {"run": {"html": to_html(literal(str(error)))}}
        return {"run": {"arguments": arguments, "html": to_html(happened)}}

    def _hint(self, request: Request) -> Data:
        asked, part, remarks_in_markdown = self._asked(request), request.get("part"), request.get("shown", 0)
        given = self._session.hinted_part(
            asked, part, (remarks_in_markdown if isinstance(remarks_in_markdown, int) else 0) + 1, "form"
        )
        return {"hints": [{"part": part, "html": to_html(hint)} for hint in given]}

    def _solution(self, request: Request) -> Data:
        asked = self._asked(request)
        self._session.showed_solution(asked, "form")
        return {"solution": to_html(f"**Solution**\n\n{asked.solution}")}  # a solution may begin with a table

    def _another(self, request: Request) -> Data:
        asked = self._asked(request)
        return self.open(self._session.fresh(asked, asked.seed))

    def _next(self, request: Request) -> Data:
        asked = self._asked(request)
        if (place := self._place(asked)) is not None:
            if place + 1 == len(self._walk):
                return {"end": to_html(self._end or self._session.ending(asked))}
            return self.open(self._session.question(*self._walk[place + 1]))
        following = self._session.following(asked)
        if following is None:
            return {"end": to_html(self._session.ending(asked))}
        return self.open(following)

    def _figure(self, request: Request) -> Data:
        name, settings = request.get("name"), request.get("settings")
        if not isinstance(name, str):
            raise ShardwiseError("This request must give the `name` of a figure, as text.")
        if "guess" in request:
            return {"judged": self.moving(name).judge(request["guess"])}
        if not isinstance(settings, Mapping):
            raise ShardwiseError("This request must give the `settings` of the figure's controls.")
        return {"shown": self.moving(name).show(settings)}


def _more(asked: Question, feedback: Feedback, estimate: Any) -> str:
    """Return the text after a right answer: the takeaway, and how close the estimate was."""
    is_explained = bool(remarks_in_markdown(feedback)) and not kind_of(asked).is_program
    parts = ("" if is_explained else asked.takeaway, compared(asked, estimate))
    return "\n\n".join(part for part in parts if part)


_ACTIONS: dict[str, Callable[[Desk, Request], Data]] = {
    "question": Desk._question,
    "estimate": Desk._estimate,
    "preview": Desk._preview,
    "bars": Desk._bars,
    "run": Desk._run,
    "check": Desk._check,
    "hint": Desk._hint,
    "solution": Desk._solution,
    "another": Desk._another,
    "next": Desk._next,
    "figure": Desk._figure,
    "script": lambda _, request: script_reply(request),
}
