"""Markdown with LaTeX, written as HTML that needs no script, or as plain text for a terminal."""

from __future__ import annotations

import re

from shardwise.markdown.rendering import rendered

# A question with options: a text, a list of one line an option, and a text that does not go on with the list.
_OPTIONS = re.compile(r"(\S.*?)\n\n(- \*\*[^\n]+(?:\n- \*\*[^\n]+)*)\n\n((?![-+*]?\s).+)", re.DOTALL)
_REACHES_ON = re.compile(r"```|~~~|\$\$|^\s*(?:[-+*]|[0-9]+[.)])\s", re.MULTILINE)  # beyond a blank line


_AS_IT_STANDS = re.compile(r"(```.*?```|`[^`\n]*`|\$\$.*?\$\$|\$[^$\n]*\$)", re.DOTALL)  # code and formulas
_BEFORE_UNIT = re.compile(
    r"(?<=[0-9]) (?=%|(?:(?:[kKMGTPE]i?)?(?:B|bit|b|FLOPS|FLOP|Wh|W|J|Hz)|[mµn]?s|min|h)(?![A-Za-z0-9]))"
)
_COMMA = "<mrow><mo>&#x0002C;</mo></mrow>"  # what LaTeX's {,} becomes, which is no list's comma
_THOUSANDS = re.compile(rf"<mn>[0-9]{{1,3}}</mn>(?:{_COMMA}<mn>[0-9]{{3}}(?:\.[0-9]+)?</mn>)+")


def keep_together(markdown: str) -> str:
    """Markdown in which no line ends between a number and its unit; code and formulas stay as they are.

    >>> keep_together("6 GB in `6 GB` of 2 GPUs")
    '6\\xa0GB in `6 GB` of 2 GPUs'
    """
    parts = _AS_IT_STANDS.split(markdown)
    parts[::2] = [_BEFORE_UNIT.sub("\u00a0", part) for part in parts[::2]]
    return "".join(parts)


def to_html(markdown: str) -> str:
    """Markdown as HTML; formulas as MathML, raw HTML escaped.

    >>> print(to_html("**40 GPUs** of <b>x</b>"))
    <p><strong>40 GPUs</strong> of &lt;b&gt;x&lt;/b&gt;</p>
    """
    return whole_numbers(_to_html(keep_together(markdown)))


def whole_numbers(html: str) -> str:
    """MathML in which 1{,}000 is one number and not a list of two."""
    if _COMMA not in html:
        return html
    return _THOUSANDS.sub(lambda found: f"<mn>{re.sub('<[^>]*>', '', found[0].replace(_COMMA, ','))}</mn>", html)


def _to_html(markdown: str) -> str:
    found = _OPTIONS.fullmatch(markdown) if "\n\n- **" in markdown else None
    if found is None or "]:" in markdown or "\r" in markdown or _REACHES_ON.search(found[1]):
        return rendered(markdown)
    # Each option is rendered by itself: options stand in another order for each student, and few HTML texts are kept.
    items = [rendered(item).removeprefix("<ul>\n").removesuffix("</ul>") for item in found[2].split("\n")]
    return f"{rendered(found[1])}\n<ul>\n{''.join(items)}</ul>\n{rendered(found[3])}"


_LETTERS = {"alpha": "α", "beta": "β", "eta": "η", "rho": "ρ", "pi": "π", "Psi": "Ψ"}
_SIGNS = {"cdot": "·", "times": "·", "approx": "≈", "propto": "∝", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥",
          "Rightarrow": "⇒", "top": "T", "bmod": " mod "}  # fmt: skip
_SIMPLE = (
    (r"\\[dt]?frac\s*(\d)\s*(\d)", r"\\frac{\1}{\2}"),
    *((rf"\\{name}(?![A-Za-z])", sign) for name, sign in (_LETTERS | _SIGNS).items()),
    (r"([\^_])\{\s*(-?\w+)\s*\}", r"\1\2"),
    (r"([\^_])\{([^{}]*)\}", r"\1(\2)"),
    (r"\\,|\\;|\\!|\\ |\\q?quad|\\left|\\right", " "),
    (r"\\(?:text|mathrm|operatorname)\{([^{}]*)\}", r"\1"),
    (r"\\[dt]?frac\{\s*([^{}]*?)\s*\}\s*\{\s*([^{}]*?)\s*\}", r"(\1)/(\2)"),
    (r"\\sqrt\{([^{}]*)\}", r"√(\1)"),
    (r"\\binom\{\s*([^{}]*?)\s*\}\s*\{\s*([^{}]*?)\s*\}", r"C(\1, \2)"),
    (r"\\underbrace\{\s*([^{}]*?)\s*\}_(?:\(([^()]*)\)|(\w+))", r"[\1: \2\3]"),
    (r"\\(log|ln|cos|min|max)(?![A-Za-z])", r"\1"),
    (r"\{,\}", ","),
    (r"\\lceil *", "⌈"),
    (r" *\\rceil", "⌉"),
    (r"\\lfloor *", "⌊"),
    (r" *\\rfloor", "⌋"),
    (r"\\([%$_])", r"\1"),
)
_ATOM = r"\(((?:\d+(?:[.,]\d+)*|[^\W\d_])(?:_\w+)?)\)"  # a number or a letter that needs no parentheses
_SPARE = (
    (rf"(?<=/){_ATOM}(?!\s*[\w(√^])", r"\1"),
    (rf"(?<![\w)√\]}}]){_ATOM}(?=/(?!{_ATOM}))", r"\1"),
)


