"""The page docs/planner.md: tables of errors, plots, constants, and where and why the planner fails."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from shardwise.template.yaml_source import load_yaml

from . import calibrate, planned, predictors, scores
from .predictions import Predictor, Row, Silent
from .runs import Runs

REASONS = Path(__file__).with_name("reasons.yaml")
CONSTANTS = Path(__file__).parents[2] / "solutions" / "planner" / "constants.yaml"
_BAD = 0.25  # an error of step time that the page explains

HEAD = """# The planner beside published runs

`solutions/planner/judging.py` predicts memory and step time of a layout. This page compares it with {count} published training runs
([bench/planner/runs.yaml](../bench/planner/runs.yaml), each with its source), beside a spreadsheet and two other models of training runs.
`make planner` writes it. The planner has one set of constants for all runs: per chip, and per generation of software where a
source names that. Most of them are fitted on these runs together, none on a single one. So each table says which errors are of runs that the fit
had not seen, and those come first. Errors are |predicted / printed − 1|, shown as median / 90th percentile.

A source prints time or tokens a second, and then those are compared. Where it prints TFLOP/s or MFU alone, what its FLOP count is used to
convert them ([conventions](../bench/planner/printed.py)). {both} rows print a rate and a time; on {agree} of them the two agree within 1.5 %.

To score another file of the same format: `python -m bench.planner --runs FILE`.

## Use

```bash
shardwise plan --model llama3-405b --cluster h100-16384 --tp 8 --pp 16 --tokens 15.6T --price 2   # memory, step, MFU, days, dollars
shardwise plan --model llama3-70b --cluster h100-256 --search --max-tp 8 --memory "70 GB"         # the best layouts, and memory against MFU
shardwise plan --model llama3-8b --cluster h100-64 --zero 3 --emit torchtitan > train.toml        # or: --emit megatron
shardwise plan --file mine.yaml --json                                                            # numbers of your own, for scripts
```

In a notebook `planner("llama3-70b", "h100-512", tp=8, pp=4)` is the same as a form: sliders for the layout, bars for memory and for what becomes
of the peak, the pipeline, and a search whose points are loaded by a click. Without a layout it begins with one that fits.

A remark names single changes of the layout, on the same GPUs, that help: each was planned as well, and stands there with what it gives. Where a layout
cannot run, the remark names the changes with which it does.

Names are read whatever their case, dots and dashes. What a layout leaves out has its usual value, and DP follows from the GPUs. The exit code is 1 for
a layout that cannot run or does not fit. A search keeps what is given of a layout. Under each plan stands what it counts otherwise than the lessons do: the room that the driver of a card reports
(85.5 GB of an H100, where the lessons count 80), gradients as the software keeps them (mostly 4 bytes, where 16 bytes a parameter have 2), and MFU with
all pairs of attention's scores, over the dense BF16 peak whatever the precision. Settings are written for Megatron-LM core_v0.15.0 and TorchTitan v0.2.2;
what these have no setting for is refused. A file has any of these parts, and options count before it:

