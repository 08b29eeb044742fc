"""Names: which student of a set a folder or file is named after, in the formats of course systems."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from shardwise.course.assigning.lockfile import Lock

Students = frozenset[str]
NOBODY: Students = frozenset()

# How course systems name submissions; `who` is a person's name, `id` the system's identifier for them.
_SYSTEMS = (
    re.compile(r"(?P<who>.+?)_\d+_assignsubmission_\w+?(?:_(?P<file>.*))?"),  # Moodle, in every language
    re.compile(r"(?P<who>[^_]+)_(?:LATE_)?(?P<id>\d+)_\d+_(?P<file>.+)", re.IGNORECASE),  # Canvas: bergbo_LATE_1234_5678_x.ipynb
    re.compile(r".+?_(?P<id>[^_]+)_attempt_\d{4}-\d\d-\d\d-.*"),  # Blackboard
    re.compile(r"\d+-\d+ - (?P<who>.+?) - .+"),  # Brightspace
)  # fmt: skip
_LETTERS = {"ß": "ss", "ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ı": "i", "þ": "th"}
_GERMAN = {"ä": "ae", "ö": "oe", "ü": "ue"}
_LONGEST = (
    255  # characters of a name that are read; it begins with the person, and in an archive it may have any length
)
_ANYBODY = frozenset({"participant", "teilnehmer", "teilnehmerin", "in"})  # Moodle's name for all if names are hidden


@dataclass(frozen=True)
class Called:
    """The students whom a folder or file may be named after, and whether a course system named it after a person."""

    students: Students = NOBODY
    person: str = ""  # the person's name in it, if there is one
    is_file: bool = False  # whether it is the name of the file itself
    is_upload: bool = False  # whether this is the person who submitted it


class Names:
    """The students of a set by their ids, aliases and names."""

    def __init__(self, lock: Lock) -> None:
        self._set = re.compile(rf"(?:^|[-_ ]){re.escape(lock.set_name)}(?:[-_ ]|$)", re.IGNORECASE)
        self._ids: dict[str, set[str]] = {}
        self._names: dict[str, set[str]] = {}
        self._parts: dict[str, frozenset[str]] = {}
        for student in lock.places:
            name, others = lock.called(student)
            self._ids.setdefault(folded(student), set()).add(student)
            for other in others:
                self._ids.setdefault(folded(other), set()).add(student)
            if name != student:
                self._parts[student] = frozenset(part for parts in _spellings(name) for part in parts)
                for key in _whole(name):
                    self._names.setdefault(key, set()).add(student)

    def called(self, name: str) -> Called:
        """Return the students whom a folder, or a file without its suffix, is named after; several may share a name."""
        name = " ".join(unicodedata.normalize("NFC", name[:_LONGEST]).split())
        if found := self._ids.get(folded(name)):
            return Called(frozenset(found))
        matches = [match for system in _SYSTEMS if (match := system.fullmatch(name))]
        if matches:  # the student's own file name comes last and may look like another system's format
            given = min(matches, key=_end_of_whom).groupdict()
            known = self._ids.get(folded(given.get("id") or ""))
            who = given.get("who") or ""
            who = "" if _ANYBODY.issuperset(_parts(who.casefold())) else who
            return Called(frozenset(known) if known else self.person(who), who)
        # bo_late_123, week-1-bo from GitHub Classroom, cs301-week-1-bo from Classroom 50, bo-week-1
        parts = [name.partition("_")[0], *self._set.split(name, maxsplit=1)]
        for part in parts:
            if found := self._ids.get(folded(part)):
                return Called(frozenset(found))
        for part in (name, *parts):
            if found := self._named(part):
                return Called(frozenset(found))
        return Called()

    def may_be(self, student: str, person: str) -> bool:
        """Return whether a person's name may be a student's, for example without a middle name or with another first name."""
        parts = self._parts.get(student)
        theirs = {part for parts in _spellings(person) for part in parts}
        return parts is None or any(
            len(part) > 1 or not part.isascii() for part in theirs & parts
        )  # an initial alone does not identify a person

    def with_id(self, text: str) -> Students:
        """Return the students with this id, address or alias."""
        return frozenset(self._ids.get(folded(text), ()) if text else ())

    def person(self, name: str) -> Students:
        """Return the students with a person's name, even if it has one part more or less than in the roster."""
        if folded(name) in self._ids:
            return frozenset(self._ids[folded(name)])
        if found := self._named(name):
            return frozenset(found)
        for parts in map(frozenset, _spellings(name)):
            alike = [student for student, its in self._parts.items() if _overlaps(parts, its)]
            if alike:
                return frozenset(alike)
        return NOBODY

    def _named(self, name: str) -> set[str]:
        return {student for key in _whole(name) for student in self._names.get(key, ())}


def _overlaps(some: frozenset[str], its: frozenset[str]) -> bool:
    """Return whether two names share two parts, and one contains all parts of the other."""
    return len(some & its) >= 2 and (some <= its or its <= some)


def _whole(name: str) -> Iterator[str]:
    """Yield a name as one word, starting from each part: Canvas writes bergbo, Moodle Bo Berg, a roster Berg, Bo."""
    for parts in _spellings(name):
        for place in range(len(parts)):
            yield "".join((*parts[place:], *parts[:place]))


def _spellings(name: str) -> Iterable[tuple[str, ...]]:
    """Return the parts of a name in plain letters, with ä as a and as ae."""
    lowered = unicodedata.normalize("NFC", name).casefold()
    german = "".join(_GERMAN.get(letter, letter) for letter in lowered)
    return dict.fromkeys(_parts(text) for text in (lowered, german))


def _parts(text: str) -> tuple[str, ...]:
    plain = "".join(_LETTERS.get(letter, letter) for letter in text)
    plain = "".join(letter for letter in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(letter))
    return tuple(part for part in re.split(r"[\W_\d]+", plain) if part)


def folded(name: str) -> str:
    """Return a name folded as on disks that ignore capitals and different encodings of accents."""
    return unicodedata.normalize("NFC", name).strip().casefold()


@lru_cache(maxsize=32)  # called for each notebook of a class
def names_of(lock: Lock) -> Names:
    """Return the names of a set's students."""
    return Names(lock)


def _end_of_whom(match: re.Match[str]) -> int:
    """Return the end of the part of a name that identifies a person."""
    return max(match.end(group) for group, text in match.groupdict().items() if text and group != "file")
