// A drawing on a page: its legend, its chart, and its numbers as a table for readers who cannot see it.

import { html, svg } from "lit";
import { bars } from "./bars.js";
import { gantt } from "./gantt.js";
import { lines } from "./lines.js";
import { ring } from "./ring.js";
import { scatter } from "./scatter.js";
import { servers } from "./servers.js";
import { stack } from "./stack.js";
import { paint } from "./style.js";

const DRAWINGS = { bars, gantt, lines, ring, scatter, servers, stack };

/**
 * Draw a chart from plain data.
 * @param {keyof DRAWINGS} kind
 * @param {any} data the input of that drawing; its `title` is a sentence that describes the chart
 * @param {number} width in pixels; text keeps its size at any width
 * @param {(place: number) => void} [pick] called with the selected item, by drawings that allow selection
 */
export function drawing(kind, data, width, pick) {
  const draw = DRAWINGS[kind];
  const { height, picture, interactive } = draw(data, width, pick);
  const { head, rows } = draw.table(data);
  return html`<div class="drawing">
    <ul class="legend">
      ${draw.legend(data).map(({ name, colour, shape }) => html`<li>${swatch(shape, colour)}${name}</li>`)}
    </ul>
    <svg
      role=${interactive ? "group" : "img"}
      aria-label=${data.title}
      width=${width}
      height=${height}
      viewBox="0 0 ${width} ${height}"
    >
      ${picture}
    </svg>
    <details>
      <summary>Show as a table</summary>
      <div class="scroll" tabindex="0" role="region" aria-label="Table of ${data.title}">
        <table>
          <thead>
            <tr>
              ${head.map((name) => html`<th scope="col">${name}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${rows.map(
              ([name, ...values]) =>
                html`<tr>
                  <th scope="row">${name}</th>
                  ${values.map((value) => html`<td>${value}</td>`)}
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
    </details>
  </div>`;
}

function swatch(shape, colour) {
  const drawn = {
    line: svg`<path d="M0,6H20" stroke=${paint(colour)} stroke-width="2.5"></path>`,
    dashed: svg`<path d="M0,6H20" stroke=${paint(colour)} stroke-width="2.5" stroke-dasharray="6 4"></path>`,
    cross: svg`<path d="M6,2l8,8m0,-8l-8,8" stroke=${paint(colour)} stroke-width="2.5"></path>`,
    area: svg`<rect width="14" height="12" x="3" rx="2" fill=${paint(colour)}></rect>`,
    shade: svg`<rect width="14" height="12" x="3" rx="2" fill=${paint(colour)} fill-opacity="0.3"></rect>`,
    dot: svg`<circle cx="10" cy="6" r="5" fill=${paint(colour)}></circle>`,
    range: svg`<path class="range" d="M2,6H18M2,3v6M18,3v6"></path>`,
    ring: svg`<circle cx="10" cy="6" r="4.5" fill="none" stroke=${paint(colour)} stroke-width="2"></circle>`,
  };
  return svg`<svg width="20" height="12" aria-hidden="true">${drawn[shape]}</svg>`;
}
