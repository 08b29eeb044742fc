"""Writing an expression where another stood, with parentheses exactly where precedence requires them."""

from __future__ import annotations

import libcst as cst

_PRECEDENCES: tuple[tuple[type, int], ...] = (
    (cst.Or, 1), (cst.And, 2), (cst.Not, 3), (cst.Add, 8), (cst.Subtract, 8), (cst.Multiply, 9), (cst.Divide, 9),
    (cst.FloorDivide, 9), (cst.Modulo, 9), (cst.MatrixMultiply, 9), (cst.Minus, 10), (cst.Plus, 10), (cst.Power, 11),
)  # fmt: skip


def _precedence(node: cst.CSTNode | None) -> int:
    """The precedence of an expression: from 0, for what needs parentheses inside any other, to 12, for what never does."""
    if isinstance(node, cst.IfExp | cst.Lambda | cst.NamedExpr):
        return 0
    if isinstance(node, cst.Comparison | cst.ComparisonTarget):
        return 4
    operator = getattr(node, "operator", None)
    return dict(_PRECEDENCES).get(type(operator), 5 if operator else 12)


def placed(new: cst.BaseExpression, old: cst.CSTNode, above: cst.CSTNode | None) -> cst.BaseExpression:
    """`new` as it must be written where `old` stood. Parenthesise if precedence requires it."""
    if isinstance(above, cst.IfExp):
        needed = 1
    elif isinstance(above, cst.BinaryOperation | cst.BooleanOperation | cst.UnaryOperation):
        tighter = getattr(above, "right", None) is old or isinstance(above.operator, cst.Power)
        needed = _precedence(above) + tighter
    elif isinstance(above, cst.Comparison | cst.ComparisonTarget):
        needed = 5
    elif isinstance(above, cst.Subscript | cst.StarredElement | cst.CompFor | cst.Await):
        needed = 12
    else:
        needed = 0
    if _precedence(new) >= needed:
        return _bare(new)
    return _bare(new).with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def _bare(node: cst.BaseExpression) -> cst.BaseExpression:
    """An expression without parentheses of its own; a tuple or a generator needs them."""
    return node if isinstance(node, cst.Tuple | cst.GeneratorExp) else node.with_changes(lpar=[], rpar=[])


def operation(left: cst.BaseExpression, operator: cst.BaseBinaryOp, right: cst.BaseExpression) -> cst.BinaryOperation:
    """`left operator right`, with parentheses around the operands that need them."""
    bare = cst.BinaryOperation(left, operator, right)
    return bare.with_changes(left=placed(left, left, bare), right=placed(right, right, bare))


def code(node: cst.CSTNode) -> str:
    """The text of a node, without its own parentheses and spaces around a power."""
    bare = _bare(node) if isinstance(node, cst.BaseExpression) else node
    return cst.Module(body=[]).code_for_node(bare).replace(" ** ", "**")
