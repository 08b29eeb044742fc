"""The page docs/planner.md: tables of errors, plots, the constants, and the runs that the planner gets wrong."""

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
_MEASURED = {
    "nvidia-smi": "as reported by nvidia-smi",
    "peak": "peak on the most loaded rank",
    "torch-gib-max": "peak reserved by PyTorch, most loaded rank",
    "torch-gib": "peak reserved by PyTorch",
    "gpu-memory": "tool not reported",
}
_BAD = 0.25  # the page explains every error above this

HEAD = """# Accuracy of the planner

`shardwise plan` predicts the memory and the step time of a training layout. This page compares its predictions with {count} published training runs
([bench/planner/runs.yaml](../bench/planner/runs.yaml), each with its source), and with a spreadsheet, llm-analysis and Calculon on the same runs.
{omitted} of the runs do not report enough for a comparison; they are listed at the end.

{summary}
Step-time errors are for model families that were held out when the constants were fitted, and for runs whose source reports the full layout.
The memory constants were fitted to these same runs. The last column is the lowest median among the other models, each on the runs that it supports.

Of {ran} layouts that ran, the planner predicts that {ran_right} fit. Of {oom} layouts that ran out of memory, it predicts that {oom_right} do not fit.

## Usage

```bash
shardwise plan --model llama3-405b --cluster h100-16384 --tp 8 --pp 16 --tokens 15.6T --price 2   # memory, step time, MFU, days, dollars
shardwise plan --model llama3-70b --cluster h100-256 --search --max-tp 8 --memory "70 GB"         # the best layouts, with memory and MFU
shardwise plan --model llama3-8b --cluster h100-64 --zero 3 --emit torchtitan > train.toml        # or: --emit megatron
shardwise plan --file mine.yaml --json                                                            # a custom model or cluster, for scripts
```

In a notebook, `planner("llama3-70b", "h100-512", tp=8, pp=4)` shows the same plan as a form. It has sliders for the layout, bars for memory and for
how the peak FLOP/s are spent, a pipeline diagram, and a search. Click a point of the search to load its layout. If you give no layout, the form
starts with one that fits.

A plan also suggests single changes of the layout that help on the same GPUs, each with its predicted effect. If the layout cannot run, it suggests
changes that make it run.

- **Names** ignore case, dots and dashes.
- **Defaults** apply to every option that you omit. DP follows from the number of GPUs.
- **A search** keeps the degrees and settings that you give.
- **The exit code** is 1 if the layout cannot run or does not fit.
- **`--emit`** writes settings for Megatron-LM core_v0.15.0 or TorchTitan v0.2.2. It refuses a plan that needs a setting they do not have.

Three of the planner's conventions differ from the lessons, and each plan mentions them:

- GPU memory capacity is what the driver reports: 85.5 GB for an H100, where the lessons use 80 GB.
- Gradients have the width that the software uses, usually 4 bytes per parameter. The lessons' 16 bytes per parameter include 2.
- MFU counts attention over all pairs of tokens and is relative to the dense BF16 peak, whatever the precision.

A file can contain any of these sections. Command-line options override it:

```yaml
model: {{layers: 24, hidden: 2048, ffn_hidden: 8192, heads: 16, kv_heads: 16, vocabulary: 50304}}   # or a name
cluster: {{accelerator: a100, gpus: 32, gpus_per_node: 8, network_bytes_per_s: 25 GB/s}}            # or a name, such as a100-32
layout: {{tp: 2, recompute: full}}
batch: {{global_batch: 256, sequence: 2048}}
tokens: 300.0e+9
price: 1.5
```

## How the comparison works

The planner uses one set of constants for all runs. Some depend on the chip, and some on the generation of software where a source names it.
Most constants are fitted to all of these runs together, and none to a single run. Each table therefore says whether the fit has seen the runs in question.

An error is |predicted / reported − 1|. The tables show the median and the 90th percentile, with the number of runs in parentheses.

If a source reports step time or tokens/s, that value is compared. If it reports only TFLOP/s or MFU, the value is converted to step time with
the source's own FLOP count ([conventions](../bench/planner/printed.py)). {both} runs report both a time and a FLOP rate; on {agree} of them the two agree within 1.5 %.

The runs in the comparison have two levels of trust. **Trust A** means that the source reports the full layout and a rate. **Trust B** means that something relevant is
not reported, or had to be inferred.

`make planner` regenerates this page. To score another file in the same format, run `python -m bench.planner --runs FILE`.
"""


