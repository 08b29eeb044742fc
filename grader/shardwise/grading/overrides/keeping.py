"""Overrides that keep the points that a regrade would change; as overrides, they also survive every later run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from shardwise.errors import ShardwiseError
from shardwise.grading.overrides.model import Override
from shardwise.grading.regrade import Change


@dataclass(frozen=True)
class Refusals:
    """The changes of a regrade that an instructor refuses."""

    never_down: bool = False
    accept: Sequence[str] = ()  # parts of causes; if there are any, all other causes are refused
    refuse: Sequence[str] = ()  # parts of causes

    def __bool__(self) -> bool:
        return bool(self.never_down or self.accept or self.refuse)

    def check(self, changes: Iterable[Change]) -> None:
        """Raise ShardwiseError for a text that no cause contains, since a typo would accept what should be refused.

        Also raise it if only overrides are refused: their entries should be deleted instead.
        """
        causes = sorted({change.cause for change in changes})
        for text in self.refuse:
            if (found := [cause for cause in causes if text in cause]) and all(map(_is_own_decision, found)):
                raise ShardwiseError(
                    f"{found[0]!r} is your own decision. To refuse it, delete its entry in overrides.yaml."
                )
        for text in (*self.accept, *self.refuse):
            if not any(text in cause for cause in causes):
                listed = "; ".join(causes) or "none, because no points change"
                raise ShardwiseError(f"No cause contains {text!r}. The causes are: {listed}.")

    def action(self, change: Change) -> str:
        """Return the override that keeps a question's points: `points` or `at_least`; empty if the change is accepted."""
        if change.before is None or change.after is None or not change.question or _is_own_decision(change.cause):
            return ""
        accepted = not self.accept or any(text in change.cause for text in self.accept)
        if not accepted or any(text in change.cause for text in self.refuse):
            return "points"
        return "at_least" if self.never_down and change.after < change.before else ""


def _is_own_decision(cause: str) -> bool:
    """Return whether an entry of `overrides.yaml` causes a change."""
    return cause.startswith("override of ") and not cause.endswith(" withdrawn")


def overrides_that_keep(changes: Iterable[Change], refusals: Refusals, by: str, at: str) -> Iterator[Override]:
    """Yield an override for each group of students whose points of a question stay as they are."""
    groups: dict[tuple[str, str, str, float, str], list[str]] = {}
    for change in changes:
        if (action := refusals.action(change)) and change.before is not None:
            slug = change.question.rpartition("/")[2]
            groups.setdefault((change.set, slug, action, change.before, change.cause), []).append(change.student)
    for (name_of_set, slug, action, points, cause), students in groups.items():
        why = (
            f"A regrade may take no points away: {cause}" if action == "at_least" else f"Refused in a regrade: {cause}"
        )
        yield Override.model_validate(
            {
                "set": name_of_set,
                "student": tuple(students),
                "question": slug,
                action: points,
                "why": why,
                "by": by,
                "at": at,
            }
        )
