"""Layout: a value for each axis of parallelism. Every combination that meets the constraints is right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from shardwise.errors import Unreadable
from shardwise.kinds.answers import parsed_answer
from shardwise.kinds.base import Kind, Posed, Proof, Sample, View
from shardwise.kinds.calls import Runner
from shardwise.kinds.scripts import script_in
from shardwise.markdown.html import to_html
from shardwise.question import Feedback, Outcome, Question
from shardwise.template.draw import Draw
from shardwise.template.expressions import prose
from shardwise.template.references import References
from shardwise_bank.kinds.layout import grid, measures, words
from shardwise_bank.kinds.layout.grid import Layout
from shardwise_bank.kinds.layout.judging import spots
from shardwise_bank.kinds.layout.model import LayoutForm, LayoutKey, LayoutTemplate
from shardwise_bank.kinds.layout.product import product_so_far
from shardwise_bank.kinds.layout.reading import Reading, choices, read_layout
from shardwise_bank.kinds.layout.solving import Solved, compare, solve
from shardwise_bank.kinds.layout.verdicts import is_right, layout_credit, margin, meets_limit

MOST_GUESSED = (
    0.6  # share of the points that a random combination may earn on average; two opposed constraints give about half
)


class LayoutKind(Kind[LayoutTemplate, LayoutForm, LayoutKey]):
    """A value for each axis."""

    name = "layout"
    script = script_in("shardwise_bank")
    about = "A value for each axis of a parallel layout; every combination that meets the constraints is right."
    Template = LayoutTemplate
    Form = LayoutForm
    Key = LayoutKey
    needs_oracle = False  # one reference may judge so much that its tests compare it with oracles, part by part
    starter = """\
params:
  hosts: {choice: [32, 64, 128]}
  file_bytes: {choice: [40, 60, 80], unit: GB}
  latency_s: {choice: [50, 100], unit: ms}
prompt: |
  You copy a file of {{ file_bytes }} to {{ hosts }} hosts. Each group of hosts gets one copy, split over links of 100 Gbit/s
  with a latency of {{ latency_s }}. How do you group the hosts, and how many links does each group need?
answer:
  axes:
    groups: {choices: "powers(1, hosts)", means: number of groups}
    members: {choices: any, means: hosts per group}
    links: {choices: [1, 2, 4, 8], means: links per group}
  product: {of: [groups, members], is: hosts, noun: hosts}
  reference: example.transfer_seconds           # solutions/example.py; its value is called `result`
  oracle: example.played_transfer_seconds       # solutions/oracles/example.py; the lint compares all verdicts
  arguments: {file_bytes: file_bytes / links, bandwidth_bytes_per_s: "12.5e9"}
  constraints:
    - id: time
      of: result
      at_most: 2
      unit: s
      required: true                            # a layout that breaks it earns nothing
      asks: the transfer takes at most {{ limit }}
      say: The transfer takes {{ seen }} with {{ links }} links, but the limit is {{ limit }}.
    - id: ports
      of: groups * links
      at_most: hosts // 4
      asks: at most {{ limit }} links are used in total
      say: "{{ groups }} groups with {{ links }} links each use {{ seen }} links, but there are only {{ limit }}."
    - id: sharing
      of: members
      at_most: hosts // 2
      hard: true
      asks: at most {{ limit }} hosts share a group
      say: "A group can connect at most {{ limit }} hosts, not {{ seen }}."
  solution: {highest: groups}
mistakes:
  - when: groups * links > hosts
    say: That is more than one link per host.
