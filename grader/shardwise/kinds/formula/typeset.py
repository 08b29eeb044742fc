"""A formula as MathML, which shows a student how it is read during typing: with fractions and powers, but not rearranged.

The tree is typeset as it was typed. Rewriting it, as sympy does, would show a formula that the student did not write.
"""

from __future__ import annotations

from html import escape

from shardwise.kinds.formula.tree import Node, bare
from shardwise.markdown.plain import GREEK

_SUM, _PRODUCT, _ATOM = range(3)  # how tightly the outermost operation binds, as it is set
_AROUND = {"abs": ("|", "|"), "ceil": ("⌈", "⌉"), "floor": ("⌊", "⌋")}
_BASES = {"log2": "2", "log10": "10"}


def formula_as_mathml(tree: Node) -> str:
    """Return a formula as a MathML element.

    >>> from shardwise.kinds.formula.notation import read_notation
    >>> formula_as_mathml(read_notation("M/2", ("M",)))
    '<math displaystyle="true"><mfrac><mi>M</mi><mn>2</mn></mfrac></math>'
    """
    return f'<math displaystyle="true">{_set(tree)}</math>'


def _set(node: Node) -> str:
    """Typeset a node; typed brackets stay, unless a fraction, a root or an exponent makes them unnecessary."""
    first = node.parts[0] if node.parts else node
    last = node.parts[-1] if node.parts else node
    match node.kind:
        case "number":
            return f"<mn>{escape(node.name)}</mn>"
        case "symbol":
            return _symbol(node.name)
        case "group" if bare(node).kind == "power":  # as in N²(M + 1), whose superscript the parser closes off
            return _set(bare(node))
        case "group":
            return _bracketed(first)
        case "call":
            return _call(node)
        case "over":
            return f"<mfrac>{_set(bare(first))}{_set(bare(last))}</mfrac>"
        case "power":
            return f"<msup>{_at_least(_ATOM, bare(first))}{_set(bare(last))}</msup>"
        case "negative":
            return _row("<mo>−</mo>", _after(_PRODUCT, last))
        case "plus":
            return _row(_set(first), "<mo>+</mo>", _after(_SUM, last))
        case "minus":
            return _row(_set(first), "<mo>−</mo>", _after(_PRODUCT, last))
        case "times":
            return _row(_at_least(_PRODUCT, first), "<mo>·</mo>", _after(_PRODUCT, last))
        case _:  # next to
            return _row(_at_least(_PRODUCT, first), '<mspace width="0.17em"/>', _after(_PRODUCT, last))


def _call(node: Node) -> str:
    inside = "<mo>,</mo>".join(map(_set, node.parts))
    if node.name == "sqrt":
        return f"<msqrt>{_set(bare(node.parts[0]))}</msqrt>"
    if node.name in _AROUND:
        before, behind = _AROUND[node.name]
        return _row(f"<mo>{before}</mo>", inside, f"<mo>{behind}</mo>")
    name = f"<mi>{escape(node.name)}</mi>"
    if node.name in _BASES:
        name = f"<msub><mi>log</mi><mn>{_BASES[node.name]}</mn></msub>"
    return _row(name, "<mo>(</mo>", inside, "<mo>)</mo>")


def _symbol(name: str) -> str:
    head, _, tail = name.partition("_")
    head = GREEK.get(head, head)
    upright = f'<mi mathvariant="normal">{escape(head)}</mi>' if len(head) > 1 else f"<mi>{escape(head)}</mi>"
    return f"<msub>{upright}<mtext>{escape(tail)}</mtext></msub>" if tail else upright


def _row(*parts: str) -> str:
    return f"<mrow>{''.join(parts)}</mrow>"


def _bracketed(node: Node) -> str:
    return _row("<mo>(</mo>", _set(node), "<mo>)</mo>")


def _binding(node: Node) -> int:
    """Return how tightly a typeset node binds: a fraction binds like a product, also as the base of a power."""
    if node.kind in ("plus", "minus", "negative"):
        return _SUM
    return _PRODUCT if node.kind in ("times", "beside", "over", "power") else _ATOM


def _at_least(binding: int, node: Node) -> str:
    """Typeset an operand, in brackets if the tree needs some that were not typed."""
    return _set(node) if _binding(node) >= binding else _bracketed(node)


def _after(binding: int, node: Node) -> str:
    """Typeset an operand after an operator, in brackets also if it begins with a sign."""
    begins = node
    while begins.kind in ("plus", "minus", "times", "beside"):
        begins = begins.parts[0]
    signed = begins.kind == "negative"
    return _bracketed(node) if signed else _at_least(binding, node)
