"""A student's text, made safe to quote in Markdown: it makes no markup, and no control character gets through."""

from __future__ import annotations

import re


def safe(text: str, longest: int = 300) -> str:
    """Make a student's text fit for use inside `code` in Markdown: no control characters, no backticks, cut."""
    clean = printable(text.replace("`", "'").replace("\n", " "))
    return clean if len(clean) <= longest else clean[: longest - 1] + "…"


def printable(text: str) -> str:
    """Return a text without control characters and lone surrogates, which no file, page or terminal takes.

    Line breaks stay, and the spaces inside numbers and before units, at which no line is broken.
    """
    if text.replace("\n", "").isprintable():  # nearly every text is, and this is told at once
        return text
    return "".join(character if character in _KEPT or character.isprintable() else " " for character in text)


_KEPT = "\n\u00a0\u202f"


def as_code(text: str, longest: int = 300) -> str:
    """Quote a student's text as code in Markdown, in which nothing makes a link, a tag or a line of its own."""
    return f"`{safe(text, longest)}`" if text.strip() else "nothing"


_ACTIVE = re.compile(r"[\\`*\[\]<&$~]|(?<!\w)_|_(?!\w)")  # what Markdown takes for markup within a line


def literal(text: str) -> str:
    """Write a plain message in Markdown: what it quotes between “ and ” is code, and all the rest only text, whatever a student wrote.

    >>> literal("I couldn't read “2*M*K”. Did you mean “M”?")
    "I couldn't read “`2*M*K`”. Did you mean “`M`”?"
    >>> print(literal("I couldn't read “”[here](https://example.org)”."))
    I couldn't read “”\\[here\\](https://example.org)”.
    """
    parts = re.split(r"“([^“”]+)”", re.sub(r"\s*\n\s*", " ", text))
    plain = [_ACTIVE.sub(lambda found: f"\\{found[0]}", part) for part in parts[::2]]
    quoted = ["“`{}`”".format(part.replace("`", "'")) for part in parts[1::2]]
    return "".join(part for pair in zip(plain, [*quoted, ""], strict=True) for part in pair)
