"""The columns of a roster, under the names that course systems give them, in English and German.

Canvas: lib/gradebook_exporter.rb. GitHub Classroom: identifier, github_username, github_id, name. Classroom 50: username,
first_name, last_name, email, section, github_id, role. Brightspace: OrgDefinedId and Username, with # before each value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from shardwise.course.tables import Table
from shardwise.markdown.escaping import printable

# Names without capitals, spaces and signs. Of these groups, the first one that identifies everybody has the ids.
_WRITTEN_FOR_US = ("student", "id")
_LOGINS = ("username", "login", "loginid", "sisloginid", "netid", "anmeldename", "benutzername")
_NUMBERS = ("studentid", "sid", "sisuserid", "idnumber", "idnummer", "orgdefinedid", "studentnumber", "matrikelnummer", "identifier")  # fmt: skip
_ADDRESSES = ("email", "emailaddress", "emailadresse", "mail")
_ON_GITHUB = ("githubusername", "github")
_ALIASES = ("canvasid", "alias", "aliases")
_NAMES = ("name", "fullname", "studentname", "vollständigername")
_FIRST, _LAST = ("firstname", "vorname"), ("lastname", "surname", "nachname")
_SECTIONS = ("section", "sections", "group", "groups", "gruppe", "gruppen")
_ROLES = ("role", "roles", "rolle", "rollen")
_NO_SECTION = ("no groups", "keine gruppen")  # what Moodle writes
_OF_CANVAS = "sisloginid"  # next to it, `Student` has names, and `ID` the numbers in Canvas's file names


class RosterColumns:
    """Columns of a roster by what they contain."""

    def __init__(self, table: Table) -> None:
        self._known = [(_plain(column), column) for column in table.columns]
        is_canvas = bool(self._called(_OF_CANVAS))
        names = [column for column in self._called("student", "identifier") if _has_names(table, column)]
        canvas_ids = self._called("id") if is_canvas else []
        groups = (_WRITTEN_FOR_US, _LOGINS, _NUMBERS, _ADDRESSES, _ON_GITHUB)
        found = ([column for column in self._called(*group) if column not in (*names, *canvas_ids)] for group in groups)
        self.identities = list(filter(None, found))  # the best ones first; several in a group are ambiguous
        self.aliases = [
            *canvas_ids,
            *(column for group in self.identities for column in group),
            *self._called(*_ALIASES),
        ]
        self.sections = self._called(*_SECTIONS)
        self._names, self._parts = [*self._called(*_NAMES), *names], [*self._called(*_FIRST), *self._called(*_LAST)]
        self._roles = self._called(*_ROLES)
        self.is_canvas = is_canvas or bool(names)

    def _called(self, *names: str) -> list[str]:
        return [column for plain, column in self._known if plain in names]

    def is_written_for_us(self, column: str) -> bool:
        """Return whether a column is called `student` or `id`."""
        return _plain(column) in _WRITTEN_FOR_US

    def name(self, row: Mapping[str, str]) -> str:
        """Return a student's name, or "". The names in a file from Canvas are turned from “Last, First” into “First Last”."""
        parts = " ".join(row[column] for column in self._parts)
        name = next(filter(None, map(_tidy, (parts, *(row[column] for column in self._names)))), "")
        last, _, first = name.partition(", ")
        return f"{first} {last}" if self.is_canvas and first and ", " not in first else name

    def section(self, row: Mapping[str, str]) -> str:
        """Return a student's section or group."""
        section = _tidy(row[self.sections[0]]) if self.sections else ""
        return "" if section.casefold() in _NO_SECTION else section

    def role(self, row: Mapping[str, str]) -> str:
        """Return a person's role in the course."""
        return _tidy(row[self._roles[0]]) if self._roles else ""

    def also(self, row: Mapping[str, str], identity: str = "") -> tuple[str, ...]:
        """Return the aliases of a student whose id is in the column `identity`; a cell may have several, with semicolons."""
        aliases = (alias_of(alias) for column in self.aliases for alias in row[column].split(";"))
        student = alias_of(row[identity]) if identity else ""
        return tuple(dict.fromkeys(alias for alias in aliases if alias not in ("", student) and not {*"[]"} & {*alias}))


def alias_of(cell: str) -> str:
    """Return an id or alias without the sign that Brightspace puts before it.

    >>> alias_of(" #s1234567 ")
    's1234567'
    """
    return _tidy(cell).removeprefix("#")


def _plain(column: str) -> str:
    """Return a column's name without capitals, spaces and signs.

    >>> _plain("E-Mail-Adresse"), _plain("github_username")
    ('emailadresse', 'githubusername')
    """
    return re.sub(r"[\W_]+", "", column.casefold())


def _has_names(table: Table, column: str) -> bool:
    """Return whether most cells of a column have several words, so that they are names."""
    cells: Sequence[str] = [cell for _, row in table.rows if (cell := row[column].strip())]
    return 2 * sum(len(cell.split()) > 1 for cell in cells) > len(cells)


def _tidy(cell: str) -> str:
    return " ".join(printable(cell).split())
