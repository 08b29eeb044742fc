"""The tables of docs/planner.md: what to expect, ranges, fit, and errors by family and chip next to other models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from solutions.planner.ranges import KINDS, kind_of_run
from solutions.planner.stacks import KNOWLEDGE

from . import planned, predictors, scores
from .predictions import Row
from .runs import Runs

MEASURED = {
    "nvidia-smi": "as reported by nvidia-smi",
    "peak": "peak on the most loaded rank",
    "torch-gib-max": "peak reserved by PyTorch, most loaded rank",
    "torch-gib": "peak reserved by PyTorch",
    "gpu-memory": "tool not reported",
}
KNOWN = {"row": "named with its year", "framework": "only the framework is named", "unknown": "unknown"}
KIND_WORDS = dict(zip(KINDS, ("dense", "mixture of experts", "mixture, experts across nodes"), strict=True))
SPLITS = {  # of rows into those that a fit sees and those that it predicts: words, and the errors on the latter
    "family": ("family held out of the fit", scores.leave_one_family_out),
    "half": ("fitted to one half, tested on the other", scores.fit_half_test_half),
}
Model = predictors.Model
Errors = Mapping[str, float]  # by row


def table(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    return "\n".join(f"| {' | '.join(line)} |" for line in (heads, ["---"] * len(heads), *lines)) + "\n"


def shown(errors: Sequence[float]) -> str:
    """Return the median and the 90th percentile of errors, with their number."""
    score = scores.Score.of(errors)
    return f"{score.median:.1%} / {score.p90:.0%} ({score.count})" if score.count else "—"


def kind_errors(
    rows: Sequence[Row], runs: Runs, kept: Mapping[str, Any], refused: Mapping[str, str]
) -> dict[tuple[str, str], list[float]]:
    """Return the held-out errors of step time by kind of run and knowledge of the software, over rows of trust A."""
    found: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        if row.run.trust == "A" and row.run.id in kept["software"]["row"]:
            inputs = () if row.run.id in refused else planned.arguments(row, runs)[:3]
            kind = kind_of_run(*inputs) if inputs else "mixture" if row.shape.is_moe else "dense"
            for state, errors in kept["software"].items():
                if row.run.id in errors:
                    found.setdefault((kind, state), []).append(errors[row.run.id])
    return found


def expected(errors: Mapping[tuple[str, str], Sequence[float]], kept: Mapping[str, Any]) -> str:
    """Return the expected errors and ranges of step time and memory on unseen runs, by what is known."""
    coverage = {(entry["figure"], *entry["cell"]): entry for entry in kept["coverage"] if entry["trust"] == "A"}
    lines = []
    for kind in KINDS:
        for state in KNOWLEDGE:
            entry = coverage.get(("step time", "published", state, kind))
            if entry and errors.get((kind, state)):
                lines.append([f"step time, {KIND_WORDS[kind]}", KNOWN[state], *_line(errors[kind, state], entry)])
    lines.append(
        ["peak memory per GPU", KNOWN["row"], *_line(kept["memory"]["family"].values(), coverage["memory", "known"])]
    )
    heads = (
    "figure", "software", "runs", "median error", "90th percentile", "range", "runs in their range",
    "mean over families",
)  # fmt: skip
    return table(heads, lines)


def _line(errors: Iterable[float], entry: Mapping[str, Any]) -> list[str]:
    score = scores.Score.of(errors)
    share = f"{entry['of_runs']:.0%} of {entry['runs']}"
    return [str(score.count), f"{score.median:.1%}", f"{score.p90:.0%}", f"× or ÷ {entry['factor']:.2f}", share,
            f"{entry['of_families']:.0%} of {entry['families']}"]  # fmt: skip


def other_coverage(kept: Mapping[str, Any]) -> str:
    """Return the coverage of ranges in further states: chips without published runs, layouts reported in part, unknown software."""
    lines = []
    for entry in kept["coverage"]:
        cell = entry["cell"]
        if entry["trust"] == "A" and cell[0] in ("published", "known"):
            continue
        what = f"step time, {KIND_WORDS[cell[2]]}" if len(cell) == 3 else entry["figure"]
        chip = {"published": "published runs", "new": "held out"}.get(cell[0], "—")
        software = KNOWN[cell[1]] if len(cell) == 3 else KNOWN["row" if cell[0] == "known" else "unknown"]
        lines.append([what, chip, software, "whole" if entry["trust"] == "A" else "in part", f"{entry['factor']:.2f}",
                      f"{entry['of_runs']:.0%} of {entry['runs']}", f"{entry['of_families']:.0%} of {entry['families']}"])  # fmt: skip
    heads = (
    "figure", "chip", "software", "layout reported", "factor", "runs in their range", "mean over families or chips",
)  # fmt: skip
    return table(heads, lines)


def fits(rows: Sequence[Row], models: Sequence[Model], kept: Mapping[str, Any]) -> str:
    """Return the verdicts on fit of each model, and their balanced accuracy."""
    named = [("shardwise, family held out", scores.fit_of(rows, kept["fit"]))]
    named += [(model.name, scores.fit(rows, model.fit_to(rows))) for model in with_memory(models)]
    lines = []
    for name, fit in named:
        cells = [str(counts.get(verdict, 0)) for counts in (fit.ran, fit.oom) for verdict in ("yes", "tight", "no")]
        lines.append([name, *cells, f"{fit.balanced:.1%}"])
    heads = (
    "", "ran: yes", "ran: tight", "ran: no", "out of memory: yes", "out of memory: tight", "out of memory: no",
    "balanced accuracy",
)  # fmt: skip
    return table(heads, lines)


def with_memory(models: Sequence[Model]) -> list[Model]:
    """Return the models that predict memory, one per name: a fit of step times does not change predicted memory."""
    return list({model.name: model for model in models if model.name != "spreadsheet"}.values())


def held_out(
    rows: Sequence[Row], models: Sequence[Model], kept: Mapping[str, Any]
) -> dict[tuple[str, str], list[list[float]]]:
    """Return, by kind of model and split, the errors of each predictor on rows of trust A that its fit has not seen."""
    found = {}
    for kind in ("dense", "MoE"):
        best = [row for row in rows if scores.part(row) == f"A {kind}"]
        for split, (_, errors_of) in SPLITS.items():
            ours = [kept[kind][split][row.run.id] for row in best if row.run.id in kept[kind][split]]
            found[kind, split] = [ours, *(list(errors_of(best, model.fit_to).values()) for model in models[1:])]
    return found


def seen(rows: Sequence[Row], models: Sequence[Model]) -> list[Errors]:
    """Return each model's step-time errors on rows that its fit has seen; refusals of the planner are misses, those of peers are omitted."""
    return [scores.step_errors(rows, model.fit_to(rows), _refused(model)) for model in models]


