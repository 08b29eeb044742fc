"""Labelled lists: options and items that a student names by letter."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from shardwise.errors import Unreadable
from shardwise.markdown.html import inline
from shardwise.markdown.plain import to_plain
from shardwise.question import Form

LETTERS = string.ascii_lowercase
LONGEST = 1000  # characters of an answer; options that were copied may be long
LOPSIDED = 0.7  # of the draws; an answer that is right in more of them can be given without reading the question
SHORTEST_PASTED = 8  # letters of an option that was copied in part
_BETWEEN = re.compile(
    r"\s*(?:[\s,;./&+|→⇒<>–—-]|=>|\b(?:and|then|before|followed by|comes before)\b)+\s*", re.IGNORECASE
)
_WITHOUT = re.compile(  # words before or between letters that mean nothing
    r"\b(?:(?:the |my )?(?:answers?|options?|choices?|letters?|order|solution|statements?)(?:\s+(?:is|are))?\s*:?|both|first|only|just"
    r"|I (?:think|guess|choose|pick|say)(?: it is)?|I'd say|it's|it is|(?:true|right|correct):|(?:is|are) (?:true|right|correct)|holds?)"
    r"(?=[\s(.!]|$)\s*",
    re.IGNORECASE,
)
_AROUND = " ()[]{}.:=!?,'\"*`“”‘’"
_LETTER = re.compile(r"\W*(?:option |answer )?([a-z])\W*[).:]\W*(?=\w)", re.IGNORECASE)
_LOOSE_LETTER = re.compile(r"\W*([a-z])\s+(?:[-–—]\s*)?(?=\w)", re.IGNORECASE)  # "b - The ring", "b The ring"
_VERDICT = r"(?:yes|no|not true|true|false|right|wrong|correct|incorrect|[tfyn✓✗])"
_DENIED = re.compile(  # words after a letter that retract it, or that are about other letters as well
    r"\A\W*(?:no|not|false|wrong|incorrect)\b|\b(?:no|not true|false|wrong|incorrect)\W*\Z|[\s,;(][a-j]\s*[):=]",
    re.IGNORECASE,
)


class Labelled(Form):
    """One line of a list, with the letter it is known by."""

    label: str
    text: str


def as_view(lines: Sequence[Labelled]) -> list[dict[str, str]]:
    """Return the lines for a front end, with their texts as HTML."""
    return [{"label": line.label, "html": inline(line.text)} for line in lines]


def label(texts: Sequence[str]) -> tuple[Labelled, ...]:
    """Return the texts, labelled a, b, c ..."""
    return tuple(Labelled(label=letter, text=text) for letter, text in zip(LETTERS, texts, strict=False))


def joined(lines: Sequence[Labelled]) -> str:
    """Return the lines joined into one sentence: only the last keeps its full stop."""
    texts = [f"**{line.label})** {line.text}" for line in lines]
    return "; ".join([*(text.removesuffix(".") for text in texts[:-1]), *texts[-1:]])


def as_list(lines: Sequence[Labelled]) -> str:
    """Return the list as Markdown."""
    return "\n".join(f"- **{line.label})** {line.text}" for line in lines)


def letters(raw: Any, known: Sequence[Labelled], example: str) -> list[str]:
    """Return the letters of an answer such as "b", "a & c", "b) The ring is faster", "BDAC" or ["a", "c"], in the order given.

    Raises Unreadable for anything else, and for a letter that is unknown or appears twice.
    """
    if isinstance(raw, str):
        if len(raw) > LONGEST:
            raise Unreadable(f"I couldn't read an answer of {len(raw):,} characters. Letters are enough: {example}")
        words = _words(raw, known)
    elif (
        isinstance(raw, list | tuple | set | frozenset)
        and all(isinstance(word, str) for word in raw)
        and len(raw) <= 50
    ):
        given = sorted(raw) if isinstance(raw, set | frozenset) else raw
        words = [one_letter(word, known) for word in given]
    else:
        raise Unreadable(
            f"I expected letters, but this is of type {type(raw).__name__}. An answer looks like “{example}”.",
            shows_example=True,
        )
    names = [line.label for line in known]
    strangers = [word[:20] for word in words if word not in names]
    if strangers or not words:
        seen = f"“{strangers[0]}”" if strangers else "no letter"
        raise Unreadable(
            f"I saw {seen} where one of the letters {', '.join(names)} belongs. An answer looks like “{example}”.",
            shows_example=True,
        )
    twice = sorted({word for word in words if words.count(word) > 1})
    if twice:
        raise Unreadable(f"“{twice[0]}” appears twice. An answer looks like “{example}”.", shows_example=True)
    return words


def in_every_draw(lines: Sequence[Labelled]) -> Mapping[str, str]:
    """Return lines by their labels as they read in every draw: without their numbers, if that leaves them distinct."""
    plain = {line.label: re.sub(r"\d(?:[\d.,\u202f]*\d)?", "N", line.text) for line in lines}
    return plain if len(set(plain.values())) == len(plain) else {line.label: line.text for line in lines}


def lopsided(rights: Sequence[tuple[str, ...]]) -> Iterator[tuple[str, str]]:
    """Yield a fault, and the remedy, if the right answer depends on the draw but one answer is right in most draws."""
    (answer, times), *others = Counter(rights).most_common() or [((), 0)]
    if others and times > LOPSIDED * len(rights):
        said = "; ".join(answer)
        yield (
            f"the same answer is right in {times} of {len(rights)} draws: {said[:80]}",
            "Change the parameters, or `where`, so that other answers are right as often.",
        )


def _words(raw: str, known: Sequence[Labelled]) -> list[str]:
    """Return the labels given, in lower case: one for each line, each part, or each letter of a word."""
    if (
        len(raw) == 1 and raw.isalpha()
    ):  # most answers; a letter is the label of a line even if another line consists of that letter
        return [raw.lower()]
    lines = [line for line in raw.splitlines() if line.strip()]
    pasted = [_pasted(line, known) for line in lines]
    if lines and None not in pasted:
        return [letter for letter in pasted if letter]
    parts = [part for part in _BETWEEN.split(_WITHOUT.sub("", raw.strip())) if part.strip(_AROUND)]
    words = [one_letter(part, known) for part in parts]
    words = [word for word in words if word]
    return list(words[0]) if len(words) == 1 and re.fullmatch(r"[a-z]+", words[0]) else words


def ticked(text: str, known: Sequence[Labelled]) -> list[str] | None:
    """Return the letters that a text such as "a: no, b: yes" answers with yes.

    None for any other text: a letter without yes or no might have been forgotten, so nothing is guessed.

    >>> ticked("a: no, b: yes", label(("first", "second"))), ticked("b: yes", label(("first", "second")))
    (['b'], None)
    """
    verdict = re.compile(rf"\(?([a-z])\)?(?:\s*[:=.–-]\s*|\s+)(?:is\s+)?({_VERDICT})(?![a-z])[\s,;.]*", re.IGNORECASE)
    found = verdict.findall(text)
    if verdict.sub("", text).strip() or sorted(name.lower() for name, _ in found) != [line.label for line in known]:
        return None
    return [name.lower() for name, said in found if said.lower() in ("yes", "true", "right", "correct", "t", "y", "✓")]


def one_letter(text: str, known: Sequence[Labelled]) -> str:
    """Return the letter that a text such as "(b)", "Option B" or "b) The ring is faster" names; the text itself if it names none."""
    if len(text) > LONGEST:
        return text[:20]
    plain = _WITHOUT.sub("", text.strip()).strip(_AROUND).lower()
    return plain if len(plain) == 1 and plain.isalpha() else _pasted(text, known) or plain


def _pasted(text: str, known: Sequence[Labelled]) -> str | None:
    """Return the letter of a line that was copied, completely or in part, with or without its letter.

    Raises Unreadable if the letter and the words belong to different lines.
    """
    letter = _LETTER.match(text)
    copied = text[letter.end() :] if letter else text
    words, meant = _bare(copied), _copied(copied, known)
    loose = None if letter or meant else _LOOSE_LETTER.match(text)
    if loose and (meant := _copied(text[loose.end() :], known)):
        letter = loose
    if letter and letter[1].lower() in [line.label for line in known]:
        own = letter[1].lower()
        if meant and own not in meant:
            raise Unreadable(f"The letter is {own}, but the words are those of {meant[0]}. Which one do you mean?")
        is_reasoned = len(words) >= SHORTEST_PASTED and not _DENIED.search(text[letter.end() :])
        return own if meant or is_reasoned else None
    return meant[0] if len(meant) == 1 else None


def _copied(text: str, known: Sequence[Labelled]) -> list[str]:
    """Return the letters of the lines whose text this is, completely or in part."""
    shown = _as_shown(text)
    whole = [line.label for line in known if _as_shown(line.text) == shown]
    if len(whole) == 1:  # lines may differ only in a sign: “bytes × 4”, “bytes ÷ 4”
        return whole
    words = _bare(text)
    return [line.label for line in known if words and _bare(line.text) == words] or [
        line.label for line in known if len(words) >= SHORTEST_PASTED and _bare(line.text).startswith(words)
    ]


def _as_shown(text: str) -> str:
    return " ".join(_without_article(to_plain(text)).split()).lower().rstrip(".")


def _bare(text: str) -> str:
    """Return the letters and digits of a text, to compare copied texts."""
    return re.sub(r"[\W_]+", "", _without_article(to_plain(text))).lower()


def _without_article(text: str) -> str:
    """Return a line without its first "the", which people omit."""
    return re.sub(r"\A\W*the\s+", "", text, flags=re.IGNORECASE)
