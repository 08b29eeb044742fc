"""What a student's function may have replaced and everybody needs, such as `len` or `sys.stdout`: kept before, put back after."""

from __future__ import annotations

import builtins
import functools
import json
import math
import os
import pickle
import sys
import time
from collections.abc import Callable
from typing import Any

_MODULES = (builtins, json, math, os, pickle, time)
_OF_SYS = ("stdin", "stdout", "stderr", "displayhook", "excepthook")


class Kept:
    """What some modules held when this was made."""

    def __init__(self) -> None:
        self.is_over = False  # a function that was left behind may end when all of this is long the business of others
        self._before = [(vars(module), dict(vars(module))) for module in _MODULES]
        self._before.append((vars(sys), {name: getattr(sys, name) for name in _OF_SYS}))

    def put_back(self) -> None:
        """Undo what was replaced or deleted; what was added stays. Needs no builtin itself."""
        if self.is_over:
            return
        for names, before in self._before:
            names.update(before)

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function after each call of which all is put back, before anybody looks at what it gave."""

        @functools.wraps(function)
        def called(*arguments: Any, **keywords: Any) -> Any:
            try:
                return function(*arguments, **keywords)
            finally:
                self.put_back()

        return called