def step_time(
    rows: Sequence[Row],
    models: Sequence[Model],
    unseen: Mapping[tuple[str, str], list[list[float]]],
    fitted: Sequence[Errors],
) -> str:
    """Return the errors of step time of each model, held out and seen by the fit."""
    lines = [[f"{kind}, trust A: {SPLITS[split][0]}", *map(shown, errors)] for (kind, split), errors in unseen.items()]
    for part in ("A dense", "B dense", "A MoE", "B MoE"):
        chosen = {row.run.id for row in rows if scores.part(row) == part}
        trust, _, kind = part.partition(" ")
        lines.append([f"{kind}, trust {trust}: seen by the fit", *(_of_rows(errors, chosen) for errors in fitted)])
    return table(["runs", *(f"{model.name}: {model.fit}" for model in models)], lines)


def memory_errors(rows: Sequence[Row], models: Sequence[Model]) -> dict[str, Errors]:
    """Return the errors of memory by model; refusals of the planner are misses, those of peers are omitted."""
    return {
        model.name: scores.memory_errors(rows, model.fit_to(rows), _refused(model)) for model in with_memory(models)
    }


def memory(rows: Sequence[Row], predicted: Mapping[str, Errors], kept: Mapping[str, Any]) -> str:
    """Return the errors of memory of each model, by the tool that measured it; the planner's also with the family held out."""
    kinds = dict.fromkeys(row.run.mem_kind for row in rows if row.run.mem_kind)
    lines = []
    for kind in (None, *kinds):
        chosen = {row.run.id for row in rows if kind in (None, row.run.mem_kind)}
        cells = [_of_rows(errors, chosen) for errors in (kept["memory"]["family"], *predicted.values())]
        lines.append([f"memory, {MEASURED.get(kind, kind) if kind else 'all runs'}", *cells])
    return table(["prediction", "shardwise: family held out", *predicted], lines)


def _refused(model: Model) -> float | None:
    return scores.MISS if model.name == predictors.OURS else None


def _of_rows(errors: Errors, chosen: set[str]) -> str:
    return shown([error for name, error in errors.items() if name in chosen])


def grouped(
    rows: Sequence[Row],
    models: Sequence[Model],
    fitted: Sequence[Errors],
    key: Callable[[Row], str],
    unseen: Errors | None = None,
) -> str:
    """Return the errors of step time of each model by group of rows, the largest group first."""
    names, errors = [f"{model.name}: {model.fit}" for model in models], list(fitted)
    if unseen is not None:
        names, errors = [f"{models[0].name}: family held out", *names], [unseen, *errors]
    predicted = [scores.grouped(rows, each, key) for each in errors]
    timed = Counter(key(row) for row in rows if row.step_s is not None)
    lines = []
    for group, count in sorted(timed.items(), key=lambda item: (-item[1], item[0])):
        cells = [_of(score[group], count) if group in score else "—" for score in predicted]
        lines.append([group, str(count), *cells])
    return table(["", "runs", *names], lines)


def _of(score: scores.Score, count: int) -> str:
    rows = f" ({score.count})" if score.count != count else ""
    return f"{score.median:.1%} / {score.p90:.0%}{rows}"


def against(rows: Sequence[Row], name: str, answers: Mapping[str, Mapping[str, Any]], kept: Mapping[str, Any]) -> str:
    """Return the errors of one peer, and of the planner with the family held out, on the rows of each chip that the peer supports."""
    chosen = [row for row in rows if "step_s" in answers.get(row.run.id, {})]
    families = {**kept["dense"]["family"], **kept["MoE"]["family"]}
    lines = []
    for chip in sorted({row.run.chip for row in chosen}):
        of_chip = [row for row in chosen if row.run.chip == chip]
        timed = [row for row in of_chip if row.step_s and row.run.id in families]
        sized = [row for row in of_chip if row.memory_bytes and row.run.id in kept["memory"]["family"]]
        theirs = [answers[row.run.id]["step_s"] / (row.step_s or 1) - 1 for row in timed]
        held = [answers[row.run.id]["memory_bytes"] / (row.memory_bytes or 1) - 1 for row in sized]
        lines.append([chip, shown(theirs), shown([families[row.run.id] for row in timed]), shown(held),
                      shown([kept["memory"]["family"][row.run.id] for row in sized])])  # fmt: skip
    return table(("chip", f"step time: {name}", "step time: shardwise", f"memory: {name}", "memory: shardwise"), lines)
