// What a plan comes to, as Python says it: figures, bars, places, a pipeline and remarks.

import { drawing, html, nothing } from "shardwise:desk";

/** Sentences, one under the other. */
export function remarks(sentences, kind = "") {
  if (!sentences?.length) return nothing;
  return html`<ul class="remarks ${kind}">${sentences.map((words) => html`<li>${words}</li>`)}</ul>`;
}

/** Figures with what they are, and a remark to each. */
export function figures(rows) {
  return html`<dl class="facts">
    ${rows.map(
      ({ name, value, note }) =>
        html`<div><dt>${name}</dt><dd class="value">${value}</dd><dd class="note">${note}</dd></div>`,
    )}
  </dl>`;
}

/** Parts of a sum, each with its amount and its share. */
export function amounts(summary, rows) {
  return html`<details>
    <summary>${summary}</summary>
    <table class="amounts">
      ${rows.map(({ name, amount, share }) => html`<tr><td>${name}</td><td>${amount}</td><td>${share}</td></tr>`)}
    </table>
  </details>`;
}

/** Where the groups of each axis sit. */
export function places(rows) {
  if (!rows.length) return html`<p>One GPU: nothing is sent.</p>`;
  const head = ["axis", "GPUs in a group", "where", "what they send each other"];
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Table of where the axes sit">
    <table>
      <thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
      <tbody>
        ${rows.map(
          ({ axis, size, sits, sends }) =>
            html`<tr><th scope="row">${axis}</th><td>${size.toLocaleString("en")}</td><td>${sits}</td><td>${sends}</td></tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** All of a plan but its search. */
export function results(shown, drawn, width) {
  return html`
    <section aria-label="What the plan comes to">
      ${remarks(shown.faults, "broken")}
      <p class="quiet">${shown.line}</p>
      ${shown.figures ? figures(shown.figures) : nothing}
      ${remarks(shown.warnings)}
    </section>
    ${
      shown.memory
        ? html`
          <section aria-labelledby="memory">
            <h4 id="memory">Memory of the fullest GPU</h4>
            ${drawing("bars", shown.memory, width)} ${amounts("Each bucket", shown.buckets)}
          </section>
          <section aria-labelledby="peak">
            <h4 id="peak">What becomes of the peak</h4>
            ${drawing("bars", shown.peak, width)} ${amounts("Each part of the step", shown.parts)}
          </section>
          <section aria-labelledby="pipeline">
            <h4 id="pipeline">The pipeline</h4>
            ${drawn?.gantt ? html`<p class="quiet">${drawn.gantt.title}</p>${drawing("gantt", drawn.gantt, width)}` : html`<p>${drawn?.words}</p>`}
          </section>`
        : nothing
    }
    <section aria-labelledby="places">
      <h4 id="places">Where the axes sit</h4>
      ${places(shown.places)}
      ${
        shown.counted.length
          ? html`<details><summary>How this counts</summary><ul>${shown.counted.map((words) => html`<li>${words}</li>`)}</ul></details>`
          : nothing
      }
    </section>`;
}
