"""Rendering of Markdown with LaTeX as plain text: without emphasis, and with formulas as a readable line."""

from __future__ import annotations

import re

GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "zeta": "ζ", "eta": "η", "theta": "θ", "kappa": "κ",
    "lambda": "λ", "mu": "μ", "nu": "ν", "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω",
    "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Sigma": "Σ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
}  # fmt: skip
_SIGNS = {"cdot": "·", "times": "·", "approx": "≈", "propto": "∝", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥",
          "Rightarrow": "⇒", "pi": "π", "circ": "°", "top": "T", "bmod": " mod "}  # fmt: skip
_SIMPLE = (
    (r"\\[dt]?frac\s*(\d)\s*(\d)", r"\\frac{\1}{\2}"),
    *((rf"\\{name}(?![A-Za-z])", sign) for name, sign in (GREEK | _SIGNS).items()),
    (r"([\^_])\{\s*(-?\w+)\s*\}", r"\1\2"),
    (r"([\^_])\{([^{}]*)\}", r"\1(\2)"),
    (r"\\,|\\;|\\!|\\ |\\q?quad|\\left|\\right", " "),
    (r"\\(?:text|mathrm|operatorname)\{([^{}]*)\}", r"\1"),
    (r"\\[dt]?frac\{\s*([^{}]*?)\s*\}\s*\{\s*([^{}]*?)\s*\}", r"(\1)/(\2)"),
    (r"\\sqrt\{([^{}]*)\}", r"√(\1)"),
    (r"\\binom\{\s*([^{}]*?)\s*\}\s*\{\s*([^{}]*?)\s*\}", r"C(\1, \2)"),
    (r"\\underbrace\{\s*([^{}]*?)\s*\}_(?:\(([^()]*)\)|(\w+))", r"[\1: \2\3]"),
    (r"\\(log|ln|exp|(?:arc)?(?:sin|cos|tan)|min|max)(?![A-Za-z])", r"\1"),
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
    r"""Return a LaTeX formula as a line of text; unknown commands stay unchanged.

    >>> print(plain_formula(r"\frac{M}{N\beta} \le \ln\left(\frac{7}{8}\right)"))
    M/(Nβ) ≤ ln (7/8 )
    """
    for _ in range(3):  # for nested constructs
        for pattern, plain in _SIMPLE:
            tex = re.sub(pattern, plain, tex)
    for pattern, plain in _SPARE:
        tex = re.sub(pattern, plain, tex)
    return re.sub(r"\s+", " ", tex).strip()


def to_plain(markdown: str) -> str:
    """Return Markdown as text without emphasis and dollar signs, and with simple formulas made readable.

    >>> print(to_plain("Each sends **1.75 GB**: $2 \\\\cdot 1\\\\,\\\\text{GB} \\\\cdot \\\\frac{7}{8}$"))
    Each sends 1.75 GB: 2 · 1 GB · 7/8
    """
    code: list[str] = []

    def kept(found: re.Match[str]) -> str:
        """Set aside code and escaped characters: the asterisks in `2**M` are a power."""
        code.append(next(part for part in found.groups() if part is not None))
        return f"\x00{len(code) - 1}\x00"

    text = markdown.replace("\x00", "")
    text = re.sub(
        r"^```[^\n`]*\n(.*?)^```[ ]*$\n?|\\([\\`*_\[\]<&$~])|`([^`\n]+)`", kept, text, flags=re.MULTILINE | re.DOTALL
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
