// The parts of a larger question, one open at a time, each with the feedback to it.

import { css, html, nothing } from "lit";
import { unsafeHTML } from "lit/directives/unsafe-html.js";
import { hintButton, hintsAsked } from "../hints.js";
import { withState } from "../local.js";
import { since } from "../since.js";

const MARKS = { correct: "✓", partial: "◐", incorrect: "✗", unreadable: "?", blank: "○" };

const LONG = 6; // parts of a case whose data are out of sight from its later parts

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

export const parts = {
  template(place) {
    const { field, id, draft, checked, fieldsOf, siblings, hinted, prompt } = place;
    return withState(
      ({ isOpen = false }, change) => html`<div class="parts">
      ${field.parts.map((part, at) => {
        const note = checked?.notes?.[part.name];
        const changed = note && !same(checked.answer?.[part.name], siblings.answerOf(part.fields, draft?.[part.name]));
        const next = field.parts[at + 1];
        const hints = hinted.to(part.name);
        return html`<details name="${id}-parts" id="${id}-${part.name}" ?open=${at === 0}>
          <summary>
            <span class="letter">${at + 1}.</span>
            <span class="title">${part.label}</span>
            ${note ? mark(note, part.points, changed) : html`<span class="quiet">${points(part.points)}</span>`}
          </summary>
          <div class="prose">${unsafeHTML(part.html)}</div>
          ${at > 0 && field.parts.length >= LONG ? data(prompt, isOpen, change) : nothing}
          <p id="${id}-${part.name}-how" class="quiet">${part.how}</p>
          <div class="fields">
            ${fieldsOf(part.fields, {
              ...place,
              path: [...place.path, part.name],
              id: `${id}-${part.name}`,
              points: part.points,
              how: `${id}-${part.name}-how`,
              draft: draft?.[part.name],
              checked: checked && { ...checked, answer: checked.answer?.[part.name] },
            })}
          </div>
          ${
            note?.html
              ? html`${since(changed)}
                <div class="prose note ${changed ? "old" : ""}" data-outcome=${note.outcome}>${unsafeHTML(note.html)}</div>`
              : nothing
          }
          <div class="buttons">
            <button>Check so far</button>
            ${part.hints ? hintButton(part.hints - hints.length, () => hinted.ask(part.name)) : nothing}
            ${next ? html`<button type="button" @click=${(event) => goTo(event, `${id}-${next.name}`)}>Next part</button>` : nothing}
          </div>
          ${hintsAsked(hints)}
        </details>`;
      })}
    </div>`,
    );
  },
  answer: (field, draft, { answerOf }) =>
    Object.fromEntries(field.parts.map((part) => [part.name, answerOf(part.fields, draft?.[part.name])])),
};

/** The data of the whole case within one of its parts; opened in one part, they stay open in the others. */
function data(prompt, isOpen, change) {
  return html`<details class="data" ?open=${isOpen} @toggle=${(event) => change({ isOpen: event.target.open })}>
    <summary>Data of the case</summary>
    <div class="prose" tabindex="0" role="region" aria-label="Data of the case">${unsafeHTML(prompt)}</div>
  </details>`;
}

const points = (number) => `${number} point${number === 1 ? "" : "s"}`;

/** Show what a part earned at the last check. */
function mark({ outcome, earned }, most, changed) {
  if (outcome === "blank") return html`<span class="quiet">${MARKS.blank} ${points(most)}</span>`;
  const told = outcome === "unreadable" ? "unreadable" : `${earned} of ${points(most)}`;
  return html`<span class="mark" data-outcome=${changed ? "blank" : outcome}>
    ${MARKS[outcome]} ${told}${changed ? ", changed since" : ""}
  </span>`;
}

/** Open another part, which closes this one, and focus it. */
function goTo(event, id) {
  const part = event.target.getRootNode().getElementById(id);
  part.open = true;
  part.querySelector("summary").focus();
  part.scrollIntoView({ block: "nearest" });
}

parts.style = css`
  .parts > details { border-top: 1px solid var(--edge); padding: 0.15rem 0; }
  .parts > details[open] { padding-bottom: 1rem; }
  .parts > details > :not(summary) { max-width: calc(var(--measure) - 1.6rem); margin-left: 1.6rem; }
  .parts > details > summary { display: flex; flex-wrap: wrap; gap: 0 0.5rem; width: auto; margin: 0; padding: 0.4rem 0; cursor: pointer; list-style: none; }
  .parts .data { margin-block: 0.6rem; }
  .parts .data summary { width: fit-content; color: var(--accent); cursor: pointer; }
  .parts .data .prose { max-height: min(40vh, 20rem); margin-top: 0.3rem; padding: 0.4rem 0.75rem; overflow: auto; border: 1px solid var(--edge); border-radius: 5px; }
  .parts summary .letter { min-width: 1.6em; text-align: right; }
  .parts summary .title { flex: 1 1 8rem; font-weight: 600; }
  .parts summary :is(.quiet, .mark) { margin-left: auto; white-space: nowrap; }
  .parts .mark, .parts .note { --outcome: var(--blank); }
  .parts .mark { color: var(--outcome); font-weight: 600; }
  .parts .note { margin-top: 0.9rem; padding-left: 0.9rem; border-left: 4px solid var(--outcome); }
  .parts .note.old { --outcome: var(--edge); color: var(--quiet); }
  .parts [data-outcome="correct"] { --outcome: var(--correct); }
  .parts [data-outcome="partial"] { --outcome: var(--partial); }
  .parts [data-outcome="incorrect"] { --outcome: var(--incorrect); }
  .parts [data-outcome="unreadable"] { --outcome: var(--unreadable); }
  @media (max-width: 34rem) { .parts > details > :not(summary) { margin-left: 0; } }
`;
