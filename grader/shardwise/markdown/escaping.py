"""Escaping of a student's text for Markdown: no markup and no control characters get through."""

from __future__ import annotations

import re


def safe(text: str, longest: int = 300) -> str:
    """Return a student's text for use inside `code` in Markdown: shortened, without control characters and backticks."""
    clean = printable(text.replace("`", "'").replace("\n", " "))
    return clean if len(clean) <= longest else clean[: longest - 1] + "…"


def printable(text: str) -> str:
    """Return a text without control characters and lone surrogates, which files, pages and terminals do not accept.

    Line breaks stay, and so do the non-breaking spaces inside numbers and before units.
    """
    if text.replace("\n", "").isprintable():  # true for nearly every text, and fast
        return text
    return "".join(character if character in _KEPT or character.isprintable() else " " for character in text)


_KEPT = "\n\u00a0\u202f"


def as_code(text: str, longest: int = 300) -> str:
    """Quote a student's text as code in Markdown, so that nothing in it makes a link, a tag or a line break."""
    return f"`{safe(text, longest)}`" if text.strip() else "nothing"


_ACTIVE = re.compile(r"[\\`*\[\]<&$~]|(?<!\w)_|_(?!\w)")  # characters that Markdown treats as inline markup


def literal(text: str) -> str:
    """Return a plain message as Markdown: text in “ and ” becomes code, and everything else is escaped.

    >>> literal("I couldn't read “2*M*K”. Did you mean “M”?")
    "I couldn't read “`2*M*K`”. Did you mean “`M`”?"
    >>> print(literal("I couldn't read “”[here](https://example.org)”."))
    I couldn't read “”\\[here\\](https://example.org)”.
    """
    parts = re.split(r"“([^“”]+)”", re.sub(r"\s*\n\s*", " ", text))
    plain = [_ACTIVE.sub(lambda found: f"\\{found[0]}", part) for part in parts[::2]]
    quoted = ["“`{}`”".format(part.replace("`", "'")) for part in parts[1::2]]
    return "".join(part for pair in zip(plain, [*quoted, ""], strict=True) for part in pair)


# Possible beginnings of a spreadsheet cell, with any separator, followed by a character that starts a formula.
_FORMULA = re.compile(r"""(^|[,;|"'])(\s*[=+\-@＝＋－＠])""")


def spreadsheet_cell(value: str) -> str:
    """Return a one-line cell that no spreadsheet reads as a formula, even if it splits the cell at another separator."""
    return _FORMULA.sub(r"\1'\2", re.sub(r"[\t\r\n]+", " ", value))
