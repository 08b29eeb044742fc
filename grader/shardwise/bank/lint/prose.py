"""The lint of prose: finds sentences that are too long, and phrases that `prose.yaml` says to avoid."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from shardwise.bank.bank import Bank, Banks
from shardwise.bank.cpu_limit import TooLong, at_most
from shardwise.bank.files import PROSE, Avoided, adapter
from shardwise.bank.lesson import lesson_with_blank_lines
from shardwise.bank.lint.lint import chosen, with_bank
from shardwise.errors import Fault, Faulty
from shardwise.template.yaml_source import Source, load_yaml, validate

_OURS = Path(__file__).with_name(PROSE)
_NOT_PROSE = {  # keys of YAML files whose values are not sentences
    "params", "where", "source", "covers", "tags", "reference", "oracle", "stub", "when", "value", "id",
}  # fmt: skip
_SECONDS = 10.0  # of CPU time for a file; those of the shipped bank take a twentieth of a second at most
_BLOCK = re.compile(r"(?:[&!]\S*\s+)*[|>][-+1-9]*\s*(?:#.*)?")  # begins a text on the next line
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

    avoid: Sequence[Avoided]
    longest_sentence: int

    def findings(self, text: str) -> Iterator[tuple[int, str, str]]:
        """Yield what a text should avoid, in order, as its offset, a description and a remedy.

        Raises:  TooLong with the phrase whose search was interrupted.
        """
        plain = _BRANCH.sub(lambda found: "\n\n" + " " * (len(found[0]) - 2), text)
        plain = _LITERAL.sub(lambda found: re.sub(r"[^\n]", "_", found[0]), plain)
        found: list[tuple[int, str, str]] = []
        for rule in self.avoid:
            try:
                found += (
                    (match.start(), f"“{' '.join(match[0].split())}”", f"Write {rule.write}.")
                    for match in rule.pattern.finditer(plain)
                    if match[0]
                )
            except TooLong:
                raise TooLong(rule.avoid) from None
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
    return Style(
        [rule for each in read for rule in each.avoid],
        next(each.longest_sentence for each in reversed(read) if each.longest_sentence),
    )


def style_of(bank: Bank) -> Style:
    """Return the style of a bank, which may have a `problems/prose.yaml`. Raises Faulty if that cannot be read."""
    own = bank.lessons / PROSE
    return style(own) if _is_there(own) else style()


def _is_there(path: Path) -> bool:
    """Return whether a path exists, also as a link that leads nowhere, which is a fault and not a missing file."""
    return path.exists() or path.is_symlink()


def prose_faults(banks: Banks, only: Sequence[str] = ()) -> list[Fault]:
    """Return the faults in the prose of problems and their chapters' lessons, in the order of the files.

    Raises:  ShardwiseError if `only` names no problem, Faulty if a file cannot be read.
    """
    faults: list[Fault] = []
    named = chosen(banks, only)
    for bank in banks.all:
        try:
            found = list(_faults_in(bank, [name for its, name in named if its is bank]))
        except Faulty as error:
            raise Faulty(with_bank(banks, bank, error.faults)) from None
        faults += with_bank(banks, bank, found)
    return faults


def _faults_in(bank: Bank, names: Sequence[str]) -> Iterator[Fault]:
    """Yield the faults in these problems of a bank and in their chapters' files. Raises Faulty if a file cannot be read."""
    rules = style_of(bank)
    for chapter in dict.fromkeys(name.partition("/")[0] for name in names):
        lesson = f"problems/{chapter}/lesson.md"
        if _is_there(bank.lessons / chapter / "lesson.md"):
            yield from _in_time(lesson, text_faults(lesson, lesson_with_blank_lines(bank.lessons / chapter), rules))
        for source in _sources(bank, chapter, names):
            yield from _in_time(source.name, _yaml_faults(source, rules))


def _in_time(file: str, faults: Iterator[Fault]) -> list[Fault]:
    """Return the faults of a file. Raises Faulty if it takes too long to find them."""
    try:
        with at_most(_SECONDS):
            return list(faults)
    except TooLong as error:
        what, remedy = "the file", "Shorten it."
        if error.args:
            what = f"“{error.args[0]:.60}” of problems/{PROSE}"
            remedy = "Simplify this expression. Repeats inside of repeats, such as (a+)+, can take forever."
        raise Faulty([Fault(file, f"{what} takes more than {_SECONDS:g} seconds to check", remedy)]) from None


def _sources(bank: Bank, chapter: str, names: Sequence[str]) -> Iterator[Source]:
    yield load_yaml(bank.lessons / chapter / "chapter.yaml", f"problems/{chapter}/chapter.yaml")
    yield from (bank.problems[name].source for name in names if name.startswith(f"{chapter}/"))


def text_faults(name: str, text: str, rules: Style) -> Iterator[Fault]:
    """Yield the faults of a text file."""
    for offset, what, remedy in rules.findings(text):
        yield Fault(f"{name}:{text.count(chr(10), 0, offset) + 1}", what, remedy)


def _yaml_faults(source: Source, rules: Style) -> Iterator[Fault]:
    for path, (line, column) in sorted(source.places.items(), key=lambda place: place[1]):
        value = source.at(path)
        if not isinstance(value, str) or _NOT_PROSE & set(path) or not (_SENTENCE.search(value) or path == ("title",)):
            continue
        block = _BLOCK.fullmatch(source.text.splitlines()[line], column) is not None
        for offset, what, remedy in rules.findings(value):
            yield Fault(f"{source.name}:{line + 1 + block + value.count(chr(10), 0, offset)}", what, remedy)
