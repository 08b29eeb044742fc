"""What feedback says to slips that students make: marks those in slips.yaml and prints the table of what was named.

python tests/answers/slips.py                      # the table, and every slip that was not named
python tests/answers/slips.py --seeds 10 my.yaml   # another file of the same format
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from checkout import checkout_bank, yaml_data
from shardwise.bank.posing import question_of, solved
from shardwise.errors import ShardwiseError
from shardwise.marking import check
from shardwise.question import Feedback, Question
from shardwise.template.draw import Draw
from shardwise.template.expressions import prose
from shardwise.units import from_base, unit

FILE = Path(__file__).with_suffix(".yaml")
NAMED, OTHER, GUESS, FAR, ACCEPTED, UNREADABLE = (
    "named", "another mistake named", "a guess that misses", "only how far", "accepted", "unreadable",
)  # fmt: skip
FIGURES = (8, 4, 3)  # with which a slip is handed in, one seed after the other
_ONLY_HOW_FAR = re.compile(r"Too (high|low)|Close|The sign|Zero would|You rounded too far|At \w+ = |Your estimate")


@dataclass(frozen=True)
class Slip:
    """One wrong answer that students give, and what the feedback must find in it."""

    problem: str
    slip: str
    value: str
    when: str
    likely: bool
    names: tuple[str, ...]


@dataclass(frozen=True)
class Marked:
    """What became of a slip for one seed."""

    slip: Slip
    seed: int
    answer: str
    became: str
    say: str


def slips(path: Path = FILE) -> list[Slip]:
    """The slips of a file."""
    data = yaml_data(path)
    return [
        Slip(
            problem,
            slip=str(row["slip"]),
            value=str(row["value"]),
            when=str(row.get("when", "true")),
            likely=bool(row.get("likely", False)),
            names=tuple(map(str, row["names"])),
        )
        for problem, rows in data.items()
        for row in rows
    ]


def marked(chosen: Sequence[Slip], seeds: int) -> Iterator[Marked]:
    """Each slip for each seed."""
    for slip in chosen:
        for seed in range(seeds):
            answer, feedback = _hand_in(slip, seed)
            if answer:
                yield Marked(slip, seed, answer, became(slip, feedback), feedback.say)


def _hand_in(slip: Slip, seed: int) -> tuple[str, Feedback | Any]:
    """What a student with this slip types, and the feedback to it; nothing where the slip has no value here."""
    question, drawn = _drawn(slip.problem, seed)
    key: Any = question.key
    form: Any = question.form
    if not drawn.evaluate(slip.when, key=getattr(key, "value", None)):
        return "", None
    if question.kind == "formula":
        text = prose(slip.value, drawn.values)
        return text, check(question, text)
    try:
        value = float(drawn.evaluate(slip.value, key=key.value))
    except ShardwiseError:
        return "", None
    way = " duplex" if form.direction == "duplex" else ""
    number = _number(from_base(value, form.unit, form.direction), FIGURES[seed % len(FIGURES)])
    if re.fullmatch(r"-?\d{1,3}\.\d{3}", number):  # 170.667 of a count may stand for 170,667, and is asked about
        number += "0"
    text = f"{number} {unit(form.unit).text}{way}"
    if question.kind == "estimate":
        text = f"{text}, 70 %"
    feedback = check(question, text)
    return ("", None) if question.kind == "estimate" and feedback.outcome == "correct" else (text, feedback)


def _number(value: float, figures: int) -> str:
    """Return a number rounded to this many figures, but leave counts whole.

    >>> _number(170.666666, 4), _number(16384.0, 3)
    ('170.7', '16384')
    """
    return f"{value:.8g}" if abs(value) < 1e8 and value.is_integer() else f"{value:.{figures}g}"


@cache
def _drawn(slug: str, seed: int) -> tuple[Question, Draw]:
    """A problem's question, which all its slips answer."""
    problem = checkout_bank().find(slug)
    drawn, made = solved(problem, str(seed))
    return question_of(problem, drawn, made), drawn


def became(slip: Slip, feedback: Feedback) -> str:
    """Which column of the table a feedback belongs to."""
    if feedback.credit >= 1:
        return ACCEPTED
    if feedback.outcome == "unreadable":
        return UNREADABLE
    if any(re.search(pattern, feedback.say, re.IGNORECASE) for pattern in slip.names):
        return NAMED
    if feedback.mistake is not None:
        return OTHER
    return FAR if _ONLY_HOW_FAR.match(feedback.say) else GUESS


def shares(rows: Sequence[Marked]) -> Mapping[str, float]:
    """The share of each column."""
    counted = Counter(row.became for row in rows)
    return {column: counted[column] / len(rows) for column in (NAMED, OTHER, GUESS, FAR, ACCEPTED, UNREADABLE)}


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("file", nargs="?", type=Path, default=FILE)
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    rows = list(marked(slips(options.file), options.seeds))
    for title, chosen in (("all", rows), ("likely", [row for row in rows if row.slip.likely])):
        if chosen:
            print(
                f"{title:8}{len(chosen):5}  " + "  ".join(f"{name} {part:.1%}" for name, part in shares(chosen).items())
            )
    for row in rows:
        if row.became != NAMED:
            said = " ".join(row.say.split())
            print(f"{row.became:22} {row.slip.problem} seed {row.seed}: {row.slip.slip} ({row.answer}): {said[:150]}")


if __name__ == "__main__":
    main()
