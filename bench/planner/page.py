"""The page docs/planner.md: expected accuracy, how to read a plan, and the comparison with published runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from . import calibrate, failures, goals, planned, predictors, scores, tables
from .predictions import Predictor, Row, Silent
from .runs import Runs

CONSTANTS = Path(__file__).parents[2] / "solutions" / "planner" / "constants.yaml"

HEAD = """# Accuracy of the planner

`shardwise plan` predicts the memory and the step time of a training run from its model, cluster and layout. It is for decisions before a run: which
layout to try first, how many GPUs to rent, what a run will cost. It does not replace a short benchmark of your own on the same GPUs.

Expect this on runs that the planner has not seen. An error is |predicted / reported − 1|; a range is meant to hold for 80 % of runs:

{expected}
With unknown software, the factor widens a span from the fastest to a typical stack. The middle figure is between them; most published runs are benchmarks
with a fast stack, for which it is too slow.

The errors come from {count} published training runs ([bench/planner/runs.yaml](../bench/planner/runs.yaml), each with its source). Each run was predicted with
constants and ranges from which its model family was held out. For the best other model, the lowest median is {best_dense} for dense runs, {best_moe} for
mixtures of experts, and {best_memory} for memory, each on the runs that it supports. SimuMax is as good or better
on the node on which its kernel efficiencies were measured ([below](#llm-analysis-calculon-and-simumax)).

## How to read a plan

- **Name your software** with `--software`: it decides more than most settings of a layout. If you name only the framework, the plan uses its current
  version. If you name nothing, the ranges go from the best known stack on that generation of chips to a typical one, and the figures are those of a
  stack between the two. A typical stack has eager kernels, attention kernels that are not written for the chip, and no overlap of tensor parallelism.
- **Ranges** of step time, tokens per second, MFU, days and dollars depend on the kind of model, on whether experts are spread over nodes, on the chip
  and on what is known of the software. They do not cover failures, slow nodes or data loading.
- **Fits: yes, tight or no.** "No" means that predicted peak memory exceeds GPU memory capacity. "Tight" means that it fits on paper, but
  the upper end of the memory range exceeds capacity: fragmentation and short peaks take more than the formulas count. With unknown software the
  range is wider, and more layouts are tight.

{usage}## Goals

The goals are for held-out families, with whole layouts reported: median and 90th percentile of the errors. {refused}

{goals}
A framework is fresh if no other family uses its software, so that the fit without its family has never seen it; software from before FlashAttention is
omitted. The last column counts the runs beyond the second limit, or, for fit, the wrong verdicts. [Largest errors](#largest-errors) gives the
causes that the sources show.

## Fits or not

{fits}
The rows count verdicts on layouts that ran and on layouts that ran out of memory, where the source reports micro-batch size and recomputation. In the
balanced accuracy both classes have equal weight, and a verdict "tight" is half right, whatever happened: it neither wins nor loses. That rule was set
before the verdicts were counted. In the first row, the memory constants and the range come from other families.

## Ranges

The score of a run is the factor by which its prediction would have to be widened to contain the reported figure, with its family held out of the fit.
The factor of a range is the 80 % quantile of these scores, as in split-conformal prediction, with three changes:

- A family with n runs weighs as much as √n runs, so that a large family does not dominate.
- With few families the quantile is higher: 80 % × (1 + 1 / effective number of families), at most 90 %.
- Less knowledge never gives a narrower range of a single prediction.

For unknown software, the factor widens the span between two stacks. Runs of software that materialises attention scores, all from before 2023, count only
if the software is named. For memory, a run that ran out of memory although it was predicted to fit counts with the error that it proves at least.

The coverage in the first table is nested: for each family, the factor is computed from the scores of the other families. Those scores come from fits that had seen
that family. The next table has what the first one omits: chips whose constants were replaced by values that use no training run, runs whose layout is reported only in
part, and memory with unknown software.

{other_coverage}
Where only one or two families or chips exist, the coverage says little.

## How the comparison works

The planner uses one set of constants for all runs. Some depend on the chip, and some on the generation of software where a source names it.
Most constants are fitted to all of these runs together, and none to a single run.

If a source reports step time or tokens/s, that value is compared. If it reports only TFLOP/s or MFU, the value is converted to step time with
the source's own FLOP count ([conventions](../bench/planner/printed.py)). {both} runs report both a time and a FLOP rate; on {agree} of them the two agree within 1.5 %.

**Trust A** means that the source reports the full layout and a rate. **Trust B** means that something relevant is
not reported, or had to be inferred.

`{command}` fitted without each family, half and chip on {date}, and wrote the ranges. For each of them, a first-order update
moves the constants to where the remaining runs pull them. For MPT, InternEvo and
torchtitan, this was compared with full refits: no row differed by more than 0.5 percentage points. Only the fit is held out: the form of the
formulas and the software assigned to each run were chosen with all runs in view.

`make planner` regenerates this page. To score another file in the same format, run `python -m bench.planner --runs FILE`.

![Two scatter plots of predicted against reported step time, from half a second to a thousand seconds, with lines at ±25 %. Dense runs lie along the diagonal on all four generations of chips. Mixtures of experts scatter more.](planner-step-time.png)

![Left: predicted against reported memory per GPU, by the tool that measured it. Right: predicted memory divided by GPU memory capacity, for layouts that ran and for layouts that ran out of memory, with a line at 1.](planner-memory.png)
"""

USAGE = """## Usage

```bash
shardwise plan --model llama3-405b --cluster h100-16384 --tp 8 --pp 16 --tokens 15.6T --price 2   # memory, step time, MFU, days, dollars
shardwise plan --model llama3-8b --cluster h100-64 --zero 3 --software torchtitan                 # narrower ranges: the software is known
shardwise plan --model llama3-70b --cluster h100-256 --search --max-tp 8 --memory "70 GB"         # the best layouts, with memory and MFU
shardwise plan --model llama3-8b --cluster h100-64 --zero 3 --emit torchtitan > train.toml        # or: --emit megatron
shardwise plan --file mine.yaml --json                                                            # a custom model or cluster, for scripts
shardwise plan --model path/to/config.json --cluster h100-64                                      # any model with a Hugging Face configuration
shardwise plan --measured step.json --search                                                      # corrected by your own run: see measured.md
```

In a notebook, `planner("llama3-70b", "h100-512", tp=8, pp=4)` shows the same plan as a form. It has sliders for the layout, bars for memory and for
how the peak FLOP/s are spent, a pipeline diagram, and a search. Click a point of the search to load its layout. If you give no layout, the form
starts with one that fits.

A plan also suggests single changes of the layout that help on the same GPUs, each with its predicted effect. If the layout cannot run, it suggests
changes that make it run.

- **Names** ignore case, dots and dashes. A path names a Hugging Face `config.json`; keys that the planner does not know are reported.
- **Your own run or GPU**: [measured.md](measured.md).
- **Defaults** apply to every option that you omit. DP follows from the number of GPUs.
- **A search** keeps the degrees and settings that you give, and lists tight layouts last.
- **`--software`** names a framework, such as torchtitan, or a row of `software` in
  [constants.yaml](../solutions/planner/constants.yaml), such as megatron-2024.
- **The exit code** is 1 if the layout cannot run or does not fit. A tight layout ends with 0.
- **`--emit`** writes settings for Megatron-LM core_v0.15.0 or TorchTitan v0.2.2. It refuses a plan that needs a setting they do not have.

Three of the planner's conventions differ from the lessons, and each plan mentions them:

- GPU memory capacity is what the driver reports: 85.5 GB for an H100, where the lessons use 80 GB.
- Gradients have the width that the software uses, usually 4 bytes per parameter. The lessons' 16 bytes per parameter include 2.
- MFU counts attention over all pairs of tokens and is relative to the dense BF16 peak, whatever the precision.

A file can contain any of these sections. Command-line options override it:

```yaml
model: {layers: 24, hidden: 2048, ffn_hidden: 8192, heads: 16, kv_heads: 16, vocabulary: 50304}   # or a name
cluster: {accelerator: a100, gpus: 32, gpus_per_node: 8, network_bytes_per_s: 25 GB/s}            # or a name, such as a100-32
layout: {tp: 2, recompute: full}
batch: {global_batch: 256, sequence: 2048}
tokens: 300.0e+9
price: 1.5
```

"""


def written_page(runs: Runs, rows: Sequence[Row], silent: Sequence[Silent], kept: Mapping[str, Any]) -> str:
    """Return the page."""
    models, planner = predictors.models(runs, kept["answers"]), planned.predictor(runs)
    refused = {row.run.id: why for row in rows if (why := planner(row).why)}
    left_out = calibrate.left_out(rows, refused)
    unseen, fitted = tables.held_out(rows, models, left_out), tables.seen(rows, models)
    memory = tables.memory_errors(rows, models)
    both, agree = scores.self_consistency(rows, runs)
    parts = [
        HEAD.format(
            expected=tables.expected(tables.kind_errors(rows, runs, left_out, refused), left_out),
            count=len(runs.rows), usage=USAGE, goals=goals.goals(rows, runs, left_out), both=both, agree=agree,
            fits=tables.fits(rows, models, left_out), other_coverage=tables.other_coverage(left_out),
            command=left_out["command"], date=left_out["date"], refused=_refused(refused), **_best_others(unseen, memory),
        ),
        failures.failures(rows, planner),
        "## Step time next to other models\n",
        "The spreadsheet divides the hardware FLOP of a step by a fitted share of the peak FLOP/s, and adds the pipeline bubble.\n",
        tables.step_time(rows, models, unseen, fitted),
        "## Memory next to other models\n",
        tables.memory(rows, memory, left_out),
        "The other models predict memory as shipped.\n",
        "## Results by family\n",
        "In the first column of errors, the row's family was held out of the fit. In the other columns, the fit has seen all runs.\n",
        tables.grouped(rows, models, fitted, lambda row: row.run.family, {**left_out["dense"]["family"], **left_out["MoE"]["family"]}),
        "## Results by chip\n",
        "The fits have seen all of these runs.\n",
        tables.grouped(rows, models, fitted, lambda row: row.run.chip),
        _peers(kept, rows, left_out),
        _assumptions(rows, silent, planner),
        _constants(),
    ]  # fmt: skip
    return "\n".join(parts)


def _refused(refused: Mapping[str, str]) -> str:
    if not refused:
        return "A run that the planner refuses would count as an error of 100 %; it refuses none."
    return f"A run that the planner refuses counts as an error of 100 %: {', '.join(refused)}."


def _best_others(
    unseen: Mapping[tuple[str, str], list[list[float]]], memory: Mapping[str, Mapping[str, float]]
) -> dict[str, str]:
    """Return the lowest median error among the other models, by figure."""
    others: dict[str, list[Iterable[float]]] = {
        "best_dense": [*unseen["dense", "family"][1:]],
        "best_moe": [*unseen["MoE", "family"][1:]],
        "best_memory": [errors.values() for name, errors in memory.items() if name != predictors.OURS],
    }
    scored = {name: [scores.Score.of(errors) for errors in found] for name, found in others.items()}
    return {name: f"{min(score.median for score in found if score.count):.0%}" for name, found in scored.items()}


def _peers(kept: Mapping[str, Any], rows: Sequence[Row], left_out: Mapping[str, Any]) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in kept["versions"].items())
    lines = [
        "## llm-analysis, Calculon and SimuMax\n",
        f"Versions: {versions}. `{kept['command']}` ran them on {kept['date']}, and their predictions are in "
        "[bench/planner/peers/answers.json](../bench/planner/peers/answers.json). llm-analysis comes from PyPI, and Calculon and "
        "SimuMax from pinned commits of their repositories. To work without a network, set the variables CALCULON and SIMUMAX to paths of clones.\n",
        "Features that they lack are approximated in their favour:\n",
        "- A third MLP matrix counts as an MLP that is 1.5 times as wide.",
        "- For context parallelism in llm-analysis, each rank gets its share of the sequence.\n",
        "llm-analysis models no pipeline bubble and takes its efficiency as an input. It gets the constant that minimises its mean error. "
        "Calculon ships its own efficiencies with the systems A100-80GB and H100-80GB. SimuMax ships kernel efficiencies that were measured on a "
        "B200 node and on an A100 with PCIe between GPUs; it is compared on B200, and on A100 without tensor or context parallelism.\n",
        "On the runs that SimuMax supports:\n",
        tables.against(rows, "SimuMax", kept["answers"].get("SimuMax", {}), left_out),
        "The B200 runs are SimuMax's own: its efficiencies were measured on that node, for these shapes.\n",
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
