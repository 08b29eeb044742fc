"""Rendering of Markdown for a terminal: paragraphs wrapped to its width, indented lists, tables in columns, verbatim code.

rich could do the same, but it takes longer to load than a question takes to draw, and it does not know formulas.
"""

from __future__ import annotations

import shutil
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from shardwise.markdown.escaping import printable
from shardwise.markdown.html import keep_together, parsed_markdown
from shardwise.markdown.plain import plain_formula

if TYPE_CHECKING:
    from markdown_it.tree import SyntaxTreeNode

WIDEST = 88  # columns of prose; longer lines are hard to follow
USUAL = 80  # if there is no terminal, or its width is unknown
_NARROWEST = 20
_LONGEST_WHOLE = 40  # columns; a longer formula or piece of code in a sentence may be broken
_INDENT = "    "  # for a displayed formula
_APART = "  "  # between columns of a table
_NO_BREAK = "\u00a0"


def to_terminal(markdown: str, width: int | None = None) -> str:
    """Return Markdown as text for a terminal of this width, or of its actual width, without control characters.

    >>> print(to_terminal("A **ring** of\\n4 hosts sends $\\\\frac{3}{4}$.\\n\\n- what\\n  each sends", width=20))
    A ring of 4 hosts
    sends 3/4.
    <BLANKLINE>
    - what each sends
    """
    from markdown_it.tree import SyntaxTreeNode

    tree = SyntaxTreeNode(parsed_markdown(keep_together(markdown)))
    return printable("\n".join(_blocks(tree, width or columns())).expandtabs(4)).replace(_NO_BREAK, " ")


def columns() -> int:
    """Return the width of prose: the terminal's, up to a readable maximum."""
    return max(_NARROWEST, min(shutil.get_terminal_size((USUAL, 24)).columns, WIDEST))


def cells(text: str) -> int:
    """Return how many columns a text takes: a Chinese or Japanese character takes two, a combining accent none.

    >>> cells("car"), cells("学生"), cells("e\u0301")
    (3, 4, 1)
    """
    if text.isascii():
        return len(text)
    return sum(map(_cells_of, text))


def _cells_of(sign: str) -> int:
    if unicodedata.category(sign) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(sign) in ("W", "F") else 1


def wrapped(text: str, width: int) -> list[str]:
    """Wrap a text into lines of at most `width` columns; a longer word gets a separate line."""
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line, used = "", 0
        for word in paragraph.split(" "):
            if not word:
                continue
            size = cells(word)
            if line and used + 1 + size > width:
                lines.append(line)
                line, used = word, size
            else:
                line, used = (f"{line} {word}", used + 1 + size) if line else (word, size)
        lines.append(line)
    return lines


def _blocks(parent: SyntaxTreeNode, width: int) -> list[str]:
    """Return the lines of all blocks in a text, a list item or a quotation, separated by blank lines."""
    lines: list[str] = []
    for place, block in enumerate(parent.children):
        lines += [""] if place and not _is_tight(block) else []
        lines += _block(block, width)
    return lines


def _is_tight(block: SyntaxTreeNode) -> bool:
    """Return whether there is no blank line before a block, as for a tight list inside a list item."""
    return block.type in ("bullet_list", "ordered_list") and not _is_loose(block) and block.level > 0


def _block(block: SyntaxTreeNode, width: int) -> list[str]:
    if block.type in ("bullet_list", "ordered_list"):
        return _list(block, width)
    if block.type == "table":
        return _table(block, width)
    if block.type in ("fence", "code_block"):
        return block.content.removesuffix("\n").split("\n")
    if block.type.startswith("math_block"):
        formula = plain_formula(block.content)
        return [f"{_INDENT}{line}" for line in wrapped(formula, width - len(_INDENT))]
    if block.type == "blockquote":
        return [f"> {line}".rstrip() for line in _blocks(block, width - 2)]
    if block.type == "hr":
        return ["─" * width]
    return wrapped("".join(_inline(block)), width)


