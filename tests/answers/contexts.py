"""What the placeholders of the corpus stand for: the right answer of a question and a wrong one, in many shapes."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import sympy

from shardwise.kinds.bugline.model import BuglineForm, BuglineKey
from shardwise.kinds.case.model import CaseForm, questions_of
from shardwise.kinds.choice import ChoiceForm, ChoiceKey
from shardwise.kinds.code.model import CodeForm, CodeKey
from shardwise.kinds.estimate.model import EstimateForm, EstimateKey
from shardwise.kinds.formula.compare import parse_formula
from shardwise.kinds.formula.kind import FormulaForm, FormulaKey
from shardwise.kinds.formula.tree import Node, bare
from shardwise.kinds.match.model import MatchForm, MatchKey
from shardwise.kinds.order import OrderForm, OrderKey
from shardwise.kinds.quantity.model import QuantityForm, QuantityKey
from shardwise.markdown.plain import to_plain
from shardwise.question import Question
from shardwise.units import from_base, raised, unit
from shardwise.units.nouns import normal
from shardwise.units.table import COUNTED
from shardwise_bank.kinds.layout import grid
from shardwise_bank.kinds.layout.model import LayoutForm, LayoutKey
from shardwise_bank.kinds.layout.verdicts import layout_credit
from shardwise_bank.kinds.schedule.model import ScheduleForm, ScheduleKey

Context = Mapping[str, Any]
RIVALS = (
    "chunk",
    "collective",
    "core",
    "document",
    "expert",
    "failure",
    "image",
    "port",
    "rank",
    "replica",
    "server",
    "shard",
)  # countable
SMALLER = {"GB": ("MB", 1000), "GiB": ("MiB", 1024), "MB": ("kB", 1000), "ms": ("us", 1000), "s": ("ms", 1000), "GB/s": ("MB/s", 1000),
           "day": ("h", 24), "us": ("ns", 1000), "h": ("min", 60)}  # fmt: skip
NAMES = {"step": "steps", "GPU": "GPUs", "token": "tokens", "sequence": "sequences", "node": "nodes", "stage": "stages", "parameter": "parameters",
         "day": "days", "dollar": "dollars", "seq/s": "seq/s", "layer": "layers"}  # fmt: skip


class Number(float):
    """A number that is written as a format says: ",": decimal comma, "k": 1,234, "s": 1 234, "e", "x10", "x10up", "*10**", "*10^", "tex", "times", "wide"."""

    def __format__(self, how: str) -> str:
        whole = abs(self) < 1e15 and self == int(self)
        plain = str(int(self)) if whole else f"{Decimal(f'{float(self):.9g}'):f}"  # nine significant digits
        if how == ",":
            return plain.replace(".", ",")
        if how == "wide":
            return plain.translate({ord(sign): chr(ord(sign) + 0xFEE0) for sign in "0123456789.-"})
        if how in ("k", "s"):
            head, point, tail = plain.partition(".")
            return f"{int(head):,}".replace(",", "," if how == "k" else " ") + point + tail
        if how:
            mantissa, exponent = f"{float(self):.9e}".split("e")
            mantissa, power = mantissa.rstrip("0").rstrip("."), int(exponent)
            shapes = {"e": f"{mantissa}e{power}", "x10": f"{mantissa} × 10^{power}", "x10up": f"{mantissa}×10{raised(power)}",
                      "*10**": f"{mantissa}*10**{power}", "*10^": f"{mantissa}*10^{power}", "tex": f"{mantissa}*10^{{{power}}}", "times": rf"{mantissa} \times 10^{{{power}}}"}  # fmt: skip
            return shapes[how]
        return plain

    def __repr__(self) -> str:
        return float.__repr__(self)


class Joined(tuple[str, ...]):
    """Letters, written with what a format gives between them."""

    def __format__(self, between: str) -> str:
        return (between or " ").join(self)


class Pairs(dict[str, str]):
    """Pairs, written with what is in a pair and what is between pairs, parted by a bar: "-|, "."""

    def __format__(self, how: str) -> str:
        within, _, between = (how or "|").partition("|")
        return (between or " ").join(f"{name}{within}{letter}" for name, letter in self.items())


WIDE = {code: code + 0xFEE0 for code in range(ord("!"), ord("~") + 1)}


def readings(form: QuantityForm, number: int) -> list[float]:
    """Return how a whole number with one comma may be read where the question's answers lie."""
    low, high = form.usual or (math.inf, 0)
    return [size for size in (number, number / 1000) if low <= size <= high]


