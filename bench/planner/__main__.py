"""The command that scores predictions of published runs, and writes docs/planner.md.

python -m bench.planner                            # print the scores on bench/planner/runs.yaml
python -m bench.planner --runs FILE                # score another file in that format; fits still use runs.yaml
python -m bench.planner --rows                     # also print each row: reported, predicted, error
python -m bench.planner --ask                      # run llm-analysis, Calculon and SimuMax in separate environments
python -m bench.planner --write docs/planner.md    # write the page, and its plots next to it
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from . import page, planned, plots, predictors, scores
from .peers import asking
from .predictions import Predictor, Row, Silent, readable
from .run_files import RUNS, FaultyRuns, load, read
from .runs import Runs


def main() -> int:
    """Read, predict, score and print. Return 1 if the file has faults, and 2 if it cannot be used."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=Path, default=RUNS, metavar="FILE", help="file of runs to score")
    parser.add_argument("--rows", action="store_true", help="print each row")
    parser.add_argument("--ask", action="store_true", help="run llm-analysis, Calculon and SimuMax on the rows first")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="write the page and its plots")
    options = parser.parse_args()
    try:
        runs, faults = read(options.runs)
    except (FaultyRuns, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    for fault in faults:
        print(f"{options.runs.name}: {fault}", file=sys.stderr)
    rows, silent = readable(runs)
    own = options.runs.resolve() == RUNS
    asked = asking.ask(rows) if options.ask else None
    if own and asked:
        asking.keep(asked)
    if options.write:
        _write(options.write, runs, rows, silent)
        return 0
    models = predictors.models(runs, asking.kept()["answers"] if own else asked)
    fitted_on = rows if own else readable(load())[0]
    _print_silent(runs, rows, silent, models[0].fit_to(rows))
    for model in models:
        print(f"\n{model.name}: {model.fit}")
        _print_scores(rows, model.fit_to(fitted_on), scores.MISS if model is models[0] else None)
        if own:
            _print_unseen(rows, model.fit_to)
    if options.rows:
        _print_rows(rows, [(model.name, model.fit_to(fitted_on)) for model in models])
    return 1 if faults else 0


def _write(path: Path, runs: Runs, rows: Sequence[Row], silent: Sequence[Silent]) -> None:
    path.write_text(page.written_page(runs, rows, silent, asking.kept()), "utf-8")
    for name, picture in plots.plots(rows, planned.predictor(runs)).items():
        path.with_name(name).write_bytes(picture)


def _print_silent(runs: Runs, rows: Sequence[Row], silent: Sequence[Silent], planner: Predictor) -> None:
    unanswered = [(row.run.id, planner(row).why) for row in rows if planner(row).why]
    print(f"{len(runs.rows)} runs: {len(rows)} can be compared, {len(silent)} cannot:")
    for each in silent:
        print(f"  {each.run.id}: {each.reason}")
    if unanswered:
        print(f"{len(unanswered)} that the planner cannot predict:")
    for name, why in unanswered:
        print(f"  {name}: {why}")


def _print_scores(rows: Sequence[Row], predict: Predictor, refused: float | None) -> None:
    errors = scores.step_errors(rows, predict, refused)
    groups: tuple[tuple[str, Callable[[Row], str]], ...] = (
        ("trust", scores.part), ("family", lambda row: row.run.family), ("chip", lambda row: row.run.chip)
    )  # fmt: skip
    for title, key in groups:
        for group, score in scores.grouped(rows, errors, key).items():
            print(f"  {f'step time, {title} {group}':52}{_shown(score)}")
    memory = scores.memory_errors(rows, predict, refused)
    for group, score in scores.grouped(rows, memory, lambda row: str(row.run.mem_kind)).items():
        print(f"  {f'memory, {group}':52}{_shown(score)}")
    if memory:
        print(f"  {'memory, all':52}{_shown(scores.Score.of(memory.values()))}")
    fit = scores.fit(rows, predict)
    for words, counts in (("ran", fit.ran), ("ran out of memory", fit.oom)):
        if counts:
            print(
                f"  {sum(counts.values())} {words}: fits {', '.join(f'{verdict} {count}' for verdict, count in counts.items())}"
            )
    if fit.ran and fit.oom:
        print(f"  balanced accuracy, with a tight one half right: {fit.balanced:.1%}")


def _print_unseen(rows: Sequence[Row], fit_to: scores.FitTo) -> None:
    """Print the errors of a fit on rows that it has not seen. For the planner, bench/planner/calibrate.py computes them."""
    best = [row for row in rows if scores.part(row) == "A dense"]
    for words, errors in (("A dense, seen by the fit", scores.step_errors(best, fit_to(best))),
                          ("A dense, family held out", scores.leave_one_family_out(best, fit_to)),
                          ("A dense, fitted to one half, tested on the other", scores.fit_half_test_half(best, fit_to))):  # fmt: skip
        print(f"  {f'step time, {words}':52}{_shown(scores.Score.of(errors.values()))}")


def _shown(score: scores.Score) -> str:
    return f"{score.count:4}  median {score.median:6.1%}  p90 {score.p90:6.1%}"


def _print_rows(rows: Sequence[Row], named: Sequence[tuple[str, Predictor]]) -> None:
    print(f"\n{'id':46}{'reported s':>11}" + "".join(f"{name:>22}" for name, _ in named))
    for row in rows:
        if row.step_s is not None:
            said = [predict(row).step_s for _, predict in named]
            shown = (f"{s:12.3f} {s / row.step_s - 1:+9.1%}" if s is not None else f"{'—':>22}" for s in said)
            print(f"{row.run.id:46}{row.step_s:11.3f}" + "".join(shown))


if __name__ == "__main__":
    raise SystemExit(main())
