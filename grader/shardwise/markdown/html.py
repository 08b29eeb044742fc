"""Markdown with LaTeX, written as HTML that needs no script, or as plain text for a terminal."""

from __future__ import annotations

import re

from shardwise.markdown.rendering import rendered

# A question with options: a text, a list of one line an option, and a text that does not go on with the list.
_OPTIONS = re.compile(r"(\S.*?)\n\n(- \*\*[^\n]+(?:\n- \*\*[^\n]+)*)\n\n((?![-+*]?\s).+)", re.DOTALL)
_REACHES_ON = re.compile(r"```|~~~|\$\$|^\s*(?:[-+*]|[0-9]+[.)])\s", re.MULTILINE)  # beyond a blank line


def to_html(markdown: str) -> str:
    """Markdown as HTML; formulas as MathML, raw HTML escaped.

    >>> print(to_html("**40 GB** of <b>x</b>"))
    <p><strong>40 GB</strong> of &lt;b&gt;x&lt;/b&gt;</p>
    """
    found = _OPTIONS.fullmatch(markdown) if "\n\n- **" in markdown else None
    if found is None or "]:" in markdown or "\r" in markdown or _REACHES_ON.search(found[1]):
        return rendered(markdown)
    # Each option is rendered by itself: options stand in another order for each student, and few HTML texts are kept.
    items = [rendered(item).removeprefix("<ul>\n").removesuffix("</ul>") for item in found[2].split("\n")]
    return f"{rendered(found[1])}\n<ul>\n{''.join(items)}</ul>\n{rendered(found[3])}"


_SIMPLE = (
    (r"\\cdot|\\times", "·"),
    (r"\\approx", "≈"),
    (r"\\,|\\;|\\!|\\quad|\\left|\\right", " "),
    (r"\\(?:text|mathrm|operatorname)\{([^{}]*)\}", r"\1"),
    (r"\\[dt]?frac\{\s*([^{}]*?)\s*\}\s*\{\s*([^{}]*?)\s*\}", r"(\1)/(\2)"),
    (r"\\sqrt\{([^{}]*)\}", r"√(\1)"),
    (r"\\(alpha|beta|Psi|eta|log|min|max)\b", r"\1"),
    (r"\{,\}", ","),
    (r"\\(?:le|leq)\b", "≤"),
    (r"\\(?:ge|geq)\b", "≥"),
    (r"\\Rightarrow", "⇒"),
    (r"\\lceil|\\rceil|\\lfloor|\\rfloor", "|"),
    (r"\\([%$_])", r"\1"),
)


def to_plain(markdown: str) -> str:
    """Markdown as text for a terminal: emphasis and dollar signs gone, simple formulas readable.

    >>> print(to_plain("Each sends **1.75 GB**: $2 \\\\cdot 1\\\\,\\\\text{GB} \\\\cdot \\\\frac{7}{8}$"))
    Each sends 1.75 GB: 2 · 1 GB · (7)/(8)
    """

    def formula(found: re.Match[str]) -> str:
        text = found[1] or found[2]
        for _ in range(3):  # for what is nested
            for pattern, plain in _SIMPLE:
                text = re.sub(pattern, plain, text)
        return re.sub(r"[ \t]+", " ", text).strip()

    code: list[str] = []

    def kept(found: re.Match[str]) -> str:
        """Code is set aside while the rest is read: in `2**M` the asterisks are a power."""
        code.append(found[1] if found[1] is not None else found[2])
        return f"\x00{len(code) - 1}\x00"

    text = markdown.replace("\x00", "")
    text = re.sub(r"^```\w*\n(.*?)^```[ ]*$\n?|`([^`\n]+)`", kept, text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"\$\$(.+?)\$\$|(?<![\w$])\$([^$\n]+?)\$(?!\w)", formula, text, flags=re.DOTALL)
    text = re.sub(r"\*\*(.+?)\*\*", r"\1", text)
    text = re.sub(r"(?<![\w*])\*([^*\n]+?)\*(?![\w*])", r"\1", text)
    return re.sub(r"\x00(\d+)\x00", lambda found: code[int(found[1])], text)


def safe(text: str, longest: int = 300) -> str:
    """A student's text for use inside `code` in Markdown: no control characters, no backticks, cut."""
    clean = printable(text.replace("`", "'").replace("\n", " "))
    return clean if len(clean) <= longest else clean[: longest - 1] + "…"


def printable(text: str) -> str:
    """A text without control characters and lone surrogates, which no file, page or terminal takes; line breaks stay."""
    if text.replace("\n", "").isprintable():  # nearly every text is, and this is told at once
        return text
    return "".join(character if character == "\n" or character.isprintable() else " " for character in text)


def literal(text: str) -> str:
    """A message in which what it quotes between “ and ” is code, so that a student's asterisks stay asterisks.

    >>> literal("I couldn't read “2*M*K”. Did you mean “M”?")
    "I couldn't read “`2*M*K`”. Did you mean “`M`”?"
    """
    return re.sub(r"“([^“”\n]+)”", lambda found: f"“`{found[1].replace('`', chr(39))}`”", text)


def inline(markdown: str) -> str:
    """One paragraph of Markdown as HTML that may stand inside a label.

    >>> inline("The **ring**")
    'The <strong>ring</strong>'
    """
    return to_html(markdown).removeprefix("<p>").removesuffix("</p>")
