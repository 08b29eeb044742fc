r"""Spelling: formulas in other notations (\frac{M}{N}, math.ceil(...), 3df), converted to the notation of the parser."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import lru_cache

from shardwise.kinds.formula.advice import FUNCTIONS, UNITS
from shardwise.kinds.formula.parser import LETTER, Unclear
from shardwise.kinds.formula.tree import PI
from shardwise.markdown.plain import GREEK
from shardwise.units import SUPERSCRIPTS, TRIGONOMETRY, raised

_OTHER_NAMES: Mapping[str, str] = {
    "ceiling": "ceil",
    **{f"arc{name}": f"a{name}" for name in ("sin", "cos", "tan")},
    "tg": "tan",
}
_NAMES = "|".join(FUNCTIONS)
_ALL_NAMES = "|".join((*FUNCTIONS, *_OTHER_NAMES))
_FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_ROOT = re.compile(r"\\sqrt\s*\{([^{}]*)\}")
_RAISED = re.compile(r"\^\s*\{([^{}]*)\}")
_LOWERED = re.compile(r"_\{(\w+)\}")
_BASE = re.compile(r"\blog_(?:\{(2|10)\}|(2|10))(?!\d)")
_LATEX: Mapping[str, str] = {
    "cdot": "*", "times": "*", "div": "/", "left": "", "right": "", "lceil": "⌈", "rceil": "⌉", "lfloor": "⌊", "rfloor": "⌋",
    "pi": PI, "quad": " ", "displaystyle": "", "mathrm": "", "text": "", "operatorname": "", "mathit": "",
}  # fmt: skip
_COMMAND = re.compile(r"\\(?:([A-Za-z]+)|[,;:! ])")
_MODULE = re.compile(rf"\b(?:math|np|numpy|sympy|sp|torch)\.(?=(?:{_ALL_NAMES}|log|pi)\b)")
_NATURAL = re.compile(r"\b(?:math|np|numpy|sympy|sp|torch)\.log(?=\s*\()")
_CALL = re.compile(rf"\b({_ALL_NAMES})(?=\s*\(|\s*(?:\^|\*\*)\s*\d\s*\(|\s*[⁰¹²³⁴⁵⁶⁷⁸⁹]\s*\()", re.IGNORECASE)
_LEFT_HAND_SIDE = re.compile(rf"\A\s*(?!(?:{_NAMES})\b)[A-Za-zΑ-Ωα-ω][\w ]*(?:\([\w, ]*\)|)\s*=(?!=)(?=[^=]*$)")
_LABEL = re.compile(r"\A\s*(?!lambda)[A-Za-z][A-Za-z ]{0,40}:(?!=)")
_UNIT = re.compile(
    r"(?<=[\w)\]])\s+[(\[]?(?:bytes|seconds|GPUs|steps|tokens|parameters|weights)[)\]]?\Z"
)  # of the whole
_POW = re.compile(r"\bpow\(\s*(\w+)\s*,\s*(\w+)\s*\)")
_POWER = re.compile(
    r"(?:\^|\*\*)\s*(?:[{(]\s*(\d+)\s*[)}]|(\d+)(?=\s+[A-Za-z]))"
)  # in which it is clear where the exponent ends
_PARTS = re.compile(rf"[0-9][0-9_]*(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?|(?!\d){LETTER}+")
_AS_TIMES = re.compile(r"(?<=[\w)\]])\s+x\s+(?=[\w(\[])")
_PI = frozenset(("pi", PI))
_FRACTIONS = str.maketrans({"½": "(1/2)", "¼": "(1/4)", "¾": "(3/4)", "{": "(", "}": ")"})
DEEPEST = 20  # nested fractions


def spelled(text: str, symbols: Collection[str]) -> str:
    r"""Return the text in the parser's notation. Raises Unclear if juxtaposed symbols are ambiguous.

    >>> spelled(r"T = \frac{2M(N-1)}{N}", ("M", "N")), spelled("3df", ("d", "f")), spelled("math.ceil(N/M)", ("M", "N"))
    ('((2M(N-1))/(N))', '3d f', 'ceil(N/M)')
    >>> spelled(r"\frac{s^{2}}{\log_{2}(N)}", ("s", "N"))
    '((s²)/(log2(N)))'
    """
    plain = re.sub(r"\A\\[(\[]|\\[)\]]\Z", "", text.strip().strip("`$'\"")).rstrip(" .;,")
    plain = _UNIT.sub("", re.sub(r"\A(?:=|return\s|lambda [\w, ]+:)\s*|\s#[^\n]*\Z", "", plain))
    plain = _LEFT_HAND_SIDE.sub("", _LABEL.sub("", plain, count=1), count=1)
    if "\\" in plain:
        plain = _without_latex(plain)
    plain = _POW.sub(r"(\1^\2)", plain)
    plain = _POWER.sub(lambda found: raised(found[1] or found[2]), plain)
    plain = _BASE.sub(lambda found: f"log{found[1] or found[2]}", plain).translate(_FRACTIONS)
    plain = _MODULE.sub("", _NATURAL.sub("ln", plain))
    known = frozenset(symbols)
    plain = _with_greek(plain, known)
    plain = _CALL.sub(lambda found: found[0] if found[0] in known else _function(found[0]), plain)
    if "x" not in known:
        plain = _AS_TIMES.sub("*", plain)
    return _PARTS.sub(lambda found: _separated(_in_its_case(found, known), found, known), plain).strip()


def _with_greek(text: str, symbols: frozenset[str]) -> str:
    """Return the text with Greek letters spelled as the symbols are: as letters, or as their names."""
    for name, letter in GREEK.items():
        if name in symbols:
            text = text.replace(letter, f" {name} ")
        elif letter in symbols:
            text = re.sub(rf"(?<![A-Za-z]){name}(?![a-z])", letter, text)
    return text


def _in_its_case(found: re.Match[str], symbols: frozenset[str]) -> str:
    """Return the symbol that a name equals apart from its case; the name itself if symbols differ only in case."""
    other = {symbol.lower(): symbol for symbol in symbols}
    name, before, after = found[0], found.string[: found.start()], found.string[found.end() :]
    is_unit = name in UNITS and not after.strip() and re.search(r"[\w)\]]\s+\Z", before)
    if name in symbols or name in FUNCTIONS or is_unit or len(other) < len(symbols):
        return name
    return other.get(name.lower(), name)


def _function(name: str) -> str:
    return _OTHER_NAMES.get(name.lower(), name.lower())


def _without_latex(text: str) -> str:
    """Replace fractions and roots by divisions and calls, innermost first, and other commands by their signs."""
    for _ in range(DEEPEST):
        text = _RAISED.sub(r"^(\1)", _LOWERED.sub(r"_\1", text))  # their braces may be inside those of a fraction
        text, fractions = _FRACTION.subn(r"((\1)/(\2))", text)
        text, roots = _ROOT.subn(r"sqrt(\1)", text)
        if not fractions and not roots:
            break
    return _COMMAND.sub(_sign, text)


def _sign(command: re.Match[str]) -> str:
    name = command[1]
    if name is None:
        return " "
    if name in (*TRIGONOMETRY, *_OTHER_NAMES):
        return f"{name} "
    if name in (*FUNCTIONS, "log", *GREEK):
        return name
    return _LATEX.get(name, command[0])


def _separated(name: str, found: re.Match[str], symbols: frozenset[str]) -> str:
    """Split an unknown name into symbols, which may include pi; the last may be a function."""
    follows = found.string[found.end() : found.end() + 2].lstrip()
    powers_of_e = {"e"} if follows.startswith(("^", "**", *SUPERSCRIPTS)) else set()
    if name[0].isdigit() or name in symbols or name in FUNCTIONS or name in UNITS:
        return name
    pieces = symbols | _PI | powers_of_e | (set(FUNCTIONS) if follows.startswith("(") else set())
    readings = [parts for parts in splits(name, pieces) if not set(parts[:-1]) & set(FUNCTIONS)]
    if len(readings) > 1:
        two = " or ".join("*".join(parts) for parts in readings[:2])
        raise Unclear(f"“{name}” can be read as {two}", "Write * between the symbols.")
    return " ".join(PI if piece in _PI else piece for piece in readings[0]) if readings else name


@lru_cache(maxsize=4096)
def splits(name: str, pieces: frozenset[str]) -> tuple[tuple[str, ...], ...]:
    """Return ways to split a name into pieces; two are enough.

    >>> splits("dff", frozenset("df")), splits("xy", frozenset("x"))
    ((('d', 'f', 'f'),), ())
    """
    ways: list[list[tuple[str, ...]]] = [[()]]
    for end in range(1, len(name) + 1):
        ways.append(
            [(*way, piece) for piece in sorted(pieces) if name[:end].endswith(piece) for way in ways[end - len(piece)]][
                :2
            ]
        )
    return tuple(ways[-1])
