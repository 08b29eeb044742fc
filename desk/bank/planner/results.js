// The results of a plan, as Python returns them: key figures, bars, placement, a pipeline and remarks.

import { drawing, html, nothing } from "shardwise:desk";

/** A list of sentences. */
export function remarks(sentences, kind = "") {
  if (!sentences?.length) return nothing;
  return html`<ul class="remarks ${kind}">${sentences.map((words) => html`<li>${words}</li>`)}</ul>`;
}

/** Key figures, each with its label, its range and a note. */
function figures(rows) {
  return html`<dl class="facts">
      ${rows.map(
        ({ name, value, range, note }) => html`<div>
          <dt>${name}</dt>
          <dd class="value">${value}</dd>
          ${range ? html`<dd>${range}</dd>` : nothing}
          <dd class="note">${note}</dd>
        </div>`,
      )}
    </dl>`;
}

/** The parts of a sum, each with its amount and share. */
export function amounts(summary, rows) {
  return html`<details>
    <summary>${summary}</summary>
    <table class="amounts">
      ${rows.map(({ name, amount, share }) => html`<tr><td>${name}</td><td>${amount}</td><td>${share}</td></tr>`)}
    </table>
  </details>`;
}

/** The placement of the groups of each axis. */
export function places(rows) {
  if (!rows.length) return html`<p>One GPU: no communication.</p>`;
  const head = ["axis", "GPUs per group", "placement", "communication"];
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Table of placements">
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

/** All results of a plan except its search. */
export function results(shown, drawn, width) {
  return html`
    <section aria-label="Key figures">
      ${remarks(shown.faults, "broken")}
      <p class="quiet">${shown.line}</p>
      ${shown.figures ? html`${figures(shown.figures)}<p class="quiet">${shown.ranges}</p>` : nothing}
      ${remarks(shown.warnings)}
    </section>
    ${
      shown.memory
        ? html`
          <section aria-labelledby="memory">
            <h4 id="memory">Peak memory per GPU</h4>
            ${drawing("bars", shown.memory, width)} ${amounts("Memory by bucket", shown.buckets)}
          </section>
          <section aria-labelledby="peak">
            <h4 id="peak">Where the peak FLOP/s go</h4>
            ${drawing("bars", shown.peak, width)} ${amounts("Step time by part", shown.parts)}
          </section>
          <section aria-labelledby="pipeline">
            <h4 id="pipeline">Pipeline</h4>
            ${drawn?.gantt ? html`<p class="quiet">${drawn.gantt.title}</p>${drawing("gantt", drawn.gantt, width)}` : html`<p>${drawn?.words}</p>`}
          </section>`
        : nothing
    }
    <section aria-labelledby="places">
      <h4 id="places">Placement of the axes</h4>
      ${places(shown.places)}
      ${
        shown.counted.length
          ? html`<details><summary>Conventions</summary><ul>${shown.counted.map((words) => html`<li>${words}</li>`)}</ul></details>`
          : nothing
      }
    </section>`;
}