def written_page(runs: Runs, rows: Sequence[Row], silent: Sequence[Silent], kept: Mapping[str, Any]) -> str:
    """Return the page."""
    models = predictors.models(runs, kept["answers"])
    planner = planned.predictor(runs)
    both, agree = scores.self_consistency(rows, runs)
    fit = scores.fit(rows, planner)
    parts = [
        HEAD.format(
            count=len(runs.rows),
            omitted=len(silent),
            summary=_summary(rows, models),
            both=both,
            agree=agree,
            ran_right=fit.ran_right,
            ran=fit.ran,
            oom_right=fit.oom_right,
            oom=fit.oom,
        ),
        "## Step time\n",
        _step_time(rows, models),
        "![Two scatter plots of predicted against reported step time, from half a second to a thousand seconds, with lines at ±25 %. "
        "Dense runs lie along the diagonal on all four generations of chips. Mixtures of experts scatter more.](planner-step-time.png)\n",
        "## Memory\n",
        _memory(rows, models),
        "The planner's memory constants (context_bytes, group_bytes, cache, working and update_bytes, listed below) were fitted to the rows "
        "that report memory, and no row was held out. The verdicts on whether a run fits are not a test on unseen runs either: they "
        "were inspected while the formulas were developed. llm-analysis and Calculon predict memory as shipped.\n",
        "![Left: predicted against reported memory per GPU, by the tool that measured it. Right: predicted memory divided by GPU memory capacity, "
        "for layouts that ran and for layouts that ran out of memory, with a line at 1.](planner-memory.png)\n",
        "## Results by family\n",
        "In the first column of errors, the row's family was held out of the fit. In the other columns, the fit has seen all runs.\n",
        _grouped(rows, models, lambda row: row.run.family, unseen=_held_out_families()),
        "## Results by chip\n",
        "The fits have seen all of these runs.\n",
        _grouped(rows, models, lambda row: row.run.chip),
        _peers(kept, rows),
        _constants(),
        _failures(rows, planner),
        _assumptions(rows, silent, planner),
    ]
    return "\n".join(parts)


def _summary(rows: Sequence[Row], models: Sequence[predictors.Model]) -> str:
    """Return a table with the errors of the planner, and the lowest median among the other models."""
    errors = {
        f"Step time, {words}": _held_out(rows, models, kind, "family", scores.leave_one_family_out)
        for kind, words in (("dense", "dense models"), ("MoE", "mixtures of experts"))
    }
    errors["Memory per GPU"] = [
        list(scores.memory_errors(rows, model.fit_to(rows)).values()) for model in _with_memory(models)
    ]
    lines = [
        "| prediction | runs | median error | 90th percentile | best other model, median |",
        "|---|---|---|---|---|",
    ]
    for words, of_models in errors.items():
        ours, *others = (scores.Score.of(each) for each in of_models)
        best = min(score.median for score in others if score.count)
        lines.append(f"| {words} | {ours.count} | {ours.median:.1%} | {ours.p90:.0%} | {best:.1%} |")
    return "\n".join(lines) + "\n"


def _held_out(
    rows: Sequence[Row], models: Sequence[predictors.Model], kind: str, key: str,
    errors_of: Callable[[Sequence[Row], scores.FitTo], dict[str, float]],
) -> list[list[float]]:  # fmt: skip
    """Return the errors of each model on rows of trust A that its fit had not seen."""
    unseen = calibrate.left_out()[kind][key]
    best = [row for row in rows if scores.part(row) == f"A {kind}"]
    ours = [unseen[row.run.id] for row in best if row.run.id in unseen]
    return [ours] + [list(errors_of(best, model.fit_to).values()) for model in models[1:]]


