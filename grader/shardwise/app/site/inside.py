"""The part that runs in the browser: it answers the app's requests from a bank and a record that the page provides.

The page keeps the record. It gives all of it when it opens the app, and gets back what each request adds, in the format of
`shardwise progress --export`.
"""

from __future__ import annotations

import importlib
import json
import os
import pickle
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import asdict
from datetime import datetime
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

from shardwise.app.app import App
from shardwise.bank.bank import Bank
from shardwise.bank.discovery import name_of, open_banks
from shardwise.errors import ShardwiseError
from shardwise.kinds.calls import Call, Inputs, Made, Program, call_once, function_of, in_one_line
from shardwise.markdown.html import to_html
from shardwise.student.progress.events import Estimate, Event
from shardwise.student.progress.file import ProgressFile
from shardwise.student.progress.journal import Journal
from shardwise.student.running.in_a_thread import LOADING, PATIENCE, SECONDS
from shardwise.student.session import Session
from shardwise.template.yaml_source import Source

PARSED = "parsed.pickle"  # a file in a bank: its problems' files as plain data, by id
_RECORD = Path("/progress.sqlite")
Data = dict[str, Any]
Watch = Callable[[float, int], None]  # the page ends this Python unless it hears from it again within these seconds


class Inside:
    """The app as it runs in the browser, where the page ends a student's program that takes too long.

    The page then starts Python again and repeats the request, with the step that took too long.
    """

    def __init__(self, banks: Sequence[str], watch: Watch) -> None:
        self._banks = open_banks(banks, settings=False)
        for bank in self._banks.all:
            _give_parsed(bank)
        self._folders = [bank.folder for bank in self._banks.all]
        self._watch = watch
        self._stopped: Mapping[str, str] = {}
        self._step = 0
        self.open("{}")

    def open(self, document: str) -> None:
        """Start over with this record."""
        _RECORD.unlink(missing_ok=True)
        self._file = _Kept(_RECORD)
        if document != "{}":
            self._file.add_exported(json.loads(document))
        session = Session.of(self._banks)
        vars(session)["journal"] = Journal(self._file)
        self._app = App(session, self._run)

    def merge(self, document: str) -> None:
        """Add what another tab has added to the record."""
        self._file.add_exported(json.loads(document))

    def reply(self, request: str, stopped: str = "{}") -> str:
        """Return the reply to a request and what it adds to the record, all in JSON.

        `stopped` has the steps at which the page had to end this request before, each with what became of it.
        """
        self._stopped, self._step = json.loads(stopped), 0
        self._file.added = {"events": [], "estimates": [], "drafts": []}
        asked = json.loads(request)
        answer = self._imported(asked) if asked.get("do") == "import" else self._app.reply(asked)
        text = json.dumps({"reply": answer, "added": self._file.added}, ensure_ascii=False, default=str)
        return text.encode("utf-8", "replace").decode()

    def _imported(self, asked: Data) -> Data:
        try:
            count = self._file.add_exported(asked.get("document"), list(map(name_of, self._folders)))
            self._file.added = {name: rows for name, rows in self._file.exported().items() if name != "format"}
            return {"added": count}
        except ShardwiseError as error:
            return {"error": to_html(str(error))}

    def _run(self, program: Program, name: str, inputs: Sequence[Inputs]) -> Sequence[Call]:
        """Call a student's function on every input. For a call that the page had to end before, report that instead."""
        with open(os.devnull, "w", encoding="utf-8") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
            try:
                if ended := self._begins(LOADING):
                    return [Made(ended), *[Made("skipped")] * (len(inputs) - 1)]
                return list(self._calls(program, name, inputs))
            finally:
                self._watch(0, self._step)

    def _calls(self, program: Program, name: str, inputs: Sequence[Inputs]) -> Sequence[Call]:
        function, failed = _loaded(program, name)
        calls: list[Call] = []
        patience = PATIENCE
        for keywords in inputs:
            if not patience:
                calls.append(Made("skipped"))
            elif function is None:
                calls.append(failed)
            elif ended := self._begins(SECONDS):
                calls.append(Made(ended))
                patience -= 1
            else:
                calls.append(_called(function, keywords))
        return calls

    def _begins(self, seconds: float) -> str:
        """Start a step with a time limit. Return how it ended if the page had to stop it before, otherwise ""."""
        self._step += 1
        ended = self._stopped.get(str(self._step), "")
        if not ended:
            self._watch(seconds, self._step)
        return ended


def _loaded(program: Program, name: str) -> tuple[Callable[..., Any] | None, Call]:
    try:
        return function_of(program, name)
    except BaseException as error:  # such as a KeyboardInterrupt that the program raises
        return None, Made("raised", error=in_one_line(error))


def _called(function: Callable[..., Any], keywords: Inputs) -> Call:
    try:
        return call_once(function, keywords)
    except BaseException as error:
        return Made("raised", error=in_one_line(error))


def _give_parsed(bank: Bank) -> None:
    """Attach to each problem of a bank its file as data, which was parsed when the site was compiled."""
    for name, data in pickle.loads((bank.folder / PARSED).read_bytes()).items():
        vars(bank.problems[name])["source"] = Source(name, "", data, {}, {})


class _Kept(ProgressFile):
    """A progress file that also collects what is added, in the format of an exported record."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.added: dict[str, list[Data]] = {}

    def add(self, event: Event) -> None:
        super().add(event)
        self.added["events"].append(_row(event))

    def add_estimate(self, estimate: Estimate) -> None:
        super().add_estimate(estimate)
        hit = None if estimate.hit is None else int(estimate.hit)
        self.added["estimates"].append({**_row(estimate), "hit": hit})

    def keep_drafts(self, at: datetime, bank: str, drafts: Mapping[str, Any]) -> None:
        super().keep_drafts(at, bank, drafts)
        self.added["drafts"] += [
            {"at": at.isoformat(), "bank": bank, "key": key, "value": value} for key, value in drafts.items()
        ]


def _row(kept: Event | Estimate) -> Data:
    rest = {name: value for name, value in asdict(kept).items() if name not in ("at", "variant")}
    return {"at": kept.at.isoformat(), **kept.variant._asdict(), **rest}


class Later:
    """An import hook that fetches the archive of some packages, such as sympy, when one of them is first imported."""

    def __init__(self, packages: Sequence[str], fetch: Callable[[], str]) -> None:
        self._packages = set(packages)
        self._fetch = fetch  # returns the path of the archive

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Make these packages importable; Python's own finders then find them."""
        if name in self._packages:
            self._packages.clear()
            sys.path.append(self._fetch())
            importlib.invalidate_caches()
        return None


def boot(banks: Sequence[str], watch: Watch, later: Sequence[str], fetch: Callable[[], str]) -> Inside:
    """Open the banks in the browser."""
    sys.meta_path.insert(0, Later(later, fetch))
    return Inside(list(banks), watch)