def plain_formula(tex: str) -> str:
    r"""A formula of LaTeX as a line of text; what is not known of it stays as it is.

    >>> print(plain_formula(r"\frac{M}{N\beta} \le \ln\left(\frac{7}{8}\right)"))
    M/(Nβ) ≤ ln (7/8 )
    """
    for _ in range(3):  # for what is nested
        for pattern, plain in _SIMPLE:
            tex = re.sub(pattern, plain, tex)
    for pattern, plain in _SPARE:
        tex = re.sub(pattern, plain, tex)
    return re.sub(r"\s+", " ", tex).strip()


def to_plain(markdown: str) -> str:
    """Markdown as text for a terminal: emphasis and dollar signs gone, simple formulas readable.

    >>> print(to_plain("Each sends **1.75 GB**: $2 \\\\cdot 1\\\\,\\\\text{GB} \\\\cdot \\\\frac{7}{8}$"))
    Each sends 1.75 GB: 2 · 1 GB · 7/8
    """
    code: list[str] = []

    def kept(found: re.Match[str]) -> str:
        """Code, and what a backslash makes literal, is set aside: in `2**M` the asterisks are a power."""
        code.append(next(part for part in found.groups() if part is not None))
        return f"\x00{len(code) - 1}\x00"

    text = markdown.replace("\x00", "")
    text = re.sub(
        r"^```\w*\n(.*?)^```[ ]*$\n?|\\([\\`*_\[\]<&$~])|`([^`\n]+)`", kept, text, flags=re.MULTILINE | re.DOTALL
    )
    text = re.sub(
        r"\$\$(.+?)\$\$|(?<![\w$])\$([^$\n]+?)\$(?!\w)",
        lambda found: plain_formula(found[1] or found[2]),
        text,
        flags=re.DOTALL,
    )
    text = re.sub(r"\*\*(.+?)\*\*", r"\1", text)
    text = re.sub(r"(?<![\w*])\*([^*\n]+?)\*(?![\w*])", r"\1", text)
    return re.sub(r"\x00(\d+)\x00", lambda found: code[int(found[1])], text)


def safe(text: str, longest: int = 300) -> str:
    """A student's text for use inside `code` in Markdown: no control characters, no backticks, cut."""
    clean = printable(text.replace("`", "'").replace("\n", " "))
    return clean if len(clean) <= longest else clean[: longest - 1] + "…"


def printable(text: str) -> str:
    """A text without control characters and lone surrogates, which no file, page or terminal takes.

    Line breaks stay, and the spaces inside numbers and before units, at which no line is broken.
    """
    if text.replace("\n", "").isprintable():  # nearly every text is, and this is told at once
        return text
    return "".join(character if character in _KEPT or character.isprintable() else " " for character in text)


_KEPT = "\n\u00a0\u202f"


def as_code(text: str, longest: int = 300) -> str:
    """A student's text as code in Markdown, in which nothing makes a link, a tag or a line of its own."""
    return f"`{safe(text, longest)}`" if text.strip() else "nothing"


_ACTIVE = re.compile(r"[\\`*\[\]<&$~]|(?<!\w)_|_(?!\w)")  # what Markdown takes for markup within a line


def literal(text: str) -> str:
    """A plain message in Markdown: what it quotes between “ and ” is code, and all the rest only text, whatever a student wrote.

    >>> literal("I couldn't read “2*M*K”. Did you mean “M”?")
    "I couldn't read “`2*M*K`”. Did you mean “`M`”?"
    >>> print(literal("I couldn't read “”[here](https://example.org)”."))
    I couldn't read “”\\[here\\](https://example.org)”.
    """
    parts = re.split(r"“([^“”]+)”", re.sub(r"\s*\n\s*", " ", text))
    plain = [_ACTIVE.sub(lambda found: f"\\{found[0]}", part) for part in parts[::2]]
    quoted = ["“`{}`”".format(part.replace("`", "'")) for part in parts[1::2]]
    return "".join(part for pair in zip(plain, [*quoted, ""], strict=True) for part in pair)


def inline(markdown: str) -> str:
    """One paragraph of Markdown as HTML that may stand inside a label.

    >>> inline("The **ring**")
    'The <strong>ring</strong>'
    """
    return to_html(markdown).removeprefix("<p>").removesuffix("</p>")
