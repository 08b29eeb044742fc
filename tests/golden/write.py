"""What the first questions of every problem were: a digest of each part of them, so that no change goes unnoticed.

    python tests/golden/write.py    # takes today's questions for right, and prints what changed; say why in CHANGELOG.md

questions.txt has the id of each problem, and below it a line for each seed with a digest for each part.
"""

from __future__ import annotations

import base64
import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("questions.txt")
SEEDS = range(20)
PARTS = ("text", "form", "key", "hints", "solution", "points")
_WIDTH = 4  # characters, six bits each: a change goes unnoticed once in 16 million

Digests = Mapping[str, Sequence[str]]  # of every problem, a line for each seed


def digest(parts: Mapping[str, Any]) -> str:
    """A line: the digests of the parts, one after the other."""
    return "".join(_short(parts[name]) for name in PARTS)


def _short(value: Any) -> str:
    written = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return base64.urlsafe_b64encode(hashlib.sha256(written.encode()).digest())[:_WIDTH].decode()


def today(problem: Any) -> list[str]:
    """The lines of a problem as it is drawn now."""
    from shardwise.bank.posing import pose
    from shardwise.kinds import text_of

    questions = [pose(problem, seed) for seed in SEEDS]
    return [digest({**json.loads(question.model_dump_json()), "text": text_of(question)}) for question in questions]


def differences(name: str, before: Sequence[str], now: Sequence[str]) -> str:
    """Which parts of a problem's questions changed, and for which seeds; nothing when none did."""
    pairs = [(seed, old, new) for seed, old, new in zip(SEEDS, before, now, strict=True) if old != new]
    parts = [
        part for place, part in enumerate(PARTS) if any(_part(old, place) != _part(new, place) for _, old, new in pairs)
    ]
    if not pairs:
        return ""
    seeds = "every seed" if len(pairs) == len(SEEDS) else f"seeds {', '.join(str(seed) for seed, _, _ in pairs)}"
    return f"{name}: {', '.join(parts)} changed for {seeds}"


def _part(line: str, place: int) -> str:
    return line[place * _WIDTH : (place + 1) * _WIDTH]


def read() -> dict[str, list[str]]:
    """The digests that are kept."""
    found: dict[str, list[str]] = {}
    for line in FILE.read_text("ascii").splitlines():
        if "/" in line:
            found[line] = []
        else:
            found[next(reversed(found))].append(line)
    return found


def write(digests: Digests) -> None:
    """Keep these digests."""
    FILE.write_text(
        "".join(f"{name}\n" + "".join(f"{line}\n" for line in lines) for name, lines in digests.items()), "ascii"
    )


def changes(before: Digests, now: Digests) -> list[str]:
    """What differs, a line for each problem."""
    new = [f"{name}: new" for name in now if name not in before]
    gone = [f"{name}: gone" for name in before if name not in now]
    both = (differences(name, before[name], now[name]) for name in now if name in before)
    return [*new, *gone, *(line for line in both if line)]


def main() -> None:
    """Write today's digests."""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from checkout import checkout_bank

    before = read() if FILE.exists() else {}
    now = {name: today(problem) for name, problem in checkout_bank().problems.items()}
    write(now)
    print("\n".join(changes(before, now)) or "nothing changed")


if __name__ == "__main__":
    main()
