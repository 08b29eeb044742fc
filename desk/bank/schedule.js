// The order of operations on each stage of a pipeline, built with clicks and keys. Python's simulator computes when each runs.
// Its results appear below the buttons or in reserved lines, so that no button moves away during a click.

import { css, html, nothing, previewed, unsafeHTML } from "shardwise:desk";

// A draft is typed text, `{ text, under }`, or made with buttons, `{ lines, steps, under }`. Each step has its stage, the operation
// that it removed, if any, and whether it was applied to typed text. `under` is the draft that this one replaced.
// Undo can therefore go back through everything, including text that could not be read.
const isTyped = (draft) => draft?.text !== undefined;

/** The lines of a draft; of a typed one, as Python read them. Without a draft, the initial lines. */
const linesOf = (field, draft, reply) =>
  draft?.lines ?? ((draft ? reply.rows : undefined) ?? field.start.rows).map((row) => row.line);

const textOf = (field, draft) => {
  if (!draft?.lines) return draft?.text ?? field.source;
  return draft.lines.map((line, place) => `${field.start.rows[place].label}: ${line.join(" ")}`.trim()).join("\n");
};

const changed = (lines, stage, change) => lines.map((line, at) => (at === stage ? change(line) : line));
const withOne = (lines, stage, operation) => changed(lines, stage, (line) => [...line, operation]);
const withoutLast = (lines, stage) => changed(lines, stage, (line) => line.slice(0, -1));

/** The draft before the last step, or undefined if there is none. */
function before(draft) {
  const { lines, steps = [], under } = draft ?? {};
  const last = steps.at(-1);
  if (!last || last.isOfText) return under;
  const { stage, taken } = last;
  return { lines: taken ? withOne(lines, stage, taken) : withoutLast(lines, stage), steps: steps.slice(0, -1), under };
}

export const schedule = {
  template(place) {
    const { field, id, draft, set } = place;
    const text = textOf(field, draft);
    return previewed(place, text, (reply, isOfThis, fault) => {
      const lines = linesOf(field, draft, reply);
      const now = fault ? {} : reply; // the reply to an older answer may be wrong for this one
      const isKnown = !draft?.text || isOfThis; // otherwise a button would replace the typed text by what was read before
      const step = (lines, done) => {
        const steps = [...(draft?.steps ?? []), { ...done, isOfText: isTyped(draft) }];
        set({ lines, steps, under: isTyped(draft) ? draft : draft?.under });
      };
      const put = (stage, operation) => isKnown && step(withOne(lines, stage, operation), { stage });
      const take = (stage) => {
        const taken = lines[stage]?.at(-1);
        if (isKnown && taken) step(withoutLast(lines, stage), { stage, taken });
      };
      const start = { lines: field.start.rows.map((row) => row.line), steps: [] };
      const type = (text) => set({ text, under: isTyped(draft) ? draft.under : (draft ?? start) });
      const back = before(draft);
      const isAtStart = text === field.source;
      const again = () => set({ ...start, under: draft });
      return html`<div class="field wide schedule">
        <div class="building">
        <div class="label" id="${id}-label">${field.label}</div>
        <div role="group" aria-labelledby="${id}-label" @keydown=${moved}>
          ${field.start.rows.map(({ label }, stage) =>
            row({ field, label, stage, line: lines[stage] ?? [], said: now.rows?.[stage], isKnown, put, take }),
          )}
        </div>
        <p class="quiet" id="${id}-keys">
          Press ${keysOf(field)} to append the next operation to a stage, Backspace to remove the last one, and the
          arrow keys to move between buttons.
        </p>
        <div class="buttons">
          <button type="button" aria-disabled=${back ? "false" : "true"} @click=${() => back && set(back)}>Undo</button>
          <button
            type="button" aria-disabled=${isAtStart ? "true" : "false"} @click=${() => isAtStart || again()}>
            Reset
          </button>
        </div>
        <details>
          <summary>Edit as text</summary>
          <textarea
            class="code" rows=${field.start.rows.length + 1} spellcheck="false" autocapitalize="off"
            aria-label="${field.label}, as text" .value=${text}
            @input=${(event) => type(event.target.value)}></textarea>
        </details>
        <p class="quiet told" aria-live="polite">${fault || (now.read ?? nothing)}</p>
        ${now.why ? html`<p class="quiet">${now.why}</p>` : nothing}
        </div>
        <div class="chart" style="min-height: ${heightFor(field.start.rows.length)}px">${unsafeHTML(now.picture ?? "")}</div>
      </div>`;
    });
  },
  answer(field, draft) {
    const text = textOf(field, draft);
    return text === field.source ? null : text;
  },
};

/** The largest height of a chart in pixels, with its target, margins and scroll bar, so that nothing below it moves. */
const heightFor = (stages) => 30 * stages + 92;