def of_quantity(question: Question) -> Iterator[Context]:
    form, key = question.form, question.key
    assert isinstance(form, QuantityForm) and isinstance(key, QuantityKey)
    wanted = unit(form.unit)
    n = Number(from_base(key.value, form.unit, form.direction))
    if wanted.is_count and key.abs_tol == 0:
        n = Number(round(n))
    text = "%" if form.unit == "percent" else wanted.text
    lesser, times = SMALLER.get(text, ("", 1))
    asked = re.search(r"how many ((?:[a-z-]+ ){0,2}?[A-Za-z-]+s)\b", to_plain(question.prompt), re.IGNORECASE)
    noun = asked[1] if asked and wanted.is_count and "times" not in asked[1] else ""
    written = f"{n:,}"
    lead, comma, tail = written.partition(",")
    other = next((word for word in form.others if word in RIVALS), "")
    days = int(key.value // 86400) if wanted.dimension == "[time]" else 0
    doubtful = next((head for head in range(1, 1000) if len(readings(form, 1000 * head + 875)) != 1), 0)
    yield {
        "n": n,
        "u": text,
        "dim": wanted.dimension,
        "count": wanted.is_count,
        "whole": n == int(n),
        "only_whole": form.whole,
        "money": "money" in wanted.powers,
        "three": f"{float(n):.3f}",
        "other": f"{other}s" if other else "",
        "n_base": Number(key.value),
        "wrong": Number(1.37 * n + 1 if wanted.is_count else 1.37 * n),
        "less": Number(n * times),
        "lu": lesser,
        "noun": noun,
        "NOUN": noun.upper() if "GPU" not in noun else noun,
        "name": NAMES.get(text, ""),
        "half": Number(n / 2),
        "double": Number(2 * n),
        "share": Number(key.value),
        "millions": Number(n / 1e6),
        "square": Number(n * n),
        "two_ways": f"{doubtful},875" if doubtful else "",
        "pointed": f"{doubtful}.875" if doubtful else "",
        "grouped": 1000 <= abs(n) < 1e6 and n == int(n) and len(readings(form, int(n))) == 1,
        "noun_one": normal(noun) if noun and " " not in noun and "-" not in noun else "",
        "wide_unit": text.translate(WIDE) if text.isalpha() else "",
        "cents": Number(100 * n),
        "days": days,
        "hours": Number(round((key.value - 86400 * days) / 3600, 6)),
        "n_bits": Number(key.value * 8 / 1e9),
        "one_way": bool(comma) and (len(tail) != 3 or lead == "0"),
        "counted": wanted.dimension.strip("[]") in COUNTED,
    }


def of_estimate(question: Question) -> Iterator[Context]:
    form, key = question.form, question.key
    assert isinstance(form, EstimateForm) and isinstance(key, EstimateKey)
    wanted = unit(form.unit)
    exact = from_base(key.value, form.unit, form.direction)
    lesser, times = SMALLER.get(wanted.text, ("", 1))
    n = Number(float(f"{1.4 * exact:.2g}"))
    yield {
        "n": n,
        "u": wanted.text,
        "exact": Number(float(f"{exact:.3g}")),
        "low": Number(float(f"{exact / 2.5:.2g}")),
        "wrong": Number(float(f"{20 * exact:.2g}")),
        "absurd": Number(float(f"{5000 * exact:.2g}")),
        "above": Number(float(f"{14 * exact:.2g}")),
        "less": Number(float(f"{1.4 * exact * times:.2g}")),
        "lu": lesser,
        "plain": wanted.is_count,
        "millions": Number(float(f"{1.4 * exact / 1e6:.2g}")),
        "one_way": "," not in f"{n:,}" or len(f"{n:,}".partition(",")[2]) != 3,
    }


def of_formula(question: Question) -> Iterator[Context]:
    form, key = question.form, question.key
    assert isinstance(form, FormulaForm) and isinstance(key, FormulaKey)
    tree = parse_formula(key.formula, tuple(form.symbols)).tree
    python = str(tree)
    first = next(iter(form.symbols))
    yield {
        "key": key.formula,
        "lead": key.formula.partition("*")[0],
        "python": python,
        "tight": python.replace(" ", ""),
        "caret": python.replace("**", "^"),
        "dots": python.replace("**", "^").replace("*", "·"),
        "crosses": python.replace("**", "^").replace("*", " × "),
        "spaced": re.sub(r"([*/()]+)", r" \1 ", python.replace("**", "^")),
        "minus": python.replace("-", "−"),
        "latex": latex(tree),
        "symbol": first,
        "modules": re.sub(r"\b(ceil|floor|sqrt|log2)\(", r"math.\1(", python),
        "numpy": re.sub(r"\b(ceil|floor|sqrt|log2)\(", r"np.\1(", python),
        "brackets": python.replace("(", "[").replace(")", "]"),
        "beside": beside(python),
        "divided": python.replace("/", "÷"),
        "symbols": Joined(form.symbols),
        "has_call": bool(re.search(r"[a-z]+\d*\(", python)),
        "wrong": f"({python}) + {first}",
        "swapped": _swapped(python, form.symbols),
        "fraction_slash": python.replace("/", "⁄"),
    }


def _swapped(python: str, symbols: Collection[str]) -> str:
    """A formula with capitals for small letters and small letters for capitals, where no symbols differ by that alone."""
    if len({name.lower() for name in symbols}) < len(symbols):
        return ""
    return re.sub(r"[A-Za-z]\w*", lambda found: found[0].swapcase() if found[0] in symbols else found[0], python)


def beside(python: str) -> str:
    """Products of symbols and numbers without a sign, where that has one reading: 2*M*(N - 1)/N is 2M(N - 1)/N."""
    return (
        re.sub(r"(?<=[\w)])(?<!\*)\*(?!\*)(?=[A-Za-z(])", "", python)
        if not re.search(r"/\s*\w+\*|\*\*|\*\d|[a-z]\(", python)
        else python
    )


def latex(node: Node) -> str:
    """A formula in LaTeX, with fractions."""
    node = bare(node)
    if node.kind in ("number", "symbol"):
        return node.name
    parts = [latex(part) for part in node.parts]
    if node.kind == "call":
        calls = {
            "ceil": r"\lceil %s \rceil",
            "floor": r"\lfloor %s \rfloor",
            "sqrt": r"\sqrt{%s}",
            "log2": r"\log_2(%s)",
        }
        return calls[node.name] % parts[0] if node.name in calls else f"\\{node.name}({', '.join(parts)})"
    braced = [
        f"({text})" if bare(part).kind in ("plus", "minus", "negative") else text
        for text, part in zip(parts, node.parts, strict=True)
    ]
    shapes: Mapping[str, Callable[[], str]] = {
        "plus": lambda: f"{parts[0]} + {parts[1]}", "minus": lambda: f"{parts[0]} - {braced[1]}", "negative": lambda: f"-{braced[0]}",
        "over": lambda: rf"\frac{{{parts[0]}}}{{{parts[1]}}}", "power": lambda: f"({parts[0]})^{{{parts[1]}}}",
    }  # fmt: skip
    return shapes.get(node.kind, lambda: rf"{braced[0]} \cdot {braced[1]}")()


def of_choice(question: Question) -> Iterator[Context]:
    form, key = question.form, question.key
    assert isinstance(form, ChoiceForm) and isinstance(key, ChoiceKey)
    texts = {option.label: to_plain(option.text) for option in form.options}
    labels = list(texts)
    wrong = [label for label in labels if label not in key.correct]
    right = Joined(key.correct)
    far = labels.index(right[-1]) - labels.index(right[0]) > 1
    yield {
        "right": right,
        "RIGHT": Joined(letter.upper() for letter in right),
        "wrong": wrong[0] if wrong else "",
        "many": form.pick == "many",
        "one": form.pick == "one",
        "text": texts[right[0]],
        "start": texts[right[0]][:24],
        "wrong_text": texts[wrong[0]] if wrong else "",
        "several": len(right) > 1,
        "all_right": len(right) == len(labels),
        "lines": "\n".join(f"{label}) {texts[label]}" for label in right),
        "bullets": "\n".join(f"- {label}) {texts[label]}" for label in right),
        "far": far,
        "bracketed": ", ".join(f"({label})" for label in right),
        "quoted": ", ".join(f'"{label}"' for label in right),
        "first": right[0],
        "last": right[-1],
        "two": len(right) == 2,
        "only_wrong": len(wrong) == 1,
        "is_none": re.match("(?:none|neither)\\b", texts[right[0]], re.I) is not None,
        "has_none": any(re.match("(?:none|neither|nothing)\\b", text, re.I) for text in texts.values()),
        "starts": len({text[:24] for text in texts.values()}) == len(texts),
        "verdicts": [(label, label in right) for label in labels],
    }


def of_order(question: Question) -> Iterator[Context]:
    form, key = question.form, question.key
    assert isinstance(form, OrderForm) and isinstance(key, OrderKey)
    texts = {item.label: to_plain(item.text) for item in form.items}
    right = Joined(key.order)
    wrong = Joined((right[1], right[0], *right[2:]))
    small = bool(re.search(r"\b(?:least|lowest|fewest|cheapest|shortest|smallest|fastest|innermost)\b", form.first))
    yield {
        "right": right,
        "RIGHT": Joined(letter.upper() for letter in right),
        "wrong": wrong,
        "small": small,
        "large": bool(
            re.search(r"\b(?:most|highest|largest|longest|greatest|slowest|latest|outermost|last)\b", form.first)
        ),
        "back": Joined(reversed(right)),
        "numbered": "\n".join(f"{place}. {label}" for place, label in enumerate(right, 1)),
        "lines": "\n".join(f"{label}) {texts[label]}" for label in right),
        "inline": " ".join(f"{place}) {label}" for place, label in enumerate(right, 1)),
        "bracketed": ", ".join(f"({label})" for label in right),
        "quoted": ", ".join(f'"{label}"' for label in right),
        "and_last": ", ".join(right[:-1]) + f" and {right[-1]}",
        "words": [texts[label] for label in right],
        "places": dict(enumerate(right, 1)),
        "letters": sorted(texts),
    }


def of_match(question: Question) -> Iterator[Context]:
    form, key = question.form, question.key
    assert isinstance(form, MatchForm) and isinstance(key, MatchKey)
    texts = {option.label: to_plain(option.text) for option in form.options}
    right = Pairs(key.pairs)
    letters = list(texts)
    wrong = Pairs({number: letters[(letters.index(letter) + 1) % len(letters)] for number, letter in right.items()})
    yield {
        "right": right,
        "RIGHT": Pairs({number: letter.upper() for number, letter in right.items()}),
        "wrong": wrong,
        "letters": Joined(right.values()),
        "back": Pairs({letter: number for number, letter in right.items()}),
        "one_to_one": len(set(right.values())) == len(right),
        "lines": "\n".join(f"{number}: {letter}) {texts[letter]}" for number, letter in right.items()),
        "first": next(iter(right)),
        "texts": {number: f"{letter}) {texts[letter]}" for number, letter in right.items()},
        "count": len(right),
    }


def of_code(question: Question) -> Iterator[Context]:
    form, key = question.form, question.key
    assert isinstance(form, CodeForm) and isinstance(key, CodeKey)
    names = [given.name for given in form.arguments]
    known = {repr(tuple(case.inputs[name] for name in names)): case.expected for case in key.cases if not case.raises}
    other = [f"x{place}" for place in range(len(names))]
    expected = {tuple(case.inputs[name] for name in names): case.expected for case in key.cases if not case.raises}
    yield {
        "function": lambda shape: live(shape, names, expected),
        "f": form.function,
        "args": ", ".join(names),
        "table": repr(known),
        "renamed": ", ".join(other),
        "get": f"known[repr(({', '.join(names)},))]",
        "get_renamed": f"known[repr(({', '.join(other)},))]",
        "typed": ", ".join(f"{name}: float" for name in names),
        "first": names[0],
        "defaults": ", ".join(f"{name}=1" for name in names),
        "raises": any(case.raises for case in key.cases),
        "numbers": all(isinstance(value, int | float) and not isinstance(value, bool) for value in known.values()),
    }


def of_bugline(question: Question) -> Iterator[Context]:
    form, key = question.form, question.key
    assert isinstance(form, BuglineForm) and isinstance(key, BuglineKey)
    right = {"line": key.line, "input": dict(key.witness), "fix": key.original_line}
    names = list(key.witness)
    yield {
        "hunt": lambda **changes: {**right, **changes},
        "json": json.dumps,
        **right,
        "shown": key.mutated_line,
        "f": form.function,
        "names": names,
        "other": next(
            row for row in range(2, len(form.listing) + 1) if row != key.line and not form.listing[row - 1].isspace()
        ),
        "once": sum(text.strip() == key.mutated_line for text in form.listing) == 1,
        "is_set": " = " in key.original_line and "==" not in key.original_line,
        "given": ", ".join(f"{name}={value!r}" for name, value in key.witness.items()),
        "times": key.original_line.replace(" * ", " × ").replace(" - ", " − "),
        "spaced": re.sub(r" ([*/+-]) ", r"\1", key.original_line),
        "right_side": key.original_line.partition(" = ")[2],
    }


def of_schedule(question: Question) -> Iterator[Context]:
    form, key = question.form, question.key
    assert isinstance(form, ScheduleForm) and isinstance(key, ScheduleKey)
    right = [line.partition(": ")[2].split() for line in key.lines]
    late = [[step for step in line if "F" in step] + [step for step in line if "F" not in step] for line in right]
    stuck = [[*line[1:], line[0]] for line in right]  # no stage runs F1 before its B1

    def turned(line: Sequence[str]) -> list[str]:
        """The number before its letter, as in 1F."""
        return [f"{step[1:]}{step[0]}" for step in line]

    def text(
        label: str = "stage {}: ",
        between: str = " ",
        line: str = "\n",
        steps: Any = right,
        step: str = "{}{}",
        first: int = 1,
    ) -> str:
        """A schedule with a label before each line, something between operations and between lines, and each operation in a shape."""
        return line.join(
            label.format(place) + between.join(step.format(name[0], name[1:]) for name in names)
            for place, names in enumerate(steps, first)
        )

    yield {
        "right": right,
        "late": late,
        "stuck": stuck,
        "text": text,
        "turned": [turned(line) for line in right],
        "from_zero": [[f"{step[0]}{int(step[1:]) - 1}" for step in line] for line in right] if form.chunks == 1 else [],
        "letters": [[step[0] for step in line] for line in right],
        "pairs": [[(step[0], *map(int, step[1:].split("."))) for step in line] for line in right],
        "runs": [runs(line) for line in right] if form.chunks == 1 else [],
        "chunks": form.chunks,
        "split": bool(form.weight),
    }


MEGATRON = {"tp": "--tensor-model-parallel-size", "pp": "--pipeline-model-parallel-size", "cp": "--context-parallel-size",
            "ep": "--expert-model-parallel-size", "recompute": "--recompute-granularity", "micro_batch": "--micro-batch-size"}  # fmt: skip
TITAN = {"tp": "parallelism.tensor_parallel_degree", "pp": "parallelism.pipeline_parallel_degree", "cp": "parallelism.context_parallel_degree",
         "dp": "parallelism.data_parallel_replicate_degree", "recompute": "activation_checkpoint.mode"}  # fmt: skip
SPOKEN = {"tp": "tensor parallel", "pp": "pipeline stages", "cp": "context parallel", "dp": "data parallel", "ep": "expert parallel",
          "recompute": "recomputation", "micro_batch": "micro-batch size"}  # fmt: skip


def of_layout(question: Question) -> Iterator[Context]:
    form, key = question.form, question.key
    assert isinstance(form, LayoutForm) and isinstance(key, LayoutKey)
    names = [axis.name for axis in form.axes]
    rows = grid.combinations(form)
    right = dict(zip(names, rows[key.solution], strict=True))
    bad = next(
        place
        for place in range(len(rows))
        if any(part.seen[place] != part.seen[key.solution] for part in key.constraints.values())
        and not correct(key, place)
    )

    def text(
        each: str = "{}={}", between: str = " ", of: Mapping[str, Any] = right, names: Mapping[str, str] = SPOKEN
    ) -> str:
        """Axes with their values; NAME stands for the capitals of an axis, SPOKEN for its words."""
        return between.join(
            each.replace("NAME", name.upper()).replace("SPOKEN", names.get(name, name)).format(name, value)
            for name, value in of.items()
        )

    yield {
        "right": right,
        "wrong": dict(zip(names, rows[bad], strict=True)),
        "text": text,
        "names": names,
        "megatron": MEGATRON,
        "titan": TITAN,
        "values": list(right.values()),
        "texts": [text(of={name: value}) for name, value in right.items()],
        "flags": {
            MEGATRON.get(name, "")[2:].replace("-", "_"): value for name, value in right.items() if name != form.follows
        },
        "sizes": {name: value for name, value in right.items() if isinstance(value, int)},
        "worded": {name: value for name, value in right.items() if isinstance(value, str)},
        "plain": {name: value for name, value in right.items() if name != "recompute"},
        "rest": {name: value for name, value in right.items() if name != form.follows},
        "gpus": form.number,
        "has": lambda *wanted: set(wanted) <= set(names),
        "known": set(names) <= set(SPOKEN),
        "free": [axis.name for axis in form.axes if not axis.options],
        "other": next(
            value
            for value in form.axes[0].options or (7 * int(rows[key.solution][0]),)
            if value != rows[key.solution][0]
        ),
        "listed": [axis.name for axis in form.axes if axis.options],
    }


def correct(key: LayoutKey, place: int) -> bool:
    """Whether a combination is right, by the credit that it earns."""
    return layout_credit(tuple(key.constraints.values()), place) == 1


def of_case(question: Question) -> Iterator[Context]:
    form = question.form
    assert isinstance(form, CaseForm)
    right, wrong, junk = {}, {}, {}
    for part, _, asked in questions_of(question):
        samples = part.its_kind.samples(asked)
        right[part.name] = next(one.raw for one in samples if one.outcome == "correct")
        wrong[part.name] = next((one.raw for one in samples if one.outcome == "incorrect"), "")
        junk[part.name] = next(one.raw for one in samples if one.outcome == "unreadable" and isinstance(one.raw, str))
    are_texts = all(isinstance(raw, str) and not set(raw) & set(";,\n={}") for raw in right.values())
    names = list(right)
    texts = Pairs({name: str(raw) for name, raw in right.items()})
    yield {
        "right": right,
        "texts": texts,
        "titled": Pairs({part.title: texts[part.name] for part in form.parts}),
        "upper": Pairs({name.upper(): text for name, text in texts.items()}),
        "spaced": Pairs({name.replace("_", " "): text for name, text in texts.items()}),
        "hyphened": Pairs({name.replace("_", "-"): text for name, text in texts.items()}),
        "quoted": Pairs({f'"{name}"': f'"{text}"' for name, text in texts.items()}),
        "ticked": Pairs({f"`{name}`": f"`{text}`" for name, text in texts.items()}),
        "bold": Pairs({f"**{name}**": text for name, text in texts.items()}),
        "parts": Pairs({f"Part {number}": text for number, text in enumerate(texts.values(), 1)}),
        "bulleted": "\n".join(f"- {name}: {text}" for name, text in texts.items()),
        "starred": "\n".join(f"* {name} = {text}" for name, text in texts.items()),
        "numbered": "\n".join(f"{number}. {text}" for number, text in enumerate(texts.values(), 1)),
        "brackets": "\n".join(f"{number}) {text}" for number, text in enumerate(texts.values(), 1)),
        "values": Joined(texts.values()),
        "json": json.dumps,
        "flat": are_texts,
        "wrong": wrong,
        "wrong_texts": Pairs({name: str(raw) for name, raw in wrong.items()}),
        "junk": Pairs(junk),
        "first": names[0],
        "last": names[-1],
        "second": names[1],
    }


def runs(line: Sequence[str]) -> list[str]:
    """A line with F1-3 for F1 F2 F3."""
    found: list[list[str]] = []
    for step in line:
        if found and found[-1][-1] == f"{step[0]}{int(step[1:]) - 1}":
            found[-1].append(step)
        else:
            found.append([step])
    return [run[0] if len(run) == 1 else f"{run[0]}-{run[-1][1:]}" for run in found]


class Negative(ValueError):
    """An error of a student's own."""


def live(shape: str, names: Sequence[str], expected: Mapping[tuple[Any, ...], Any]) -> Callable[..., Any]:
    """A right function as a notebook holds it, in many shapes."""

    def solved(*values: Any) -> Any:
        if values not in expected:
            raise (Negative if shape == "subclass" else ValueError)("no")
        return as_type(expected[values])

    types: Mapping[str, Callable[[Any], Any]] = {
        "numpy": np.float64, "fraction": Fraction, "decimal": lambda value: Decimal(repr(value)), "sympy": sympy.Float, "array": np.array,
    }  # fmt: skip
    as_type = types.get(shape, lambda value: value)
    given = [f"x{place}" for place in range(len(names))] if shape in ("renamed", "positional") else list(names)
    signatures = {
        "typed": ", ".join(f"{name}: float" for name in given), "defaults": ", ".join(f"{name}=1" for name in given), "starred": "*values",
        "keywords": "*, " + ", ".join(given), "positional": ", ".join(given) + ", /",
    }  # fmt: skip
    arguments = "*values" if shape == "starred" else ", ".join(given)
    namespace: dict[str, Any] = {"solved": solved}
    exec(f"def made({signatures.get(shape, ', '.join(given))}):\n    return solved({arguments})\n", namespace)
    made: Callable[..., Any] = namespace["made"]
    if shape == "lambda":
        made = eval(f"lambda {arguments}: solved({arguments})", namespace)
    if shape == "partial":
        return partial(made)
    return type("Solver", (), {"__call__": staticmethod(made)})() if shape == "callable" else made


CONTEXTS: Mapping[str, Callable[[Question], Iterator[Context]]] = {
    "quantity": of_quantity, "estimate": of_estimate, "formula": of_formula, "choice": of_choice, "order": of_order, "match": of_match, "code": of_code, "bugline": of_bugline,
    "schedule": of_schedule, "layout": of_layout, "case": of_case,
}  # fmt: skip
