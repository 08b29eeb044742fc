"""Markdown with LaTeX, written as HTML that needs no script, or as plain text for a terminal."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from shardwise.markdown.mathml import is_uniform, mathml

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

LONGEST = 6_000  # characters of a text whose shape is remembered; the longest prompt has under 3,000
_NUMBER = re.compile(r"(?<![0-9_^])([0-9]+)")  # in x^12 LaTeX raises the 1 alone, so such digits belong to the text
_STAND_IN = "4099990"  # with three digits more it stands for a number; it cannot overlap itself
_DIGITS_MATTER = re.compile(
    r"""&[#a-zA-Z]                            # entities: &#189; and &frac12;
    | \]\(|\]:|<[^\s<>]*[@:]                 # links, whose hosts and labels have a largest length
    | ^[ \t>*+-]*[0-9]+[.)](?!\S)            # an ordered list begins at its number
    | \r                                     # a line break that ^ does not see""",
    re.VERBOSE | re.MULTILINE,
)


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    # "js-default" escapes raw HTML and refuses javascript: links, so that a student's text stays text
    parser = MarkdownIt("js-default", {"html": False, "linkify": False}).enable("table").disable("image")
    parser.use(dollarmath_plugin, allow_space=False, allow_digits=False, renderer=_formula)
    return parser


def _formula(tex: str, options: dict[str, Any]) -> str:
    return mathml(tex, is_block=bool(options.get("display_mode")))


@dataclass(frozen=True)
class Shape:
    """The HTML of every text that differs from another in its numbers alone: what is fixed, and which number is where."""

    fixed: tuple[str, ...]
    numbers: tuple[int, ...]  # places among the numbers of the text, one between each two fixed pieces

    def filled(self, numbers: Sequence[str]) -> str:
        """The HTML with these numbers."""
        pieces = [""] * (2 * len(self.fixed) - 1)
        pieces[::2] = self.fixed
        pieces[1::2] = [numbers[place] for place in self.numbers]
        return "".join(pieces)


@lru_cache(maxsize=1024)
def _shape(texts: tuple[str, ...]) -> Shape | None:
    """The shape of a text, given as what stands between its numbers; None where their digits could matter.

    To Markdown one run of digits is as good as another, save in a few places. So the text is rendered with stand-ins,
    which are digits too, and those are found again in the HTML.
    """
    numbers = [f"{_STAND_IN}{place:03d}" for place in range(len(texts) - 1)]
    markdown = "".join(text + number for text, number in zip(texts, [*numbers, ""], strict=True))
    if len(numbers) > 1000 or any(_STAND_IN in text for text in texts) or _DIGITS_MATTER.search(markdown):
        return None
    parser, env = _parser(), dict[str, Any]()
    tokens = parser.parse(markdown, env)
    inner = [child for token in tokens for child in (token, *(token.children or ()))]
    if not all(is_uniform(one.content) for one in inner if one.type.startswith("math") and _STAND_IN in one.content):
        return None
    html = str(parser.renderer.render(tokens, parser.options, env)).strip()
    pieces = re.split(rf"{_STAND_IN}([0-9]{{3}})", html)
    return Shape(tuple(pieces[::2]), tuple(map(int, pieces[1::2])))


def _rendered(markdown: str) -> str:
    rendered: str = _parser().render(markdown)
    return rendered.strip()


_OPTIONS = re.compile(
    r"(\S.*?)\n\n(- \*\*[^\n]+(?:\n- \*\*[^\n]+)*)\n\n((?![-+*]?\s).+)", re.DOTALL
)  # a text, a list of one line an item, and a text
_REACHES_ON = re.compile(r"```|~~~|\$\$|^\s*(?:[-+*]|[0-9]+[.)])\s", re.MULTILINE)  # beyond a blank line


def to_html(markdown: str) -> str:
    """Markdown as HTML; formulas as MathML, raw HTML escaped.

    >>> print(to_html("**40 GB** of <b>x</b>"))
    <p><strong>40 GB</strong> of &lt;b&gt;x&lt;/b&gt;</p>
    """
    found = _OPTIONS.fullmatch(markdown) if "\n\n- **" in markdown else None
    if found is None or "]:" in markdown or "\r" in markdown or _REACHES_ON.search(found[1]):
        return _block(markdown)
    # Options stand in another order for each student, so that each of them is rendered by itself.
    items = [_block(item).removeprefix("<ul>\n").removesuffix("</ul>") for item in found[2].split("\n")]
    return f"{_block(found[1])}\n<ul>\n{''.join(items)}</ul>\n{_block(found[3])}"


def _block(markdown: str) -> str:
    """Markdown as HTML, by its shape where it has one."""
    parts = _NUMBER.split(markdown)
    shape = _shape(tuple(parts[::2])) if len(markdown) <= LONGEST else None
    return _rendered(markdown) if shape is None else shape.filled(parts[1::2])


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
    return "".join(one if one == "\n" or one.isprintable() else " " for one in text)


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