/** A stage: its line, a button for each operation that can come next, and Python's notes. */
function row({ field, label, stage, line, said, isKnown, put, take }) {
  const there = new Set(line);
  const waiting = new Set(said?.waiting);
  const nexts = field.series.map(({ operations }) => operations.find((operation) => !there.has(operation)));
  const pressed = (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const alike = field.series.flatMap(({ letter }, at) => (letter === event.key.toUpperCase() ? [at] : []));
    const next = nexts[alike[event.shiftKey ? 1 : 0]];
    if (next) put(stage, next);
    else if (event.key === "Backspace") take(stage);
    else return;
    event.preventDefault();
  };
  const notes = [
    said?.held ? html`<span class=${said.is_over ? "over" : ""}>${said.held}</span>` : "",
    said?.held && said.why ? " · " : "",
    said?.why ?? "",
  ].filter(Boolean);
  return html`<div class="stage" role="toolbar" aria-label=${`${label}: ${line.join(" ") || "empty"}`} @keydown=${pressed}>
    <span class="name">${label}</span>
    <span class="line">
      ${line.map((operation) => html`<code class=${waiting.has(operation) ? "waits" : ""}>${operation}</code>`)}
    </span>
    <span class="next">
      ${field.series.map(
        ({ name, letter, operations }, at) => html`<button
          type="button" class=${letter} tabindex=${at ? "-1" : "0"} aria-disabled=${isKnown && nexts[at] ? "false" : "true"}
          aria-label="${nexts[at] ? `Add ${nexts[at]}, ${name},` : `No ${name} left`} on ${label}"
          @click=${() => nexts[at] && put(stage, nexts[at])}>
          ${nexts[at] ?? operations.at(-1)}
        </button>`,
      )}
      <button
        type="button" tabindex="-1" aria-disabled=${isKnown && line.length ? "false" : "true"}
        aria-label="Remove the last operation from ${label}" @click=${() => take(stage)}>⌫</button>
    </span>
    <span class="quiet note">${notes}</span>
  </div>`;
}

/** Move focus with the arrow keys, to other buttons of a stage and to other stages. */
function moved(event) {
  const button = event.target.closest("button");
  const [along, across] =
    { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key] ?? [];
  if (!button || along === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
  const rows = [...event.currentTarget.children].map((stage) => [...stage.querySelectorAll("button")]);
  const stage = rows.findIndex((buttons) => buttons.includes(button));
  rows[stage + across]?.[rows[stage].indexOf(button) + along]?.focus();
  event.preventDefault();
}

/** The keys that append an operation, in words. */
function keysOf({ series }) {
  const letters = [...new Set(series.map(({ letter }) => letter))];
  const words = `${letters.slice(0, -1).join(", ")} or ${letters.at(-1)}`;
  return letters.length < series.length ? `${words} (with Shift for chunk 2)` : words;
}

schedule.style = css`
  .building { container-type: inline-size; max-width: var(--measure); }
  .chart { overflow-x: auto; } /* not the drawing, which is replaced at every step and would scroll back */
  .chart > * { overflow: visible !important; }
  .stage {
    display: grid;
    grid-template-columns: 4.5rem 1fr auto;
    align-items: center;
    gap: 0.2rem 0.6rem;
    padding: 0.3rem 0;
    border-top: 1px solid var(--edge);
  }
  .stage .line { display: flex; flex-wrap: wrap; gap: 0.1rem 0.5rem; width: auto; min-width: 0; padding: 0; border: 0; cursor: default; }
  .stage .line:hover { background: none; }
  .stage .waits { color: var(--quiet); text-decoration: underline dotted; }
  .stage .next { display: flex; gap: 0.3rem; }
  .stage button { min-width: 2.7rem; padding: 0 0.4rem; font-family: var(--mono); font-size: 13px; }
  .stage .F { border-color: var(--draw-blue, #1f6fae); }
  .stage .B { border-color: var(--draw-orange, #b94f00); }
  .stage .W { border-color: var(--draw-green, #00795a); }
  .stage .note { grid-column: 2 / -1; min-height: 1.65em; }
  .told { min-height: 1.65em; margin-top: 0.8rem; }
  .stage .over { color: var(--incorrect); font-weight: 600; }
  details summary { margin: 0.6rem 0 0.3rem; width: fit-content; cursor: pointer; }
  @container (max-width: 40rem) {
    .stage .note, .told { min-height: 3.3em; }
  }
  @container (max-width: 34rem) {
    .stage { grid-template-columns: 1fr auto; }
    .stage .line { grid-column: 1 / -1; grid-row: 2; min-height: 1.65em; }
    .stage .next { flex-wrap: wrap; justify-content: flex-end; }
    .stage .name { white-space: nowrap; }
    .stage .note { grid-column: 1 / -1; }
  }
`;
