"""The lint of prose: finds sentences that are too long, and phrases that `prose.yaml` says to avoid."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from shardwise.bank.bank import Bank, Banks
from shardwise.bank.files import PROSE, adapter
from shardwise.bank.lesson import lesson_of
from shardwise.bank.lint.lint import chosen
from shardwise.errors import Fault
from shardwise.template.yaml_source import Source, load_yaml, validate

_OURS = Path(__file__).with_name(PROSE)
_NOT_PROSE = {  # keys of YAML files whose values are not sentences
    "params", "where", "source", "covers", "tags", "reference", "oracle", "stub", "when", "value", "id",
}  # fmt: skip
_LITERAL = re.compile(  # code, formulas and links: each counts as one word
    r"```.*?```|\$\$.*?\$\$|`[^`\n]+`|\$[^$]+\$|\{\{.*?\}\}|(?:\[[a-z0-9-]+)?\]\([^)\s]+\)|https?://\S+|<[^<>\n]+>",
    re.DOTALL,
)
_BRANCH = re.compile(r"\{%.*?%\}", re.DOTALL)  # a branch that depends on the draw
_APART = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*+]|\d+[.)]|\||#)\s?)")  # paragraphs, list items, rows of tables, headings
_END = re.compile(r"(?<=[.!?:])[*_”)\"]*\s+(?=[*“(\"]*[A-Z0-9_])")
_WORD = re.compile(r"[^\W_][\w'’×·/%-]*")
_SENTENCE = re.compile(r"[A-Za-z]+ [a-z]+ [a-z]+")  # three words in a row


@dataclass(frozen=True)
class Style:
    """Rules for prose: phrases to avoid, each with a replacement, and the longest sentence in words."""

    avoid: Sequence[tuple[re.Pattern[str], str]]
    longest_sentence: int

    def findings(self, text: str) -> Iterator[tuple[int, str, str]]:
        """Yield what a text should avoid, in order, as its offset, a description and a remedy."""
        plain = _BRANCH.sub(lambda found: "\n\n" + " " * (len(found[0]) - 2), text)
        plain = _LITERAL.sub(lambda found: re.sub(r"[^\n]", "_", found[0]), plain)
        found = [
            (match.start(), f"“{' '.join(match[0].split())}”", f"Write {write}.")
            for pattern, write in self.avoid
            for match in pattern.finditer(plain)
        ]
        for start, sentence in split_sentences(plain):
            if (words := count_words(sentence)) > self.longest_sentence:
                beginning = " ".join(text[start : start + 60].split())
                found.append((start, f"a sentence of {words} words: “{beginning} …”", "Split it."))
        yield from sorted(found)


def split_sentences(text: str) -> Iterator[tuple[int, str]]:
    """Yield the sentences of Markdown with their offsets, without tables and headings."""
    for start, block in _split(text, 0, _APART):
        if block.strip() and not block.lstrip().startswith(("|", "#")):
            yield from _split(block, start, _END)


def _split(text: str, offset: int, border: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    start = 0
    for found in border.finditer(text):
        yield offset + start, text[start : found.start()]
        start = found.end()
    yield offset + start, text[start:]


def count_words(sentence: str) -> int:
    """Count the words of a sentence; a formula, a value or a piece of code is one word."""
    return len(_WORD.findall(re.sub(r"_+", " x ", sentence)))


@cache
def style(*files: Path) -> Style:
    """Return the style of every bank, extended by these files. Raises Faulty if one cannot be read."""
    read = [validate(load_yaml(path, f"problems/{PROSE}"), adapter("prose")) for path in (_OURS, *files)]
    avoid = [(rule.pattern, rule.write) for each in read for rule in each.avoid]
    return Style(avoid, next(each.longest_sentence for each in reversed(read) if each.longest_sentence))


def style_of(bank: Bank) -> Style:
    """Return the style of a bank, which may have a `problems/prose.yaml`. Raises Faulty if that cannot be read."""
    own = bank.lessons / PROSE
    return style(own) if own.is_file() else style()


def prose_faults(banks: Banks, only: Sequence[str] = ()) -> list[Fault]:
    """Return the faults in the prose of problems and their chapters' lessons, in the order of the files.

    Raises:  ShardwiseError if `only` names no problem, Faulty if a file cannot be read.
    """
    faults: list[Fault] = []
    named = chosen(banks, only)
    for bank in banks.all:
        names = [name for its, name in named if its is bank]
        rules = style_of(bank)
        for chapter in dict.fromkeys(name.partition("/")[0] for name in names):
            if (bank.lessons / chapter / "lesson.md").is_file():
                faults += text_faults(f"problems/{chapter}/lesson.md", lesson_of(bank.lessons / chapter), rules)
            for source in _sources(bank, chapter, names):
                faults += _yaml_faults(source, rules)
    return faults


def _sources(bank: Bank, chapter: str, names: Sequence[str]) -> Iterator[Source]:
    yield load_yaml(bank.lessons / chapter / "chapter.yaml", f"problems/{chapter}/chapter.yaml")
    yield from (bank.problems[name].source for name in names if name.startswith(f"{chapter}/"))


def text_faults(name: str, text: str, rules: Style) -> Iterator[Fault]:
    """Yield the faults of a text file."""
    for offset, what, remedy in rules.findings(text):
        yield Fault(f"{name}:{text.count(chr(10), 0, offset) + 1}", what, remedy)


def _yaml_faults(source: Source, rules: Style) -> Iterator[Fault]:
    for path, (line, _) in sorted(source.places.items(), key=lambda place: place[1]):
        value = source.at(path)
        if not isinstance(value, str) or _NOT_PROSE & set(path) or not (_SENTENCE.search(value) or path == ("title",)):
            continue
        block = source.text.splitlines()[line].rstrip().endswith(("|", "|-", ">", ">-"))
        for offset, what, remedy in rules.findings(value):
            yield Fault(f"{source.name}:{line + 1 + block + value.count(chr(10), 0, offset)}", what, remedy)
