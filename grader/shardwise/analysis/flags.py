"""Flags: sentences that tell an instructor what is conspicuous about an item, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from shardwise.kinds.quantity.slips.words import words
from shardwise.markdown.plain import to_plain

Data = Mapping[str, Any]

HARD, EASY = 0.2, 0.95  # facility
WEAK = 0.1  # discrimination
FEWEST = 5  # students with the same wrong answer
FEWEST_STUDENTS = 10  # below which a share means little
FREQUENT = 0.02  # of the class
BLANK, UNREADABLE = 0.2, 0.1  # of the class
UNLIKELY = 0.05  # p-value
SURE = 2.0  # standard errors
_LONGEST = 90  # characters of a quotation


def flags_of(item: Data) -> list[dict[str, Any]]:
    """Return the flags of an item, each with its rank; the most serious have rank 0."""
    return [{"rank": rank, "text": flag} for rank, check in enumerate(_CHECKS) for flag in check(item)]


def _of_discrimination(item: Data) -> Iterator[str]:
    r, low, high = (item[f"discrimination{which}"] for which in ("", "_low", "_high"))
    if r != r:  # nan: nothing to compare
        return
    if r < 0 and high < 0.1:
        yield (
            f"Discrimination {_signed(r)} (95 % interval {_signed(low)} to {_signed(high)}): strong students lose points here. "
            "Check the key and the wording."
        )
    elif r < WEAK and high < 0.3 and HARD <= item["facility"] <= EASY:
        yield f"Discrimination {_signed(r)}: this item hardly separates strong from weak students. Can it be guessed, or misread?"


def _of_popular_answers(item: Data) -> Iterator[str]:
    right = item["right"]
    groups = [
        *(("made the mistake", to_plain(each["text"]), each) for each in item["mistakes"]),
        *(("picked", each["text"], each["wrongly_rest"]) for each in item["options"]),
        *(("answered", each["text"], each) for each in item["texts"]),
        *(("answered", each["expression"] or to_plain(each["cause"]), each) for each in item["unlisted"]),
    ]
    for verb, text, group in sorted(groups, key=lambda given: -given[2]["students"]):
        error = (group["rest_error"] ** 2 + right["rest_error"] ** 2) ** 0.5
        if text and group["students"] >= FEWEST and group["rest"] - right["rest"] > SURE * error:
            yield (
                f"The {group['students']} students who {verb} “{_short(text)}” did better on the rest of the set "
                f"({_pct(group['rest'])}) than those who were right ({_pct(right['rest'])}). Check the key and the wording."
            )
            return


def _of_facility(item: Data) -> Iterator[str]:
    if item["n"] < FEWEST_STUDENTS:
        return
    if item["facility"] < HARD:
        yield f"Facility {_pct(item['facility'])}: few students are right. Was this taught, and is the question clear?"
    if item["facility"] > EASY:
        yield f"Facility {_pct(item['facility'])}: nearly everyone is right, so this item tells you little about who knows more."


def _of_the_draw(item: Data) -> Iterator[str]:
    fair = item["fairness"]
    if not fair or fair["p_corrected"] >= UNLIKELY:
        return
    p = f"p = {fair['p_corrected']:.2g}"
    if fair["parameters"] and fair["parameters"][0]["p"] <= fair["p"]:
        first = fair["parameters"][0]
        low, high = first["values"][0], first["values"][-1]
        yield (
            f"The result depends on the draw: with {words(first['name'])} {low['value']}, students earned {_pct(low['facility'])}, and "
            f"with {high['value']}, {_pct(high['facility'])} ({p}). Make these values equally hard, or drop some."
        )
    else:
        yield (
            f"The result depends on the draw: the third of the students with the hardest draws earned {_pct(fair['hardest_third'])}, "
            f"and the third with the easiest {_pct(fair['easiest_third'])} ({p}). Narrow the ranges of the parameters."
        )


def _of_unlisted_answers(item: Data) -> Iterator[str]:
    found = [
        f"{each['students']} students answered “{each['expression'] or _short(to_plain(each['cause']))}”"
        for each in item["unlisted"]
        if (each["expression"] or each["cause"]) and each["students"] >= FEWEST and each["share"] >= FREQUENT
    ]
    if found:
        mistakes = "this mistake" if len(found) == 1 else "these mistakes"
        yield f"{', '.join(found)}, which the template does not list. Add {mistakes} with an explanation."


def _of_missing_answers(item: Data) -> Iterator[str]:
    if item["blank"] > BLANK and item["n"] >= FEWEST_STUDENTS:
        yield f"{_pct(item['blank'])} left it blank. Was there enough time, and do they know how to begin?"
    if item["unreadable"] > UNREADABLE:
        yield f"{_pct(item['unreadable'])} of the answers could not be read and earned nothing. See the list below."
    if item["broken"]:
        yield "The grader failed on some answers, which have no points yet. Update shardwise, then grade again."


def _short(text: str) -> str:
    line = text.partition("\n")[0]
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST].rstrip()}…"


def _pct(share: float) -> str:
    return f"{100 * share:.0f} %"


def _signed(number: float) -> str:
    return f"{number:.2f}".replace("-", "−")


_CHECKS: tuple[Callable[[Data], Iterator[str]], ...] = (
    _of_discrimination,
    _of_popular_answers,
    _of_facility,
    _of_the_draw,
    _of_unlisted_answers,
    _of_missing_answers,
)
