"""A site says what the program says: thousands of answers of all kinds through CPython here and through Python in Chromium."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from answers.contexts import CONTEXTS
from answers.corpus import KINDS, evaluated, raw_of, spellings
from checkout import checkout_bank
from practice_site import files, put, served
from shardwise.app.app import App
from shardwise.bank.bank import Banks
from shardwise.bank.posing import pose
from shardwise.kinds import kind_of
from shardwise.kinds.calls import run_here
from shardwise.question import Question
from shardwise.student.progress.journal import Journal
from shardwise.student.session import Session

MANY = 5000
SEEDS = ("0", "3")
Asked = dict[str, Any]
# What nobody should type, and some do. The last ones are for fields of lists, of several values, and of none at all.
HOSTILE: Sequence[Any] = (
    "", " ", "\n", "\0", "\u202e12 GB", "١٢٣ GB", "１２ GB", "½ GB", "1e999999", "-1e-999999", "9" * 5000, "1/0", "0/0", "nan GB", "inf",
    "1_000 GB", "1,5 GB", "1.234.567 GB", "1'000 GB", "0x10 GB", "1e3e3", "--5", "5 GB GB", "5 GB²", "5 gb/s", "µ", "5 μs", "5 µs", "Ω",
    "<b>5</b> GB", "`5`", "$5$", "\\frac{1}{2}", "5 \\cdot 10^3", "(" * 200, ")" * 200, "((((5))))", "+".join(["1"] * 500),
    "2**2**2**2**2", "N!" * 9, "a=b", "lambda: 0", "import os", "def f(): pass", "class A: pass", "x = [", "if True:\n\tpass\n  pass",
    "print('a'", "'" * 3, "return 1", "\ud83d\ude00", "é" * 300, "𝟝 GB", "5\u00a0GB", "5\u2009GB", "a, b", "a b c", "a;b", "1. a\n2. b", "none",
    "all of them", None, True, False, 0, -1, 1.5, 1e308, 10**30, [], [[]], ["a", "a"], ["a", None], [1, 2], {}, {"1": "a"}, {"line": 1},
    {"line": "two"}, {"line": 10**9, "fix": "x"}, {"input": {}}, {"value": "5", "confidence": "120 %"}, {"tp": 0}, {"tp": "eight", "pp": None},
    [{"a": [{}]}], {"": ""},
)  # fmt: skip


def asked() -> list[Asked]:
    """The requests: what the corpus of each kind writes, what kinds give as samples, and what is hostile, in turn."""
    found = list(islice((each for row in zip_longest(*map(_of_kind, KINDS)) for each in row if each), MANY))
    assert len(found) == MANY
    assert {each["kind"] for each in found} == set(KINDS)
    return found


def _of_kind(kind: str) -> Iterator[Asked]:
    problems = [problem for problem in checkout_bank().read_all().problems.values() if problem.kind.name == kind]
    questions = [pose(problem, seed) for problem in problems for seed in SEEDS]
    turns = [[_check(kind, question, raw) for raw in _answers(question)] for question in questions]
    for row in zip_longest(*turns):
        yield from filter(None, row)


def _answers(question: Question) -> Iterator[Any]:
    raws: list[Any] = [sample.raw for sample in kind_of(question).samples(question)]
    for context in CONTEXTS[question.kind](question):
        for spelling in spellings(question.kind):
            if spelling.problem in ("", question.slug) and evaluated(spelling.condition, context):
                raws.append(raw_of(spelling, context))
    for corpus, hostile in zip_longest(raws, HOSTILE, fillvalue=...):
        yield from (raw for raw in (corpus, hostile) if raw is not ... and _is_plain(raw))


def _is_plain(raw: Any) -> bool:
    """Whether a page can send it: an answer of a notebook may be an object."""
    try:
        return bool(json.loads(json.dumps(raw, allow_nan=False)) == raw)
    except (TypeError, ValueError):
        return False


def _check(kind: str, question: Question, raw: Any) -> Asked:
    return {"do": "check", "problem": question.id, "seed": question.seed, "answer": raw, "kind": kind}


ASK = """async ([app, requests]) => {
  const { settings } = await (await fetch(app + "first.json")).json();
  const worker = new Worker(app + "worker.js", { type: "module" });
  const replies = [];
  window.replies = new Promise((resolve, reject) => {
    worker.onerror = (error) => reject(error.message);
    worker.onmessage = ({ data }) => {
      if (data.died) reject(`died after ${replies.length}`);
      if (data.id) replies.push(JSON.stringify(JSON.parse(data.reply).reply));
      if (data.id === requests.length) resolve(replies);
    };
  });
  worker.postMessage({ start: { ...settings, app } });
  worker.postMessage({ open: "{}" });
  requests.forEach((request, place) => worker.postMessage({ id: place + 1, request, stopped: "{}" }));
}"""


def replies_of(browser: Browser, site: str, requests: Sequence[Asked], meanwhile: Callable[[], None]) -> list[Any]:
    """The replies of Python in Chromium to many requests."""
    app = site + next(name for name in files() if name.endswith("worker.js")).partition("/")[0] + "/"
    page = browser.new_page()
    page.set_default_timeout(0)
    page.goto(f"{site}offline.js")  # a page without the app
    page.evaluate(ASK, [app, [json.dumps(request) for request in requests]])
    meanwhile()
    found = page.evaluate("window.replies")
    page.close()
    return [_verdict(json.loads(reply)) for reply in found]


def here(requests: Sequence[Asked]) -> list[Any]:
    session = Session.of(Banks([checkout_bank()]))
    vars(session)["journal"] = Journal(None)
    app = App(session, run_here)  # a process for each of a thousand programs would take minutes
    return [_verdict(json.loads(json.dumps(app.reply(request)))) for request in requests]


def _verdict(reply: Any) -> Any:
    """A reply without what it says about the record, which is not kept here."""
    return {name: value for name, value in reply.items() if name != "state"}


def _apart(mine: Any, other: Any) -> str:
    """The first place where two replies differ, and what follows."""
    ours, theirs = json.dumps(mine, ensure_ascii=False), json.dumps(other, ensure_ascii=False)
    place = next((place for place, (one, two) in enumerate(zip(ours, theirs, strict=False)) if one != two), 0)
    return f"…{ours[max(0, place - 60) : place + 120]}"


@pytest.mark.slow
def test_five_thousand_answers_get_the_same_verdict_in_the_same_words(browser: Browser, tmp_path: Path) -> None:
    put(tmp_path)
    requests, ours = asked(), list[Any]()
    with served(tmp_path) as site:
        theirs = replies_of(browser, site, requests, lambda: ours.extend(here(requests)))
    different = [
        f"{request['problem']} {request['seed']} {request['answer']!r:.200}\n  here {_apart(mine, other)}\n  site {_apart(other, mine)}"
        for request, mine, other in zip(requests, ours, theirs, strict=True)
        if mine != other
    ]
    assert not different, f"{len(different)} differ:\n" + "\n".join(different[:30])
