"""An autograder as it is commonly written, with no isolation: it is here to be robbed. Never use it.

    python naive.py ROOM     grades every folder in ROOM/submitted, and writes ROOM/results

It does what autograders do: each notebook runs in a process of its own, with its hidden tests in the same process and the
key in a file next to it; that process writes the result; what was printed is pasted into a page. The limits on it are
there so that an attack in the open stays harmless.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import pickle
import re
import resource
import sys
import types
from pathlib import Path
from typing import Any

SECONDS = 8  # for one notebook
LIMITS = {"AS": 4 * 2**30, "CPU": 2, "FSIZE": 64 * 2**20, "CORE": 0}  # of one notebook; the grader has all but CPU
TOTAL = 8.0  # points of the set
KEY: dict[str, Any] = {}
NAMES: dict[str, Any] = {}
EARNED: list[float] = []


def main(room: Path) -> None:
    """Grade everything, and report as it goes."""
    import csv

    harmless("AS", "FSIZE", "CORE")
    (room / "results").mkdir(exist_ok=True)
    with (room / "results" / "grades.csv").open("w", newline="") as table:
        rows = csv.writer(table)
        for folder in sorted((room / "submitted").iterdir()):
            unpack(folder)
            for path in sorted(folder.glob("*.ipynb"))[:1]:
                print(path, end=": ", flush=True)
                report(folder, path, grade(room, folder, path), rows)
                table.flush()


def unpack(folder: Path) -> None:
    """Some hand in a zip."""
    import zipfile

    for path in folder.glob("*.zip"):
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                place = os.path.join(folder, name)
                os.makedirs(os.path.dirname(place), exist_ok=True)
                with open(place, "wb") as file:
                    file.write(archive.read(name))


def grade(room: Path, folder: Path, path: Path) -> dict[str, Any]:
    """What the notebook's process wrote about it."""
    import subprocess

    result = room / "results" / f"{folder.name}.json"
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(sys.path),
    }  # with -S Python starts in a third of the time
    with contextlib.suppress(subprocess.TimeoutExpired):
        command = [sys.executable, "-S", __file__, "notebook", str(room), str(folder), str(path), str(result)]
        subprocess.run(command, timeout=SECONDS, env=environment, check=False, preexec_fn=harmless)
    if not result.exists():
        return {"score": None, "answers": {}, "output": ""}
    return json.loads(result.read_text())  # type: ignore[no-any-return]


def harmless(*names: str) -> None:
    """Bounds for the sake of the machine that the tests run on."""
    for name in names or LIMITS:
        resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (LIMITS[name], LIMITS[name]))


def report(folder: Path, path: Path, result: dict[str, Any], rows: Any) -> None:
    """A line of the table, a page, a line on the terminal."""
    notebook = json.loads(path.read_text())
    name = notebook["metadata"]["shardwise"]["student"]
    answers = {slug: pickle.loads(bytes.fromhex(value)) for slug, value in result["answers"].items()}
    rows.writerow([folder.name, path.name, result["score"], *answers.values()])
    shown = [cell.get("source", "") for cell in notebook["cells"] if cell["cell_type"] == "markdown"]
    shown += [json.dumps(cell["attachments"]) for cell in notebook["cells"] if "attachments" in cell]
    outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", [])]
    shown += [str(output["data"].get("text/html")) for output in outputs]
    text = "\n".join([f"{name}, {path.name}: {result['score']}", result["output"], *map(str, answers.values()), *shown])
    text = re.sub(r"\[(.*?)\]\((.*?)\)", r'<a href="\2">\1</a>', text) if len(text) < 100_000 else text
    (folder / f"{name}.html").write_text(f"<html><body>{text}</body></html>")
    print(result["score"], result["output"][:200], flush=True)


# In the notebook's process --------------------------------------------------------------------------------------


def run(room: Path, folder: Path, path: Path, result: Path) -> None:
    """Run a notebook, its hidden tests included, and write what it earned."""
    place = (
        folder if (folder / "key.json").exists() else room
    )  # the nearest key, so that each exercise may have its own
    key = open(place / "key.json")  # noqa: SIM115  nobody closes it, as so often
    sys.path.insert(0, str(folder))  # for the modules that students bring along
    os.chdir(folder)
    notebook = json.loads(path.read_text())
    KEY.update(json.load(key)[notebook["metadata"]["shardwise"]["student"]])
    sys.modules["shardwise"] = types.ModuleType("shardwise")
    verbs = ("another", "check_all", "handed_out", "hint", "practice", "solution")
    vars(sys.modules["shardwise"]).update(dict.fromkeys(verbs, lambda *_, **__: None), check=check)
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        for cell in cells:
            try:
                exec("".join(cell["source"]), NAMES)
            except Exception:
                import traceback

                print(traceback.format_exc())
    checks = {cell["metadata"]["shardwise"].get("question") for cell in cells if role(cell) == "check"}
    possible = sum(question["points"] for question in KEY.values() if question["id"] in checks)
    answers = {slug: packed(NAMES[KEY[slug]["variable"]]) for slug in KEY if can_be_told(slug)}
    with open(result, "w") as file:
        json.dump(
            {"score": TOTAL * sum(EARNED) / (possible or 1), "answers": answers, "output": output.getvalue()}, file
        )


def role(cell: dict[str, Any]) -> str:
    return str(cell["metadata"].get("shardwise", {}).get("role", ""))


def can_be_told(slug: str) -> bool:
    """Whether an answer is there to be shown next to the points."""
    return KEY[slug]["kind"] in ("number", "choice") and NAMES.get(KEY[slug]["variable"], ...) is not ...


def packed(value: Any) -> str:
    """A value on its way to the report; as text if it cannot be taken as it is."""
    try:
        return pickle.dumps(value).hex()
    except Exception:
        return pickle.dumps(str(value)).hex()


def check(slug: str, **_: str) -> None:
    """The hidden test of a question."""
    question = KEY[slug]
    assert matches(NAMES[question["variable"]], question), f"{slug} is wrong"
    EARNED.append(question["points"])


def matches(value: Any, question: dict[str, Any]) -> bool:
    """Whether an answer is the one in the key."""
    expected = question["expected"]
    if question["kind"] == "function":
        return all(value(**case["inputs"]) == case["expected"] for case in expected)
    if question["kind"] == "formula":
        return all(abs(eval(value, {"M": 5, "N": n}) - eval(expected, {"M": 5, "N": n})) < 1e-9 for n in (2, 3, 8))
    if question["kind"] == "choice":
        return bool((value.strip().lower() if isinstance(value, str) else value) == expected)
    return close(value, expected)


def close(value: Any, expected: float) -> bool:
    """Whether a number is near enough; a text may be one, and an array too."""
    if isinstance(value, list) or hasattr(value, "__array__"):
        import numpy

        return bool(numpy.allclose(value, expected))
    if not isinstance(value, (int, float)):
        value = float(value)
    return not abs(value - expected) > 0.01 * max(abs(value), abs(expected))


if __name__ == "__main__":
    if sys.argv[1] == "notebook":
        run(*map(Path, sys.argv[2:]))
    else:
        main(Path(sys.argv[1]).resolve())
