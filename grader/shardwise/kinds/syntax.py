"""Replacement of parts of Python syntax trees; the old tree stays as it is."""

from __future__ import annotations

import ast
import copy
from typing import Any


class _Put(ast.NodeTransformer):
    """A transformer that replaces a node; the nodes above it are copied, and everything else is shared."""

    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self._old, self._new = old, new

    def visit(self, node: ast.AST) -> Any:
        return self._new if node is self._old else self.generic_visit(copy.copy(node))

    def generic_visit(self, node: ast.AST) -> ast.AST:
        for name, value in ast.iter_fields(node):
            if isinstance(value, list):
                setattr(node, name, [self.visit(part) if isinstance(part, ast.AST) else part for part in value])
            elif isinstance(value, ast.AST):
                setattr(node, name, self.visit(value))
        return node


def put(tree: Any, old: ast.AST, new: ast.AST) -> Any:
    """Return a tree with a node replaced, which is found by identity."""
    return _Put(old, new).visit(tree)


def with_fields(node: Any, **fields: Any) -> Any:
    """Return a node with other fields."""
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def expression(text: str) -> ast.expr:
    """Return the tree of an expression."""
    return ast.parse(text, mode="eval").body