def _step_time(rows: Sequence[Row], models: Sequence[predictors.Model]) -> str:
    named = [(f"{model.name}: {model.fit}", model) for model in models]
    lines = ["| runs | " + " | ".join(name for name, _ in named) + " |", "|---|" + "---|" * len(named)]
    predicted = [(model, scores.step_errors(rows, model.fit_to(rows))) for _, model in named]
    unseen = calibrate.left_out()
    for kind in ("dense", "MoE"):
        for words, key, errors_of in (
            ("family held out of the fit", "family", scores.leave_one_family_out),
            ("fitted to one half, tested on the other", "half", scores.fit_half_test_half),
        ):
            cells = [_shown(errors) for errors in _held_out(rows, models, kind, key, errors_of)]
            lines.append(f"| {kind}, trust A: {words} | " + " | ".join(cells) + " |")
    for part in ("A dense", "B dense", "A MoE", "B MoE"):
        chosen = {row.run.id for row in rows if scores.part(row) == part}
        cells = [_shown([error for name, error in errors.items() if name in chosen]) for _, errors in predicted]
        trust, _, kind = part.partition(" ")
        lines.append(f"| {kind}, trust {trust}: seen by the fit | " + " | ".join(cells) + " |")
    lines.append(
        "\nThe spreadsheet divides the hardware FLOP of a step by a fitted share of the peak FLOP/s, and adds the pipeline bubble."
        f"\n\nThe planner's held-out errors were computed by `{unseen['command']}` on {unseen['date']}. For each family or half, a first-order update "
        "moves the constants to where the remaining runs pull them, and the held-out runs are predicted with those. For MPT, InternEvo and "
        "torchtitan, this was compared with full refits: no row differed by more than 0.5 percentage points. Only the fit is held out. "
        "The form of the formulas and the software assigned to each run were chosen with all runs in view."
    )
    return "\n".join(lines) + "\n"


def _with_memory(models: Sequence[predictors.Model]) -> list[predictors.Model]:
    """Return one of each model that predicts memory: a fit of step times does not change it."""
    return list({model.name: model for model in models if model.name != "spreadsheet"}.values())


def _memory(rows: Sequence[Row], models: Sequence[predictors.Model]) -> str:
    named = _with_memory(models)
    lines = ["| prediction | " + " | ".join(model.name for model in named) + " |", "|---|" + "---|" * len(named)]
    predicted = [model.fit_to(rows) for model in named]
    kinds = Counter(row.run.mem_kind for row in rows if row.run.mem_kind)
    for kind in [None, *kinds]:
        chosen = [row for row in rows if kind in (None, row.run.mem_kind)]
        cells = [_shown(list(scores.memory_errors(chosen, predict).values())) for predict in predicted]
        lines.append(f"| memory, {_MEASURED.get(kind, kind) if kind else 'all runs'} | " + " | ".join(cells) + " |")
    fits = [scores.fit(rows, predict) for predict in predicted]
    lines.append(
        "| ran, with micro-batch size and recomputation reported: predicted to fit | "
        + " | ".join(f"{fit.ran_right} of {fit.ran}" for fit in fits)
        + " |"
    )
    lines.append(
        "| ran out of memory: predicted not to fit | "
        + " | ".join(f"{fit.oom_right} of {fit.oom}" for fit in fits)
        + " |"
    )
    lines.append("| fits or not, balanced accuracy | " + " | ".join(f"{fit.balanced:.0%}" for fit in fits) + " |")
    return "\n".join(lines) + "\n"


def _held_out_families() -> dict[str, float]:
    """Return the planner's error on each run, with the run's family held out of the fit."""
    kept = calibrate.left_out()
    return {name: error for kind in ("dense", "MoE") for name, error in kept[kind]["family"].items()}


