"""Case: parts of other kinds about one situation; later parts can build on earlier results."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any

from shardwise.kinds import kinds
from shardwise.kinds.base import Kind, Posed, Proof, Sample, View
from shardwise.kinds.calls import Runner
from shardwise.kinds.case import reading
from shardwise.kinds.case.carrying import MOST_PROVED, faults_of_carrying
from shardwise.kinds.case.judging import judge, notes, paragraphs
from shardwise.kinds.case.model import (
    CaseForm,
    CaseKey,
    CasePart,
    CaseTemplate,
    PartForm,
    PartKey,
    questions_of,
)
from shardwise.kinds.case.reading import PartReplies
from shardwise.kinds.case.solving import Solved, SolvedPart, formula_before, solved_case
from shardwise.markdown.escaping import literal
from shardwise.markdown.html import to_html
from shardwise.question import Feedback, Outcome, Question, in_points, right_in_words
from shardwise.template.draw import Draw, whole
from shardwise.template.expressions import number_in_unit, prose
from shardwise.template.references import References
from shardwise.template.results import RESULTS, Results

GOES_ON = (
    "Each part has its own points. An error costs points only once: later parts are graded with your earlier results, "
    "as long as these are plausible."
)


class CaseKind(Kind[CaseTemplate, CaseForm, CaseKey]):
    """Several parts about one situation."""

    name = "case"
    about = "Several parts about one situation, each of its own kind; later parts build on earlier results, so an error costs points once."
    may_be_part = False
    takes_long = True
    Template = CaseTemplate
    Form = CaseForm
    Key = CaseKey
    starter = """\
# Drawn once per student and seed, for all parts.
params:
  file_bytes: {choice: [1, 2, 5, 10], unit: GB}
  bandwidth_bytes_per_s: {choice: [100, 200, 400], unit: Gbit/s, direction: per direction}
  latency_s: {choice: [50, 100], unit: ms}
  writing_bytes_per_s: {choice: [2, 5, 8], unit: GB/s, direction: none}
  patience_s: {choice: [150, 300, 1000], unit: ms}
prompt: |
  A file of {{ file_bytes }} crosses a link of {{ bandwidth_bytes_per_s }} with a latency of {{ latency_s }}. Meanwhile a
  second one is written at {{ writing_bytes_per_s }}, and it is sent as it is when the first one has arrived.
parts:
  - name: first_file                            # an answer's key, and parts.first_file in later expressions
    kind: quantity
    points: 1
    prompt: When has the last byte of the first file arrived?
    answer:
      reference: example.transfer_seconds       # solutions/example.py
      oracle: example.played_transfer_seconds   # solutions/oracles/example.py; the lint compares the two
      unit: ms
    mistakes:
      - value: key - latency_s
        say: The first byte is on its way for a while, too.
    hints: [Two times add up.]
    solution: Latency and bytes over rate make {{ key }}.
  - name: second_file
    kind: quantity
    points: 0.5
    prompt: How long is the second file on its way?
    answer:
      reference: example.transfer_seconds
      oracle: example.played_transfer_seconds
      arguments: {file_bytes: writing_bytes_per_s * parts.first_file}
      unit: ms
    mistakes:
      - value: latency_s
        say: Its bytes take some time as well.
    hints: [How long is it by then?]
    solution: "{{ parts.first_file }} of writing, then the same two times: {{ key }}."
  - name: both_there
    kind: choice
    points: 0.5
    prompt: Are both there after {{ patience_s }}?
    where: [abs(parts.first_file + parts.second_file - patience_s) > 0.05 * patience_s]
    answer:
      options:
        - {text: "Yes", correct: parts.first_file + parts.second_file <= patience_s, say: Add the two times.}
        - {text: "No", correct: parts.first_file + parts.second_file > patience_s, say: Add the two times.}
    solution: Together they take {{ (parts.first_file + parts.second_file) | unit("ms") }}.
