"""The app's side in Python: its replies to requests in plain data, the same on this computer and in a browser."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from threading import Lock
from typing import Any

from shardwise.app.index import index_of
from shardwise.app.record import Marks, record_as_data, towards_mastery
from shardwise.app.steps import overview, walks
from shardwise.bank.discovery import name_of
from shardwise.errors import ShardwiseError
from shardwise.kinds.calls import Runner
from shardwise.markdown.escaping import safe
from shardwise.plugins import ELEMENTS, added, load_added
from shardwise.student.desk import Desk, error_reply
from shardwise.student.progress.chapters import progress_of, streak
from shardwise.student.progress.clock import now
from shardwise.student.progress.events import READ, SEED, SETTING
from shardwise.student.running.in_a_thread import run_limited
from shardwise.student.session import Session

_PLACE = "place"  # the chapter that is open, among the settings
Data = dict[str, Any]
Request = Mapping[str, Any]


class App:
    """The replies to the app, which asks for chapters, sections, questions and the record. Forms ask the desk, through it.

    - `map`: the chapters with their steps, the interactive figures, and the elements of other packages.
    - `section`: a section of a lesson; the step `end` is what the chapter taught.
    - `open`: a question as the desk shows it, with its state and drafts.
    - `record`: what was solved, what is due, what comes next, today's five.
    - `master`: the problem of a chapter to practise next until all are mastered, after the one in `after`.
    - `at`: keep which chapter is open, where Continue then leads.
    - `read`, `set`: mark a section as read, change a setting; the reply is the record.
    - `typed`: save what was typed into a form.
    - `index`: everything that one can search for.
    - `moving`: an interactive figure of that name, as its element is given it.
    - `element`: an element of another package, such as the planner; with `request`, its reply.
    """

    def __init__(self, session: Session, runner: Runner = run_limited) -> None:
        self._session = session
        self.banks = session.banks
        self._desk = Desk(session, runner=runner)
        self._elements: dict[str, Any] = {}
        self._lock = Lock()

    def reply(self, request: Any) -> Data:
        """Return the reply to a request, or one with an `error` in HTML if there is no answer. Never raises."""
        action = _ACTIONS.get(str(request.get("do"))) if isinstance(request, Mapping) else None
        if action is None:
            return self._desk.reply(request)
        try:
            with self._lock:
                return action(self, request)
        except Exception as error:
            return error_reply(error)

    @cached_property
    def _walks(self) -> dict[str, Any]:
        return {walk.name: walk for walk in walks(self._session.banks)}

    def _map(self, _: Request) -> Data:
        names = added(ELEMENTS)
        elements = [{"name": name, "title": load_added(ELEMENTS, name).title} for name in names]
        return {"map": {**overview(self._session.banks), "elements": elements}}

    def _section(self, request: Request) -> Data:
        walk = self._walks.get(self._text(request, "chapter"))
        if walk is None:
            raise ShardwiseError(f"Unknown chapter “{safe(self._text(request, 'chapter')[:80])}”.")
        return {"section": walk.section(self._text(request, "step"))}

    def _open(self, request: Request) -> Data:
        asked = self._session.question(self._text(request, "problem"), str(request.get("seed") or SEED))
        return {**self._desk.open(asked), "drafts": self._desk.drafts_of(asked)}

    def _record(self, _: Request) -> Data:
        journal, banks = self._session.journal, self._session.banks
        events, at = journal.events(), now()
        names = {name_of(bank.folder) for bank in banks.all}
        marks = [mark for mark in journal.marks() if mark.bank in ("", *names)]
        read = {mark.name: mark.at for mark in marks if mark.purpose == READ}
        settings = {mark.name: mark.value for mark in marks if mark.purpose == SETTING}
        found = progress_of(banks, events, at)
        ours = [event for event in events if event.variant.bank in names]
        place = str(settings.pop(_PLACE, ""))
        record = record_as_data(list(self._walks.values()), found, Marks(read, settings, place), streak(ours, at))
        note = journal.trouble(again=True) if journal.keeps else "Your progress is not saved here."
        return {"record": {**record, "note": note}}

    def _master(self, request: Request) -> Data:
        name = self._text(request, "chapter")
        self._session.banks.of(name)  # raises an error that lists the chapters
        found = progress_of(self._session.banks, self._session.journal.events(), now(), only=name)
        return {"master": towards_mastery(found.chapters[0], str(request.get("after")))}

    def _read(self, request: Request) -> Data:
        chapter, step = self._text(request, "chapter"), self._text(request, "step")
        bank = name_of(self._session.banks.of(chapter).folder)
        self._session.journal.typed(bank, {f"{READ} {chapter}/{step}": True})
        return self._record(request)

    def _at(self, request: Request) -> Data:
        self._session.journal.typed("", {f"{SETTING} {_PLACE}": self._text(request, "chapter")})
        return {}

    def _set(self, request: Request) -> Data:
        settings = request.get("settings")
        if not isinstance(settings, Mapping):
            raise ShardwiseError("This request must give `settings`, by name.")
        self._session.journal.typed("", {f"{SETTING} {name}": bool(value) for name, value in settings.items()})
        return self._record(request)

    def _typed(self, request: Request) -> Data:
        drafts = request.get("drafts")
        if not isinstance(drafts, Mapping):
            raise ShardwiseError("This request must give `drafts`, by key.")
        problem = self._session.banks.find(self._text(request, "problem"))
        self._session.journal.typed(name_of(problem.bank), {str(key): value for key, value in drafts.items()})
        return {}

    def _moving(self, request: Request) -> Data:
        return {"element": self._desk.moving(self._text(request, "name")).view}

    def _index(self, _: Request) -> Data:
        return {"index": index_of(self._session.banks)}

    def _element(self, request: Request) -> Data:
        name = self._text(request, "name")
        if name not in added(ELEMENTS):
            raise ShardwiseError(f"Unknown page “{safe(name[:80])}”.")
        if name not in self._elements:
            self._elements[name] = load_added(ELEMENTS, name)(self._session.banks)
        element = self._elements[name]
        if "request" in request:
            return dict(element.reply(request["request"]))
        return {"what": element.what, "given": element.given()}

    def _text(self, request: Request, name: str) -> str:
        value = request.get(name)
        if not isinstance(value, str):
            raise ShardwiseError(f"This request must give its `{name}` as text.")
        return value


_ACTIONS: dict[str, Callable[[App, Request], Data]] = {
    "map": App._map,
    "section": App._section,
    "open": App._open,
    "record": App._record,
    "master": App._master,
    "read": App._read,
    "at": App._at,
    "set": App._set,
    "typed": App._typed,
    "index": App._index,
    "moving": App._moving,
    "element": App._element,
}