```yaml
model: {{layers: 24, hidden: 2048, ffn_hidden: 8192, heads: 16, kv_heads: 16, vocabulary: 50304}}   # or a name
cluster: {{accelerator: a100, gpus: 32, gpus_per_node: 8, network_bytes_per_s: 25 GB/s}}            # or a name, such as a100-32
layout: {{tp: 2, recompute: full}}
batch: {{global_batch: 256, sequence: 2048}}
tokens: 300.0e+9
price: 1.5
```
"""


def written_page(runs: Runs, rows: Sequence[Row], silent: Sequence[Silent], kept: Mapping[str, Any]) -> str:
    """The whole page."""
    models = predictors.models(runs, kept["answers"])
    planner = planned.predictor(runs)
    both, agree = scores.self_consistency(rows, runs)
    parts = [
        HEAD.format(count=len(runs.rows), both=both, agree=agree),
        "## Step time\n",
        _step_time(rows, models),
        "![Two scatter plots of predicted against printed step time, from half a second to a thousand seconds, with lines at 25 % either side. "
        "Dense runs lie along the diagonal on all four generations of chips; mixtures of experts scatter more.](planner-step-time.png)\n",
        "## Memory, and whether it fits\n",
        _memory(rows, models),
        "The planner's constants of memory (context_bytes, group_bytes, cache, working and update_bytes, below) were fitted on the rows "
        "that print memory, and none was held out: its errors of memory are of what it has seen. Whether runs fit was watched while the formulas took "
        "shape, so that is no test on unseen runs either. The others' memory is as they ship.\n",
        "![Left: predicted against printed memory of a GPU, by how the source measured it. Right: predicted memory over the card's, for runs that "
        "ran and for layouts that ran out of memory; a line stands at 1.](planner-memory.png)\n",
        "## By family\n",
        "The first column is of runs whose family the fit had not seen; every other one is of what its fit has seen, where it has a fit.\n",
        _grouped(rows, models, lambda row: row.run.family, unseen=_families_left_out()),
        "## By chip\n",
        "All of these are of runs that the fits have seen.\n",
        _grouped(rows, models, lambda row: row.run.chip),
        _peers(kept, rows),
        _constants(),
        _failures(rows, planner),
        _assumptions(rows, silent, planner),
    ]
    return "\n".join(parts)


def _step_time(rows: Sequence[Row], models: Sequence[predictors.Model]) -> str:
    named = [(f"{model.name}, fitted: {model.fit}", model) for model in models]
    lines = ["| runs | " + " | ".join(name for name, _ in named) + " |", "|---|" + "---|" * len(named)]
    predicted = [(model, scores.step_errors(rows, model.fit_to(rows))) for _, model in named]
    unseen = calibrate.left_out()
    for kind in ("dense", "MoE"):
        best = [row for row in rows if scores.part(row) == f"A {kind}"]
        for words, key, errors_of in (
            ("the family left out of the fit", "family", scores.leave_one_family_out),
            ("fitted on one half, tested on the other", "half", scores.fit_half_test_half),
        ):
            ours = [unseen[kind][key][row.run.id] for row in best if row.run.id in unseen[kind][key]]
            cells = [_shown(ours)] + [_shown(list(errors_of(best, model.fit_to).values())) for _, model in named[1:]]
            lines.append(f"| A {kind}, {words} | " + " | ".join(cells) + " |")
    for part in ("A dense", "B dense", "A MoE", "B MoE"):
        chosen = {row.run.id for row in rows if scores.part(row) == part}
        cells = [_shown([error for name, error in errors.items() if name in chosen]) for _, errors in predicted]
        lines.append(f"| {part}, which the fit has seen | " + " | ".join(cells) + " |")
    lines.append(
        f"\nThe planner's errors on families and halves that its fit had not seen are of {unseen['date']}, by `{unseen['command']}`: the "
        "constants move as the rest of the runs pull them, to first order, and everything is predicted anew with them. For MPT, InternEvo and "
        "torchtitan that was compared with fits from the start; no row was more than 0.5 percentage points apart. What is held out is the fit: "
        "the form of the formulas and the software of each run were chosen with all runs in view."
    )
    return "\n".join(lines) + "\n"


def _memory(rows: Sequence[Row], models: Sequence[predictors.Model]) -> str:
    named = list({model.name: model for model in models if model.name != "spreadsheet"}.values())
    lines = ["| what | " + " | ".join(model.name for model in named) + " |", "|---|" + "---|" * len(named)]
    predicted = [model.fit_to(rows) for model in named]
    kinds = Counter(row.run.mem_kind for row in rows if row.run.mem_kind)
    for kind in [None, *kinds]:
        chosen = [row for row in rows if kind in (None, row.run.mem_kind)]
        cells = [_shown(list(scores.memory_errors(chosen, predict).values())) for predict in predicted]
        lines.append(f"| memory, {kind or 'all'} | " + " | ".join(cells) + " |")
    fits = [scores.fit(rows, predict) for predict in predicted]
    lines.append(
        "| runs that ran, and print micro-batch and recomputation, said to fit | "
        + " | ".join(f"{fit.ran_right} of {fit.ran}" for fit in fits)
        + " |"
    )
    lines.append(
        "| layouts that ran out of memory, said not to fit | "
        + " | ".join(f"{fit.oom_right} of {fit.oom}" for fit in fits)
        + " |"
    )
    lines.append("| fit or not, balanced | " + " | ".join(f"{fit.balanced:.0%}" for fit in fits) + " |")
    return "\n".join(lines) + "\n"


def _families_left_out() -> dict[str, float]:
    """The planner's error on each run whose family its fit had not seen."""
    kept = calibrate.left_out()
    return {name: error for kind in ("dense", "MoE") for name, error in kept[kind]["family"].items()}