"""

    # From a template to a question ----------------------------------------------------------------------------------

    def solve(self, template: CaseTemplate, draw: Draw) -> Solved:
        return solved_case(template, draw)

    def pose(self, template: CaseTemplate, draw: Draw, solved: Solved) -> Posed:
        forms, keys, hints, solutions = [], [], [], []
        results = Results({part.piece.name: _shown(part) for part in solved.parts if part.bounds is not None})
        for number, (part, ways) in enumerate(zip(solved.parts, solved.ways, strict=True), start=1):
            piece, names = part.piece, part.draw.printed
            forms.append(
                PartForm(
                    name=piece.name,
                    title=piece.heading,
                    kind=piece.kind,
                    points=piece.points,
                    prompt=prose(piece.prompt, names),
                    form=part.posed.form,
                    hints=len(piece.hints),
                )
            )
            bounds = part.bounds
            keys.append(
                PartKey(
                    key=part.posed.key.model_dump(mode="json"),
                    ways=ways,
                    formula=formula_before(solved, number - 1),
                    within=piece.plausible.within,
                    lowest=bounds.lowest if bounds else None,
                    highest=bounds.highest if bounds else None,
                )
            )
            hints += [f"{_headed(number, piece.heading)}{prose(hint, names)}" for hint in piece.hints]
            if piece.solution:
                text = prose(piece.solution, {**names, **part.posed.names, RESULTS: results})
                solutions.append(f"**{number}. {_sentence(piece.heading)}** {text}")
        key_text = "; ".join(
            f"{part.piece.name}: {part.posed.names['key']}" for part in solved.parts if "key" in part.posed.names
        )
        return Posed(
            CaseForm(parts=tuple(forms)),
            CaseKey(parts=tuple(keys)),
            names={"key": key_text, RESULTS: results},
            hints=tuple(hints),
            solution="\n\n".join(solutions),
        )

    def prove(self, template: CaseTemplate, draw: Draw, solved: Solved) -> Proof:
        proof = Proof(confirmed=True)
        proved = draw.references.memo.setdefault(("ways", draw.rng.problem), set())
        proved.add(draw.rng.seed)
        for part, ways in zip(solved.parts, solved.ways, strict=True):
            kind: Any = kinds()[part.piece.kind]
            its = kind.prove(part.piece, part.draw, part.solved)
            proof.confirmed = proof.confirmed and (its.confirmed or not kind.needs_oracle)
            proof.near(its.margin)
            proof.faults += [f"{part.piece.name}: {fault}" for fault in its.faults]
            if part.piece.needs and len(proved) <= MOST_PROVED:
                proof.faults += faults_of_carrying(part.piece, part.draw, part.posed, solved.known, ways)
        return proof

    def faults(self, template: CaseTemplate, references: References) -> Iterator[str]:
        for piece in template.pieces:
            for fault in kinds()[piece.kind].faults(piece, references):
                yield f"{piece.name}: {fault}"

    def faults_over(
        self, template: CaseTemplate, references: References, drawn: Sequence[Question]
    ) -> Iterator[tuple[str, str]]:
        for piece in template.pieces:
            for fault, remedy in kinds()[piece.kind].faults_over(piece, references, ()):
                yield f"{piece.name}: {fault}", remedy

    def pieces(self, question: Question) -> Iterator[Question]:
        return (part for _, _, part in questions_of(question))

    def parts(self, template: CaseTemplate, draw: Draw, solved: Solved) -> Iterator[tuple[CasePart, Draw]]:
        for part in solved.parts:
            yield part.piece, part.draw

    # How it is shown ------------------------------------------------------------------------------------------------

    def body(self, form: CaseForm) -> str:
        parts = []
        for number, part in enumerate(form.parts, start=1):
            inner = part.its_kind.body(part.form)
            parts.append(f"**{_label(number, part)}**\n\n{part.prompt}" + (f"\n\n{inner}" if inner else ""))
        return "\n\n".join([*parts, f"*{GOES_ON}*"])

    def view(self, form: CaseForm) -> View:
        return {"how": GOES_ON, "fields": [{"type": "parts", "parts": list(map(_view, form.parts))}]}

    def preview(self, form: CaseForm, raw: Any) -> View:
        given = raw if isinstance(raw, Mapping) else {}
        return {
            part.name: part.its_kind.preview(part.form, given[part.name]) for part in form.parts if part.name in given
        }

    def instruction(self, form: CaseForm, variable: str) -> str:
        return f"Fill in `{variable}`: an answer for each part, after its name."

    def example(self, form: CaseForm) -> str:
        named = [(part.name, part.its_kind.example(part.form)) for part in form.parts]
        short = [f"{name} = {example}" for name, example in named if "\n" not in example and ";" not in example]
        return "; ".join(short[:2])

    def cells(self, form: CaseForm, variable: str) -> str:
        lines = []
        for part in form.parts:
            cell = part.its_kind.cells(part.form, variable)
            lines.append(f'    "{part.name}": {_as_value(cell.removeprefix(f"{variable} = "))}')
        return "\n".join([f"{variable} = {{", *lines, "}"])

    def owners_of_hints(self, question: Question) -> Sequence[str | None]:
        shown = _form(question).parts
        of_case = len(question.hints) - sum(part.hints for part in shown)
        return [None] * of_case + [part.name for part in shown for _ in range(part.hints)]

    def hints_in_place(self, question: Question) -> Sequence[str]:
        """Return the hints without the headings of their parts."""
        shown, owners = _form(question).parts, self.owners_of_hints(question)
        heads = {part.name: _headed(number, part.title) for number, part in enumerate(shown, start=1)}
        return [
            hint.removeprefix(heads.get(owner or "", "")) for hint, owner in zip(question.hints, owners, strict=True)
        ]

    def hints_in_turn(self, question: Question, parts: Mapping[str, bool]) -> Sequence[int]:
        """Return those of parts that are not right yet first, once anything was checked."""
        owners = self.owners_of_hints(question)
        return sorted(range(len(owners)), key=lambda place: bool(parts) and parts.get(owners[place] or "", True))

    def mistakes(self, question: Question) -> list[str]:
        return [
            f"**{form.name}.** {said}"
            for form, _, asked in questions_of(question)
            for said in form.its_kind.mistakes(asked)
        ]

    # From an answer to a verdict ------------------------------------------------------------------------------------

    def parse(self, form: CaseForm, raw: Any) -> PartReplies | None:
        return reading.replies_of(form, raw)

    def read(self, form: CaseForm, value: PartReplies) -> str:
        return "; ".join(
            f"{part.name} = {part.its_kind.read(part.form, reply.value)}"
            for part, reply in zip(form.parts, value.parts, strict=True)
            if reply.value is not None
        )

    def gaps(self, form: CaseForm, value: PartReplies) -> str:
        pairs = list(zip(form.parts, value.parts, strict=True))
        missing = [part.name for part, reply in pairs if reply.is_blank]
        said = [f"Not answered yet: {', '.join(missing)}."] if missing else []
        for part, reply in pairs:
            if reply.value is not None and (gap := part.its_kind.gaps(part.form, reply.value)):
                said.append(f"{part.name}: {gap}")
        return "\n\n".join(filter(None, [*said, literal(self.unread(form, value))]))

    def unread(self, form: CaseForm, value: PartReplies) -> str:
        said = [reading.unknown(form, value.strangers)] if value.strangers else []
        for part, reply in zip(form.parts, value.parts, strict=True):
            why = reply.why or (part.its_kind.unread(part.form, reply.value) if reply.value is not None else "")
            if why:
                said.append(f"{part.name}: {why}")
        return "\n".join(said)

    def matches(self, question: Question, value: PartReplies, runner: Runner) -> Feedback:
        found = judge(question, value, runner)
        total = sum(judged.form.points for judged in found)
        parts = {judged.form.name: judged.is_right for judged in found}
        said = list(paragraphs(found))
        if value.strangers:
            said.append(literal(reading.unknown(_form(question), value.strangers)))
        is_right = all(parts.values())
        is_perfect = is_right and all(judged.earned == judged.form.points for judged in found)
        if not is_right:
            said.insert(0, right_in_words(sum(parts.values()), len(parts), "parts"))
        return Feedback.judged(
            question,
            1.0 if is_perfect else sum(judged.earned for judged in found) / total,
            *(() if is_perfect and not value.strangers else said),
            is_right=is_right,
            mistake=self._mistake(found),
            parts=parts,
            earned={judged.form.name: round(judged.earned, 4) for judged in found},
            notes=notes(found),
        )

    def _mistake(self, found: Sequence[Any]) -> int | None:
        """Return the first recognised mistake, numbered through all parts."""
        counts = [len(judged.form.its_kind.mistakes(judged.question)) for judged in found]
        for judged, before in zip(found, accumulate(counts, initial=0), strict=False):
            if judged.verdict is not None and judged.verdict.mistake is not None and not judged.is_right:
                return before + int(judged.verdict.mistake)
        return None

    def samples(self, question: Question) -> Sequence[Sample]:
        parts = [(form, asked, list(form.its_kind.samples(asked))) for form, _, asked in questions_of(question)]
        right = {form.name: _right_sample(samples) for form, _, samples in parts}
        first, names = parts[0][0].name, [form.name for form, _, _ in parts]
        unreadable = next(sample.raw for sample in parts[0][2] if sample.outcome == Outcome.UNREADABLE)
        found = [Sample(right, Outcome.CORRECT), Sample(list(right.values()), Outcome.CORRECT)]
        if all(isinstance(raw, str) and ";" not in raw for raw in right.values()):
            found.append(Sample("; ".join(f"{name} = {raw}" for name, raw in right.items()), Outcome.CORRECT))
        before = 0
        for form, asked, samples in parts:
            for sample in samples:
                if sample.mistake is not None:
                    found.append(Sample({form.name: sample.raw}, sample.outcome, before + sample.mistake))
            before += len(form.its_kind.mistakes(asked))
        return [
            *found,
            Sample({first: right[first]}, Outcome.PARTIAL),
            Sample({**right, first: unreadable}, Outcome.PARTIAL),
            Sample({**right, first: None}, Outcome.PARTIAL),
            Sample({first: unreadable}, Outcome.UNREADABLE),
            Sample({"seventy-seven": "a"}, Outcome.UNREADABLE),
            Sample("something", Outcome.UNREADABLE),
            Sample(7, Outcome.UNREADABLE),
            Sample(dict.fromkeys(names, ...), Outcome.BLANK),
            Sample("", Outcome.BLANK),
        ]


def _view(part: PartForm) -> View:
    inner = part.its_kind.view(part.form)
    return {
        "name": part.name,
        "label": part.title,
        "points": part.points,
        "hints": part.hints,
        "html": to_html(part.prompt) + inner.get("html", ""),
        "how": inner["how"],
        "fields": inner["fields"],
    }


def _shown(part: SolvedPart) -> Any:
    answer: Any = part.piece.answer  # type: ignore[attr-defined]
    assert part.bounds is not None
    return number_in_unit(whole(part.bounds.right), answer.unit, answer.direction or "none")


def _headed(number: int, heading: str) -> str:
    """Return the words before a hint that say which part it is for."""
    return f"*{number}. {_sentence(heading)}* "


def _sentence(heading: str) -> str:
    return heading if heading.endswith(("?", "!", ".")) else f"{heading}."


def _form(question: Question) -> CaseForm:
    assert isinstance(question.form, CaseForm)
    return question.form


def _label(number: int, part: PartForm) -> str:
    return f"{number}. {part.title} ({in_points(part.points)})"


def _right_sample(samples: Sequence[Sample]) -> Any:
    """Return a right answer as form fields give it, as a value other than text if there is one."""
    right = [sample.raw for sample in samples if sample.outcome == Outcome.CORRECT]
    return next((raw for raw in right if not isinstance(raw, str)), right[0])


def _as_value(source: str) -> str:
    """Return the right-hand side of an answer cell as a value of a dictionary, followed by its comment."""
    lines = source.split("\n")
    value, mark, comment = lines[0].partition("  # ")
    if len(lines) == 1:
        return f"{value},{mark}{comment}"
    try:
        is_text = isinstance(ast.literal_eval(source), str)
    except (ValueError, SyntaxError):
        is_text = False
    return "\n".join([lines[0], *(line if is_text else f"    {line}" for line in lines[1:])]) + ","


KIND = CaseKind()
