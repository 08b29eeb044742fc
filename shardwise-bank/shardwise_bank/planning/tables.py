"""A plan in the terminal: bars of memory and step time, the cost of the run, and tables of layouts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from shardwise.cli.tables import console
from shardwise.markdown.terminal import columns
from shardwise.units import show_number
from shardwise_bank.planning.plans import ranges
from shardwise_bank.planning.words import (
    AXES,
    BUCKETS,
    as_sentence,
    batch_line,
    fit_line,
    layout_line,
    model_line,
    part_name,
    range_words,
    short_amount,
    title,
)
from shardwise_bank.solutions.planner.judging import Plan, counted
from shardwise_bank.solutions.planner.measured import Measured, Term, counted_memory, remarks

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

WIDEST = 120  # columns of a terminal that are used at most
FIT_STYLES = {"yes": "green", "tight": "yellow", "no": "red"}
_EIGHTHS = " ▏▎▍▌▋▊▉"


def print_plan(
    plan: Plan,
    costs: Mapping[str, float],
    assumed: Sequence[str],
    note: str,
    notes: Sequence[str],
    advice: Sequence[str],
) -> None:
    """Print everything about one plan: its faults first, and advice last."""
    out = console(piped=columns())
    out.print(title(plan), style="bold", highlight=False, markup=False)
    out.print(model_line(plan.model), highlight=False, markup=False)
    for words in notes:
        _bullet(out, " ", "dim", words)
    out.print("; ".join(filter(None, (layout_line(plan.layout), note))), width=columns())
    out.print(batch_line(plan.batch), style="dim" if not assumed else "")
    if assumed:
        out.print(f"Defaults used: {' '.join(assumed)}", style="dim", width=columns())
    for fault in plan.faults:
        _bullet(out, "✗", "red", fault.words)
    if plan.memory:
        room = plan.cluster.memory_bytes
        words = f"{short_amount(plan.memory_bytes, 'GB')} ({range_words(plan.memory_range, 'GB')})"
        out.print(f"\n[bold]Peak memory per GPU[/bold]  {words} of {short_amount(room, 'GB')}")
        out.print(f"{as_sentence(fit_line(plan))}", style=FIT_STYLES[plan.fit])
        out.print(memory_table(plan.memory, room, _bar_width(out)))
    if plan.step:
        words = f"{short_amount(plan.step_s, 's')} ({range_words(plan.step_range, 's')})"
        out.print(f"\n[bold]Step time[/bold]  {words}")
        out.print(step_table(plan.step, _bar_width(out)))
        out.print()
        out.print(_rates(plan, costs))
        for words in counted(plan):
            _bullet(out, " ", "dim", as_sentence(words))
    for words in advice:
        _bullet(out, "!", "yellow", words)


def print_comparison(plan: Plan, run: Measured, terms: Sequence[Term]) -> None:
    """Print a measured run next to its plan, term by term, and remarks on large differences."""
    out = console(piped=columns())
    out.print("Measured and predicted", style="bold")
    table = _grid()
    for term in terms:
        predicted, measured = (short_amount(seconds, "s") for seconds in (term.predicted_s, term.measured_s))
        whole = f", {short_amount(term.whole_s, 's')} without overlap" if term.whole_s else ""
        table.add_row(
            part_name(term.name), measured, _times(term.measured_s, term.predicted_s), f"predicted {predicted}{whole}"
        )
    if run.memory_bytes is not None:
        expected = counted_memory(plan, run.memory_kind)
        seen, predicted = (short_amount(size, "GB") for size in (run.memory_bytes, expected))
        table.add_row(f"memory, {run.memory_kind}", seen, _times(run.memory_bytes, expected), f"predicted {predicted}")
    out.print(table)
    for words in remarks(plan, tuple(terms), run):
        _bullet(out, "!", "yellow", words)
    out.print()


def _times(measured: float, predicted: float) -> str:
    return f"×{measured / predicted:.2f}" if predicted else ""


def print_layouts(plans: Sequence[Plan], front: Sequence[Plan], *, top: int, room: float) -> None:
    """Print the best layouts, and the Pareto front of memory against MFU."""
    from rich.markup import escape

    out = console(piped=columns())
    if not plans:
        out.print("No layout within these limits runs and fits. Raise --max-tp, --max-pp, --memory or --gpus.")
        return
    first = plans[0]
    out.print(f"[bold]{escape(title(first))}[/bold]  {batch_line(first.batch)}")
    tight = sum(plan.fit == "tight" for plan in plans)
    count = (
        f"{len(plans):,} layout{'s run and fit' if len(plans) > 1 else ' runs and fits'} in {short_amount(room, 'GB')}"
    )
    last = f", {tight:,} of them tight (*) and listed last" if tight else ""
    out.print(f"{count}{last}. The fastest:\n")
    out.print(layouts_table(plans[:top]))
    shown = _spread(front, top)
    count = f"{len(shown)} of {len(front)}" if len(shown) < len(front) else f"{len(front)}"
    no_other = "layouts; no other layout is both faster and smaller in memory"
    out.print(f"\n[bold]Pareto front, memory against MFU[/bold]: {count} {no_other}.\n")
    out.print(layouts_table(shown))


def _spread(front: Sequence[Plan], top: int) -> Sequence[Plan]:
    """Return at most `top` layouts of a front, spaced evenly from end to end."""
    if len(front) <= top:
        return front
    return [front[round(place * (len(front) - 1) / (top - 1))] for place in range(top)] if top > 1 else front[:1]


def memory_table(memory: Mapping[str, float], room: float, width: int) -> Table:
    """Return a row per bucket of memory, each bar starting where the previous one ends, and a last row for what is free."""
    total = sum(memory.values())
    scale = width / max(room, total)
    table, before = _grid(), 0.0
    for bucket, size in memory.items():
        if size:
            bar = _bar(before * scale, size * scale, "cyan")
            table.add_row(BUCKETS.get(bucket, bucket), short_amount(size, "GB"), f"{size / room:.0%}", bar)
        before += size
    left = room - total
    word, style = ("free", "dim") if left >= 0 else ("over capacity", "red")
    bar = _bar(min(total, room) * scale, abs(left) * scale, style, "░" if left >= 0 else "█")
    table.add_row(word, short_amount(abs(left), "GB"), f"{abs(left) / room:.0%}", bar, style=style)
    return table


def step_table(step: Mapping[str, float], width: int) -> Table:
    """Return a row per part of the step time, each bar starting where the previous one ends."""
    total, table, before = sum(step.values()), _grid(), 0.0
    for part, seconds in step.items():
        if seconds:
            style = "green" if part == "compute" else "yellow"
            bar = _bar(before / total * width, seconds / total * width, style)
            table.add_row(part_name(part), short_amount(seconds, "s"), f"{seconds / total:.0%}", bar)
        before += seconds
    return table


def layouts_table(plans: Sequence[Plan]) -> Table:
    """Return a row per layout."""
    from rich.table import Table

    has_cp, has_ep = (any(getattr(plan.layout, axis) > 1 for plan in plans) for axis in ("cp", "ep"))
    axes = [axis for axis in AXES if axis not in ("cp", "ep") or (axis == "cp" and has_cp) or (axis == "ep" and has_ep)]
    table = Table(box=None, header_style="bold", pad_edge=False)
    has_groups = any(plan.layout.shard_group for plan in plans)
    for name in (*axes, "chunks", "ZeRO", *(["shards"] * has_groups), "MBS"):
        table.add_column(name.upper() if name in AXES else name, justify="right")
    table.add_column("recompute")
    for name in ("memory", "step", "bubble", "MFU"):
        table.add_column(name, justify="right", no_wrap=True)
    for plan in plans:
        layout = plan.layout
        table.add_row(
            *(str(getattr(layout, axis)) for axis in axes), str(layout.virtual_stages), str(layout.zero),
            *([f"{layout.shards:,}" if layout.zero else "1"] * has_groups), str(layout.micro_batch),
            layout.recompute, ("* " if plan.fit == "tight" else "") + short_amount(plan.memory_bytes, "GB"), short_amount(plan.step_s, "s"),
            f"{plan.bubble_idle_fraction:.0%}", f"{plan.mfu:.1%}",
        )  # fmt: skip
    return table


def _rates(plan: Plan, costs: Mapping[str, float]) -> Table:
    table, ends = _grid(), ranges(plan, costs)

    def between(name: str, unit: str = "") -> str:
        return f"({range_words(ends[name], unit)})"

    rate = f"{show_number(plan.tokens_per_s_per_gpu, 3)} tokens/s per GPU {between('tokens_per_s_per_gpu')}"
    table.add_row("MFU", f"{plan.mfu:.1%}", "", f"{between('mfu', '%')}, HFU {plan.hfu:.1%}, {rate}")
    bubble = f"{plan.bubble_idle_fraction:.1%}"
    table.add_row("pipeline bubble", bubble, "", f"idle fraction of the pipeline; overhead {plan.bubble_overhead:.1%}")
    if "days" in costs:
        words = f"for {show_number(costs['tokens'] / 1e12, 3)}T training tokens, {show_number(costs['gpu_hours'], 3)} GPU-hours"
        table.add_row("days", show_number(costs["days"], 3), "", f"{between('days')}, {words}, excluding failures")
    if "dollars" in costs:
        words = f"{between('dollars')}, at ${costs['price']:g} per GPU-hour"
        table.add_row("dollars", show_number(costs["dollars"], 3), "", words)
    return table


def _bar_width(out: Console) -> int:
    return max(10, min(out.width, WIDEST) - 46)


def _grid() -> Table:
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    table.add_column(min_width=20, no_wrap=True)
    table.add_column(justify="right", no_wrap=True, min_width=9)
    table.add_column(justify="right", no_wrap=True, min_width=4)
    table.add_column(overflow="fold")
    return table


def _bar(start: float, length: float, style: str, block: str = "█") -> Text:
    """Return a bar from one column to another; its end is exact to an eighth of a column."""
    from rich.text import Text

    begin, end = round(start), start + length
    whole = max(0, int(end) - begin)
    part = _EIGHTHS[int((end - int(end)) * 8)] if block == "█" and end > begin else ""
    drawn = (block * whole + part).rstrip() or ("▏" if block == "█" else "")
    return Text(" " * begin + drawn, style=style)


def _bullet(out: Console, sign: str, style: str, words: str) -> None:
    from rich.table import Table
    from rich.text import Text

    line = Table.grid(padding=(0, 1))
    text = Text(f"{words[:1].upper()}{words[1:]}", style=style if style == "dim" else "")
    line.add_row(Text(sign, style=style), text)
    out.print(line, width=columns())