def _grouped(
    rows: Sequence[Row], models: Sequence[predictors.Model], key: Callable[[Row], str],
    unseen: Mapping[str, float] | None = None,
) -> str:  # fmt: skip
    names = [f"{model.name}, {model.fit.partition(':')[0]}" for model in models]
    errors = [scores.step_errors(rows, model.fit_to(rows)) for model in models]
    if unseen is not None:
        names, errors = [f"{models[0].name}, the family left out", *names], [dict(unseen), *errors]
    lines = ["| | runs | " + " | ".join(names) + " |", "|---|---|" + "---|" * len(names)]
    predicted = [scores.grouped(rows, each, key) for each in errors]
    timed = Counter(key(row) for row in rows if row.step_s is not None)
    for group, count in sorted(timed.items(), key=lambda item: (-item[1], item[0])):
        cells = [_of(score[group], count) if group in score else "—" for score in predicted]
        lines.append(f"| {group} | {count} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _peers(kept: Mapping[str, Any], rows: Sequence[Row]) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in kept["versions"].items())
    lines = [
        "## The peers\n",
        f"{versions}, asked by `{kept['command']}` on {kept['date']}; their answers are kept in "
        "[bench/planner/peers/answers.json](../bench/planner/peers/answers.json). llm-analysis comes from the package index, Calculon from a "
        "pinned commit of its repository (network needed, or a copy of it named in the variable CALCULON). What they lack is given to them in the way "
        "that favours them: a third MLP matrix as half as much width again, context parallelism to llm-analysis as a share of each sequence. "
        "llm-analysis has no bubble and asks for its efficiency; it gets the one constant that makes its mean error smallest. Calculon brings "
        "its own efficiencies with its systems A100-80GB and H100-80GB.\n",
        "| not answered | rows | why |",
        "|---|---|---|",
    ]
    asked = {row.run.id for row in rows}
    for name, answers in kept["answers"].items():
        why = Counter(said["why"] for row, said in answers.items() if row in asked and "why" in said)
        lines += [
            f"| {name} | {count} | {reason.replace('|', '/')} |"
            for reason, count in sorted(why.items(), key=lambda item: (-item[1], item[0]))
        ]
    return "\n".join(lines) + "\n"


def _constants() -> str:
    text = CONSTANTS.read_text("utf-8").strip()
    return (
        "## Constants\n\nChips and links are in [solutions/facts/hardware.yaml](../solutions/facts/hardware.yaml), each figure with source and date; which "
        "network joined the servers of a run in [solutions/planner/names.yaml](../solutions/planner/names.yaml), where a source does not print it; "
        "which software it used in [bench/planner/stacks.py](../bench/planner/stacks.py); what a fit may move in "
        "[bench/planner/calibration.yaml](../bench/planner/calibration.yaml). The rest is "
        f"[solutions/planner/constants.yaml](../solutions/planner/constants.yaml), as it is today:\n\n```yaml\n{text}\n```\n"
    )


def _failures(rows: Sequence[Row], planner: Predictor) -> str:
    errors = scores.step_errors(rows, planner)
    known = reasons()
    lines = [
        "## Where it fails\n",
        f"Every run whose step time is more than {_BAD:.0%} off, or that the planner says nothing about:\n",
        "| run | trust | printed s | predicted s | error | why |",
        "|---|---|---|---|---|---|",
    ]
    for row in sorted(rows, key=lambda row: -abs(errors.get(row.run.id, 9))):
        said = planner(row)
        if row.step_s is not None and abs(errors.get(row.run.id, 9)) > _BAD:
            told = f"{said.step_s:.3g} | {errors[row.run.id]:+.0%}" if said.step_s else "— | —"
            why = said.why or known.get(row.run.id) or known.get(row.run.family, "")
            lines.append(f"| {row.run.id} | {row.run.trust} | {row.step_s:.4g} | {told} | {why} |")
    memory = scores.memory_errors(rows, planner)
    lines += ["", "And every printed memory that is more than 25 % off, or fit that is judged wrongly:\n",
              "| run | printed GB | predicted GB | fits | why |", "|---|---|---|---|---|"]  # fmt: skip
    for row in rows:
        said = planner(row)
        wrong_fit = row.tests_fit and said.fits is not None and said.fits != row.fitted
        if abs(memory.get(row.run.id, 0)) > _BAD or wrong_fit:
            printed = f"{row.memory_bytes / 1e9:.1f}" if row.memory_bytes else "—"
            ran = "ran" if row.fitted else "out of memory"
            judged = ran + (f", said {'to fit' if said.fits else 'not to fit'}" if wrong_fit else "")
            why = known.get(f"{row.run.id} memory") or known.get(f"{row.run.family} memory", "")
            lines.append(f"| {row.run.id} | {printed} | {(said.counted_bytes or 0) / 1e9:.1f} | {judged} | {why} |")
    return "\n".join(lines) + "\n"


def _assumptions(rows: Sequence[Row], silent: Sequence[Silent], planner: Predictor) -> str:
    assumed = Counter(words for row in rows for words in (*row.setting.assumed, planner(row).assumed) if words)
    lines = ["## What had to be assumed, and what cannot be compared\n",
             "A figure that a source does not print is not filled in silently. These were assumed for a prediction:\n",
             "| assumption | rows |", "|---|---|"]  # fmt: skip
    lines += [
        f"| {words} | {count} |" for words, count in sorted(assumed.items(), key=lambda item: (-item[1], item[0]))
    ]
    lines += ["", "Of these rows nothing can be said:\n", "| run | why |", "|---|---|"]
    lines += [f"| {each.run.id} | {each.reason} |" for each in silent]
    return "\n".join(lines) + "\n"


def _shown(errors: Sequence[float]) -> str:
    return _of(scores.Score.of(errors), len(errors), counted=True)


def _of(score: scores.Score, count: int, *, counted: bool = False) -> str:
    if not score.count:
        return "—"
    rows = f" ({score.count})" if counted or score.count != count else ""
    return f"{score.median:.1%} / {score.p90:.0%}{rows}"


@cache
def reasons() -> dict[str, str]:
    """Why the planner fails, by run or family, in reasons.yaml."""
    return dict(load_yaml(REASONS).data or {})