def _grouped(
    rows: Sequence[Row], models: Sequence[predictors.Model], key: Callable[[Row], str],
    unseen: Mapping[str, float] | None = None,
) -> str:  # fmt: skip
    names = [f"{model.name}: {model.fit}" for model in models]
    errors = [scores.step_errors(rows, model.fit_to(rows)) for model in models]
    if unseen is not None:
        names, errors = [f"{models[0].name}: family held out", *names], [dict(unseen), *errors]
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
        "## llm-analysis and Calculon\n",
        f"Versions: {versions}. `{kept['command']}` ran them on {kept['date']}, and their predictions are in "
        "[bench/planner/peers/answers.json](../bench/planner/peers/answers.json). llm-analysis comes from PyPI, and Calculon from a "
        "pinned commit of its repository. To work without a network, set the variable CALCULON to the path of a clone.\n",
        "Features that they lack are approximated in their favour:\n",
        "- A third MLP matrix counts as an MLP that is 1.5 times as wide.",
        "- For context parallelism in llm-analysis, each rank gets its share of the sequence.\n",
        "llm-analysis models no pipeline bubble and takes its efficiency as an input. It gets the constant that minimises its mean error. "
        "Calculon ships its own efficiencies with the systems A100-80GB and H100-80GB.\n",
        "| no prediction from | rows | reason |",
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
        "## Constants\n\nThe inputs of a prediction are in five files:\n\n"
        "- [solutions/facts/hardware.yaml](../solutions/facts/hardware.yaml): chips and links, each value with its source and date.\n"
        "- [solutions/planner/names.yaml](../solutions/planner/names.yaml): the network between nodes, where a source does not report it.\n"
        "- [bench/planner/stacks.py](../bench/planner/stacks.py): the software of each run.\n"
        "- [bench/planner/calibration.yaml](../bench/planner/calibration.yaml): the constants that a fit may change.\n"
        f"- [solutions/planner/constants.yaml](../solutions/planner/constants.yaml): all other constants, with their current values:\n\n```yaml\n{text}\n```\n"
    )


def _failures(rows: Sequence[Row], planner: Predictor) -> str:
    errors = scores.step_errors(rows, planner)
    known = reasons()
    lines = [
        "## Largest errors\n",
        f"Runs whose predicted step time is off by more than {100 * _BAD:.0f} %, or that the planner cannot predict:\n",
        "| run | trust | reported (s) | predicted (s) | error | reason |",
        "|---|---|---|---|---|---|",
    ]
    for row in sorted(rows, key=lambda row: -abs(errors.get(row.run.id, 9))):
        said = planner(row)
        if row.step_s is not None and abs(errors.get(row.run.id, 9)) > _BAD:
            cells = f"{said.step_s:.3g} | {errors[row.run.id]:+.0%}" if said.step_s else "— | —"
            why = said.why or known.get(row.run.id) or known.get(row.run.family, "")
            lines.append(f"| {row.run.id} | {row.run.trust} | {row.step_s:.4g} | {cells} | {why} |")
    memory = scores.memory_errors(rows, planner)
    lines += ["", f"Runs whose predicted memory is off by more than {100 * _BAD:.0f} %, or whose fit is predicted wrongly:\n",
              "| run | reported (GB) | predicted (GB) | outcome | reason |", "|---|---|---|---|---|"]  # fmt: skip
    for row in rows:
        said = planner(row)
        wrong_fit = row.tests_fit and said.fits is not None and said.fits != row.fitted
        if abs(memory.get(row.run.id, 0)) > _BAD or wrong_fit:
            printed = f"{row.memory_bytes / 1e9:.1f}" if row.memory_bytes else "—"
            ran = "ran" if row.fitted else "out of memory"
            judged = ran + (f", predicted {'to fit' if said.fits else 'not to fit'}" if wrong_fit else "")
            why = known.get(f"{row.run.id} memory") or known.get(f"{row.run.family} memory", "")
            lines.append(f"| {row.run.id} | {printed} | {(said.counted_bytes or 0) / 1e9:.1f} | {judged} | {why} |")
    return "\n".join(lines) + "\n"


def _assumptions(rows: Sequence[Row], silent: Sequence[Silent], planner: Predictor) -> str:
    assumed = Counter(words for row in rows for words in (*row.setting.assumed, planner(row).assumed) if words)
    lines = ["## Assumptions and omitted runs\n",
             "Where a source does not report part of the layout, the prediction assumes a value. The table counts these assumptions. "
             "Networks that a source does not report are assumed as in [solutions/planner/names.yaml](../solutions/planner/names.yaml).\n",
             "| assumption | rows |", "|---|---|"]  # fmt: skip
    lines += [
        f"| {words} | {count} |" for words, count in sorted(assumed.items(), key=lambda item: (-item[1], item[0]))
    ]
    lines += ["", "These runs cannot be compared:\n", "| run | reason |", "|---|---|"]
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
    """Return why the planner is far off, by run or family, from reasons.yaml."""
    return dict(load_yaml(REASONS).data or {})