def _is_loose(block: SyntaxTreeNode) -> bool:
    """Return whether there are blank lines between the items of a list."""
    return any(part.type == "paragraph" and not part.hidden for item in block.children for part in item.children)


def _list(block: SyntaxTreeNode, width: int) -> list[str]:
    lines: list[str] = []
    first = int(block.attrs.get("start", 1)) if block.type == "ordered_list" else 0
    for place, item in enumerate(block.children):
        mark = f"{first + place}. " if block.type == "ordered_list" else "- "
        body = _blocks(item, width - len(mark)) or [""]
        lines += [""] if place and _is_loose(block) else []
        lines += [f"{mark}{body[0]}".rstrip(), *(f"{' ' * len(mark)}{line}".rstrip() for line in body[1:])]
    return lines


def _inline(block: SyntaxTreeNode) -> Iterator[str]:
    """Yield the text of a paragraph, with non-breaking spaces marked."""
    for part in block.children:
        if part.type == "text":
            yield part.content
        elif part.type == "softbreak":
            yield " "
        elif part.type == "hardbreak":
            yield "\n"
        elif part.type.startswith("math_inline"):
            yield _whole(plain_formula(part.content))
        elif part.type == "code_inline":
            yield _whole(part.content)
        elif part.type == "link":
            words = "".join(_inline(part))
            yield words if words == part.attrs["href"] else f"{words} ({part.attrs['href']})"
        else:
            yield from _inline(part)


def _whole(text: str) -> str:
    return text.replace(" ", _NO_BREAK) if cells(text) <= _LONGEST_WHOLE else text


def _table(table: SyntaxTreeNode, width: int) -> list[str]:
    """Return a table in columns, wrapping the widest ones if the terminal is too narrow."""
    rows = [["".join(_inline(cell)) for cell in row.children] for part in table.children for row in part.children]
    is_right = ["right" in str(cell.attrs.get("style", "")) for cell in table.children[0].children[0].children]
    rule = ["─" * each for each in _shared_out(rows, width)]
    head, *body = in_columns(rows, width, is_right)
    return "\n".join([head, _APART.join(rule), *body] if head.strip() else [_APART.join(rule), *body]).split("\n")


def in_columns(rows: Sequence[Sequence[str]], width: float, is_right: Sequence[bool] = ()) -> list[str]:
    """Return the rows of a table, each a text of one or more lines: cells wrap if they do not fit into this width.

    >>> print(*in_columns([["cars", "1,024"], ["a long time", "8 h"]], 13, [False, True]), sep="\\n")
    cars    1,024
    a long    8 h
    time
    """
    widths = _shared_out(rows, width)
    return ["\n".join(_row(row, widths, is_right or [False] * len(row))) for row in rows]


def _shared_out(rows: Sequence[Sequence[str]], width: float) -> list[int]:
    """Return the width of each column of a table: that of its texts, or less for the widest, down to the longest word."""
    table = list(zip(*rows, strict=True))
    widths = [max(map(cells, column)) for column in table]
    least = [max(cells(word) for text in column for word in text.split(" ")) for column in table]
    while sum(widths) + len(_APART) * (len(widths) - 1) > width:
        widest = max(range(len(widths)), key=lambda place: (widths[place] > least[place], widths[place]))
        if widths[widest] == least[widest]:
            break
        widths[widest] -= 1
    return widths


def _row(row: Sequence[str], widths: Sequence[int], is_right: Sequence[bool]) -> Iterator[str]:
    folded = [wrapped(text, width) for text, width in zip(row, widths, strict=True)]
    for parts in zip_longest(*folded, fillvalue=""):
        spaces = [" " * (width - cells(part)) for part, width in zip(parts, widths, strict=True)]
        padded = zip(parts, spaces, is_right, strict=True)
        yield _APART.join(f"{space}{part}" if right else f"{part}{space}" for part, space, right in padded).rstrip()
