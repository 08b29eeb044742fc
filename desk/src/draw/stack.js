// What is held over time, one kind on top of the other.

import { svg } from "lit";
import { leftAxis, scale, written } from "./axis.js";
import { marked } from "./lines.js";
import { paint } from "./style.js";

/**
 * @typedef {object} Stack
 * @property {string} title
 * @property {{low: number, high: number}} x time
 * @property {import("./axis.js").Axis} y
 * @property {{name: string, from: number, to: number}[]} phases what stands under the axis of time
 * @property {{name: string, colour?: string}[]} kinds from the ground up
 * @property {{from: number, to: number, sizes: number[], name?: string}[]} moments one after the other, with the size of each
 *   kind; those with a name are in the table
 * @property {{x?: number, y?: number, text?: string, colour?: string}[]} [marks] as in lines
 * @property {number} [now] only what began before this moment is drawn
 */

const HEIGHT = 300;
const LETTER = 6.6; // about as wide as a letter of 12 pixels is

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

/** A phase: where it begins and ends, and its name under it; lower where it is short, beside the names of its neighbours. */
function named({ name, from, to }, x, { top, bottom }) {
  const low = x(to) - x(from) < name.length * LETTER;
  return svg`${[from, to].map((at) => svg`<line class="grid" x1=${x(at)} x2=${x(at)} y1=${top} y2=${bottom + 4}></line>`)}
    <text x=${(x(from) + x(to)) / 2} y=${bottom + (low ? 31 : 15)} text-anchor="middle">${name}</text>`;
}

const sum = (sizes) => sizes.reduce((total, size) => total + size, 0);

/** The path around a kind: along its top, and back along what it stands on. */
function layer(moments, place, until, x, y) {
  const edge = (count) =>
    moments.flatMap(({ from, to, sizes }) => {
      const height = y(sum(sizes.slice(0, count))).toFixed(1);
      return [from, Math.min(to, until)].map((at) => `${x(at).toFixed(1)},${height}`);
    });
  return moments.length ? `M${[...edge(place + 1), ...edge(place).reverse()].join("L")}Z` : "";
}

/** What stands for what. */
stack.legend = (data) => data.kinds.map(({ name, colour }) => ({ name, colour, shape: "area" }));

/** A row for each moment with a name, a column for each kind, and the sum. */
stack.table = (data) => ({
  head: ["moment", ...data.kinds.map(({ name }) => name), `all: ${data.y.label}`],
  rows: data.moments
    .filter(({ name }) => name)
    .map(({ name, sizes }) => [name, ...[...sizes, sum(sizes)].map(written)]),
});
