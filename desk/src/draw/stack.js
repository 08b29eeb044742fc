// A stacked area chart over time.

import { svg } from "lit";
import { leftAxis, scale, written } from "./axis.js";
import { marked } from "./lines.js";
import { paint } from "./style.js";

/**
 * @typedef {object} Stack
 * @property {string} title
 * @property {{low: number, high: number}} x time
 * @property {import("./axis.js").Axis} y
 * @property {{name: string, from: number, to: number}[]} phases labels below the time axis
 * @property {{name: string, colour?: string}[]} kinds from the bottom up
 * @property {{from: number, to: number, sizes: number[], name?: string}[]} moments in order, with the size of each
 *   kind; named ones appear in the table
 * @property {{x?: number, y?: number, text?: string, colour?: string}[]} [marks] as in lines
 * @property {number} [now] later moments are not drawn
 */

const HEIGHT = 300;
const LETTER = 6.6; // approximate width of a 12-pixel letter

/** @param {Stack} data @param {number} width */
export function stack(data, width) {
  const box = { left: 58, right: width - 18, top: 26, bottom: HEIGHT - 44 };
  const x = scale(data.x, box.left, box.right);
  const y = scale(data.y, box.bottom, box.top);
  const now = data.now ?? data.x.high;
  const begun = data.moments.filter((moment) => moment.from < now);
  const known = (data.marks ?? []).filter((mark) => (mark.x ?? now) <= now);
  return {
    height: HEIGHT,
    picture: svg`
      ${leftAxis(data.y, y, box)}
      ${data.phases.map((phase) => named(phase, x, box))}
      ${data.kinds.map(({ colour }, place) => svg`<path d=${layer(begun, place, now, x, y)} fill=${paint(colour)}></path>`)}
      ${data.now === undefined ? "" : svg`<line class="now" x1=${x(now)} x2=${x(now)} y1=${box.top} y2=${box.bottom} stroke="var(--text)"></line>`}
      ${known.map((mark) => marked(mark, x, y, box))}`,
  };
}

/** A phase: its start and end, and its name below; lower if the phase is short, to avoid its neighbours' names. */
function named({ name, from, to }, x, { top, bottom }) {
  const low = x(to) - x(from) < name.length * LETTER;
  return svg`${[from, to].map((at) => svg`<line class="grid" x1=${x(at)} x2=${x(at)} y1=${top} y2=${bottom + 4}></line>`)}
    <text x=${(x(from) + x(to)) / 2} y=${bottom + (low ? 31 : 15)} text-anchor="middle">${name}</text>`;
}

const sum = (sizes) => sizes.reduce((total, size) => total + size, 0);

/** Return the path around a layer: along its top, and back along the layer below. */
function layer(moments, place, until, x, y) {
  const edge = (count) =>
    moments.flatMap(({ from, to, sizes }) => {
      const height = y(sum(sizes.slice(0, count))).toFixed(1);
      return [from, Math.min(to, until)].map((at) => `${x(at).toFixed(1)},${height}`);
    });
  return moments.length ? `M${[...edge(place + 1), ...edge(place).reverse()].join("L")}Z` : "";
}

/** The entries of the legend. */
stack.legend = (data) => data.kinds.map(({ name, colour }) => ({ name, colour, shape: "area" }));

/** The table: a row per named moment, a column per kind, and the total. */
stack.table = (data) => ({
  head: ["moment", ...data.kinds.map(({ name }) => name), `total: ${data.y.label}`],
  rows: data.moments
    .filter(({ name }) => name)
    .map(({ name, sizes }) => [name, ...[...sizes, sum(sizes)].map(written)]),
});
