"""Rendering of Markdown with LaTeX as Typst, for PDFs. Formulas go through MathML, whose trees need no parser of their own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from shardwise.errors import ShardwiseError
from shardwise.markdown.html import keep_together, parsed_markdown
from shardwise.markdown.mathml import converted

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from markdown_it.token import Token


def to_typst(markdown: str) -> str:
    """Render Markdown as Typst markup. All text is in string literals, so that none of it is executed.

    Raises ShardwiseError for anything that has no counterpart here, such as a link or a matrix.

    >>> to_typst("**40 hosts** for $M/2$")
    '#strong[#"40 hosts";];#" for ";$M \\\\/ "2"$\\n\\n'
    """
    return "".join(_blocks(parsed_markdown(keep_together(markdown))))


def literal_text(text: str) -> str:
    """Return a text as a string literal of Typst.

    >>> print(literal_text('a "b" \\\\ #c'))
    "a \\"b\\" \\\\ #c"
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{escaped}"'


_TIMES = "\u00a0×\u00a0"  # no line breaks within a power of ten
_OPEN: Mapping[str, str] = {
    "paragraph_open": "",
    "strong_open": "#strong[",
    "em_open": "#emph[",
    "bullet_list_open": "#list(",
    "ordered_list_open": "#enum(",
    "list_item_open": "[",
    "blockquote_open": "#quote(block: true)[",
    "thead_open": "table.header(",
    "tbody_open": "",
    "tr_open": "",
    "th_open": "[",
    "td_open": "[",
}
_CLOSE: Mapping[str, str] = {
    "paragraph_close": "\n\n",
    "strong_close": "];",
    "em_close": "];",
    "bullet_list_close": ");\n\n",
    "ordered_list_close": ");\n\n",
    "list_item_close": "],",
    "blockquote_close": "];\n\n",
    "thead_close": "),",
    "tbody_close": "",
    "tr_close": "",
    "th_close": "],",
    "td_close": "],",
    "table_close": ");\n\n",
}


def _blocks(tokens: Sequence[Token]) -> Iterator[str]:
    """Yield the markup of each token."""
    for place, token in enumerate(tokens):
        match token.type:
            case "inline":
                yield from _blocks(token.children or ())
            case "text" if token.content:
                yield f"#{literal_text(token.content.replace(' × ', _TIMES))};"
            case "text" | "softbreak":
                yield " " if token.type == "softbreak" else ""
            case "hardbreak":
                yield "#linebreak();"
            case "code_inline":
                yield f"#raw({literal_text(token.content)});"
            case "fence" | "code_block":
                language = re.match(r"\w*", token.info)
                yield f'#raw(block: true, lang: "{language[0] if language else ""}", {literal_text(token.content.rstrip())});\n\n'
            case "math_inline" | "math_inline_double":
                yield f"${formula_as_typst(token.content)}$"
            case "math_block":
                yield f"$ {formula_as_typst(token.content)} $\n\n"
            case "table_open":
                head = [each.type for each in tokens[place : place + _end_of_row(tokens[place:])]]
                yield f"#table(columns: {head.count('th_open')}, "
            case "paragraph_close" if token.hidden:
                yield ""
            case kind if kind in _OPEN:
                yield _OPEN[kind]
            case kind if kind in _CLOSE:
                yield _CLOSE[kind]
            case kind:
                raise ShardwiseError(f"a PDF cannot show {kind.removesuffix('_open').replace('_', ' ')}")


def _end_of_row(tokens: Sequence[Token]) -> int:
    return next(place for place, token in enumerate(tokens) if token.type == "tr_close")


# Formulas ------------------------------------------------------------------------------------------------------------


def formula_as_typst(tex: str) -> str:
    r"""Return a LaTeX formula as a formula of Typst. Raises ShardwiseError.

    >>> print(formula_as_typst(r"\frac{2M}{\sqrt{N}} \le 5\,\text{GB}"))
    frac("2" M, sqrt(N)) ≤ "5" #h(0.167em) "GB"
    """
    try:
        return _set(ElementTree.fromstring(converted(tex)))
    except (ValueError, KeyError, ElementTree.ParseError) as error:
        raise ShardwiseError(f"a PDF cannot show the formula {tex.strip()!r}: {error}") from None


def _row(element: Element) -> str:
    """Typeset children in a row; brackets that latex2mathml marks as stretchy grow with what they enclose."""
    parts = [_set(child) for child in element]
    for place, child in enumerate(element):
        if child.get("fence") == "true":
            parts[place] = f"lr({parts[place]}" if child.get("form") == "prefix" else f"{parts[place]})"
    return " ".join(filter(None, parts))


def _set(element: Element) -> str:
    name = element.tag.rpartition("}")[2]
    text = element.text or ""
    if name == "munder" and (element[1].text or "") == "⏟":
        return f"underbrace({_set(element[0])})"
    if name == "munder" and _set(element[0]).startswith("underbrace("):
        return f"{_set(element[0])[:-1]}, {_set(element[1])})"
    if name in _ATTACHED:
        base, *scripts = [_set(child) or '""' for child in element]
        base = f"limits({base})" if name.startswith("mu") else base
        return f"attach({base}, {', '.join(f'{at}: {it}' for at, it in zip(_ATTACHED[name], scripts, strict=True))})"
    if name == "mfrac" and element.get("linethickness") == "0":
        return f"mat(delim: #none, {_set(element[0])}; {_set(element[1])})"
    if name in _FUNCTIONS:
        return f"{_FUNCTIONS[name]}({', '.join(map(_set, element))})"
    if name == "mo" and element.get("minsize"):  # the brackets of a binomial coefficient
        return f"lr({_operator(text)}, size: #2em)"
    return _SET[name](element)


_ATTACHED = {"msub": "b", "msup": "t", "msubsup": "bt", "munder": "b", "munderover": "bt"}
_FUNCTIONS = {"mfrac": "frac", "msqrt": "sqrt"}


def _operator(text: str) -> str:
    if text.isalpha():
        return f"op({literal_text(text)})"
    return " ".join(f"\\{sign}" if sign.isascii() and not sign.isalnum() else sign for sign in text)


def _identifier(element: Element) -> str:
    text = element.text or ""
    if element.get("mathvariant") == "normal":
        return f"upright({literal_text(text)})"
    return text if len(text) == 1 else f"op({literal_text(text)})" if text else ""


def _space(element: Element) -> str:
    width = re.fullmatch(r"(-?[\d.]+em)", element.get("width", ""))
    return f"#h({width[1]})" if width else ""


_SET: Mapping[str, Callable[[Element], str]] = {
    "math": _row,
    "mrow": _row,
    "mstyle": _row,
    "mi": _identifier,
    "mn": lambda element: literal_text(element.text or ""),
    "mtext": lambda element: literal_text(element.text or ""),
    "mo": lambda element: _operator(element.text or ""),
    "mspace": _space,
}