"""

    def solve(self, template: LayoutTemplate, draw: Draw) -> Solved:
        return solve(template, draw)

    def pose(self, template: LayoutTemplate, draw: Draw, solved: Solved) -> Posed:
        form, names = solved.form, {**draw.printed, **spots(template)}
        key = LayoutKey(
            constraints=solved.constraints,
            solution=solved.solution,
            wrong=solved.wrong,
            mistakes=tuple(prose(mistake.say, names) for mistake in template.mistakes),
        )
        rows = grid.combinations(form)
        values = {
            "key": words.one_line(form, rows[solved.solution]),
            "layout": solved.measures,
            "reached": words.reached(form, key, solved.solution),
            "right": solved.right,
            "combinations": len(rows),
        }
        return Posed(form, key, names=values)

    def prove(self, template: LayoutTemplate, draw: Draw, solved: Solved) -> Proof:
        proof, answer = Proof(), template.answer
        columns = tuple(solved.constraints.values())
        proof.near(margin(columns, len(solved.wrong)))
        if not is_right(columns, solved.solution):
            layout = grid.combinations(solved.form)[solved.solution]
            proof.faults.append(
                f"the solution is not right: {words.broken_constraints(solved.form, _key(solved), layout, solved.solution)}"
            )
        for number in solved.contradicted:
            proof.faults.append(f"a right combination also makes mistake {number + 1}; narrow its `when`")
        if solved.guessed > MOST_GUESSED:
            proof.faults.append(
                f"a random combination earns {solved.guessed:.0%} of the points on average; drop the constraints that most combinations "
                "meet, or make them `hard`"
            )
        if answer.oracle is not None:
            contradictions, compared = compare(template, draw, solved)
            proof.faults += contradictions
            proof.confirmed = compared and not contradictions
        return proof

    def faults(self, template: LayoutTemplate, references: References) -> Iterator[str]:
        if template.answer.reference is None and template.answer.oracle is not None:
            yield "there is an oracle but no reference; write both under `answer`"

    def body(self, form: LayoutForm) -> str:
        return words.rules(form)

    def view(self, form: LayoutForm) -> View:
        axes = [
            {"name": axis.name, "label": axis.means, "values": [str(option) for option in axis.options],
             "follows": axis.name == form.follows}
            for axis in form.axes
        ]  # fmt: skip
        follows = f" {form.follows} may stay empty: it follows from the others." if form.follows else ""
        return {
            "how": f"Choose a value for each axis.{follows}",
            "html": to_html(words.demands(form)),
            "fields": [{"type": "layout", "axes": axes, "start": product_so_far(form, {})}],
        }

    def preview(self, form: LayoutForm, raw: Any) -> View:
        return product_so_far(form, raw)

    def instruction(self, form: LayoutForm, variable: str) -> str:
        return f"Fill in `{variable}`: a value for each axis."

    def example(self, form: LayoutForm) -> str:
        return " ".join(
            f"{axis.name}={value}" for axis, value in zip(form.axes, grid.combinations(form)[0], strict=True)
        )

    def unthinking(self, form: LayoutForm) -> Mapping[str, Any]:
        free = [axis for axis in form.axes if axis.name != form.follows]
        ones = {axis.name: 1 if not axis.options or 1 in axis.options else axis.options[0] for axis in free}
        return {**super().unthinking(form), "a layout of ones": ones}

    def cells(self, form: LayoutForm, variable: str) -> str:
        rows = "".join(f"    {axis.name!r}: ...,  # {choices(axis)}\n" for axis in form.axes)
        return f"{variable} = {{\n{rows}}}"

    def parse(self, form: LayoutForm, raw: Any) -> Reading:
        return read_layout(form, raw)

    def read(self, form: LayoutForm, value: Reading) -> str:
        return words.one_line(form, value.layout) + (f" ({value.note})" if value.note else "")

    def matches(self, question: Question, value: Reading, runner: Runner) -> Feedback:
        key, form = self.key_and_form(question)
        place = grid.place_in_grid(form, value.layout)
        if place is None:
            return Feedback.judged(question, 0.0, words.off_the_product(form, value.layout))
        columns = tuple(key.constraints.values())
        parts = {name: meets_limit(constraint, constraint.seen[place]) for name, constraint in key.constraints.items()}
        earned = layout_credit(columns, place)
        if earned == 1:
            return Feedback.judged(
                question, 1.0, "It meets every constraint:", words.reached(form, key, place), parts=parts
            )
        remarks = [words.broken_constraints(form, key, value.layout, place)]
        mistake = key.wrong[place]
        if mistake is not None:
            remarks.append(words.filled_in(key.mistakes[mistake], words.named_of(form, value.layout)))
        return Feedback.judged(question, earned, *remarks, mistake=mistake, parts=parts)

    def has_bars(self, question: Question) -> bool:
        key, _ = self.key_and_form(question)
        return any(map(measures.is_drawn, key.constraints.values()))

    def bars(self, question: Question, raw: Any) -> View:
        key, form = self.key_and_form(question)
        try:
            value = parsed_answer(self, form, raw)
        except Unreadable:
            value = None
        return {"why": measures.NOT_READ} if value is None else measures.bars(form, key, value.layout)

    def mistakes(self, question: Question) -> list[str]:
        key, _ = self.key_and_form(question)
        return [words.filled_in(text, _Named()) for text in key.mistakes]

    def samples(self, question: Question) -> Sequence[Sample]:
        key, form = self.key_and_form(question)
        rows, columns = grid.combinations(form), tuple(key.constraints.values())
        right = words.named_of(form, rows[key.solution])
        first = form.axes[0].name

        def outcome(place: int) -> Outcome:
            earned = layout_credit(columns, place)
            return Outcome.CORRECT if earned == 1 else Outcome.PARTIAL if earned else Outcome.INCORRECT

        def spelled(layout: Layout) -> str:
            names = (axis.name.upper() if len(axis.name) == 2 else axis.name for axis in form.axes)  # TP, but shard
            return ", ".join(f"{name} {value}" for name, value in zip(names, layout, strict=True))

        shown = {None: 0} | {
            mistake: place for place, mistake in reversed([*enumerate(key.wrong)]) if mistake is not None
        }
        wrong = [Sample(spelled(rows[place]), outcome(place), mistake) for mistake, place in shown.items()]
        found = [
            Sample(dict(right), Outcome.CORRECT),
            Sample({name: str(value) for name, value in right.items()}, Outcome.CORRECT),
            Sample(spelled(rows[key.solution]), Outcome.CORRECT),
            Sample(list(rows[key.solution]), Outcome.CORRECT),
            *wrong,
            Sample({**right, first: "?"}, Outcome.UNREADABLE),
            Sample("something", Outcome.UNREADABLE),
            Sample(-7, Outcome.UNREADABLE),
            Sample(dict.fromkeys(right, ...), Outcome.BLANK),
            Sample("", Outcome.BLANK),
        ]
        if form.follows:
            rest = {name: value for name, value in right.items() if name != form.follows}
            found.append(Sample(rest, Outcome.CORRECT))
            off = next((axis for axis in form.axes if axis.name == form.follows and not axis.options), None)
            if off is not None:
                found.append(Sample({**right, off.name: 7 * int(right[off.name])}, Outcome.INCORRECT))
        return found


class _Named(dict[str, str]):
    """The names of axes in place of their values, for an author who reads a mistake."""

    def __missing__(self, name: str) -> str:
        return name


def _key(solved: Solved) -> LayoutKey:
    return LayoutKey(constraints=solved.constraints, solution=solved.solution, wrong=solved.wrong)


KIND = LayoutKind()
