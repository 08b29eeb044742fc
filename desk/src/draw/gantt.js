// A Gantt chart: a row per worker, a bar per operation.

import { nothing, svg } from "lit";
import { bottomAxis, scale, written } from "./axis.js";
import { paint } from "./style.js";

/**
 * @typedef {object} Span
 * @property {number} row
 * @property {string} kind
 * @property {number} from
 * @property {number} to
 * @property {string} [text] the label of the bar
 * @property {boolean} [low] whether it is drawn lower, as the second of two in a row
 *
 * @typedef {object} Gantt
 * @property {string} title
 * @property {string[]} rows names, from the top
 * @property {import("./axis.js").Axis} axis time
 * @property {Record<string, {name: string, colour?: string}>} kinds
 * @property {Span[]} spans
 * @property {number} [now] operations that start later are not drawn
 * @property {{x: number, text?: string}[]} [marks] labelled moments
 */

const BAR = 24;
const LETTER = 6.6;
const SMALL_LETTER = 5.5; // in the smaller label of a short bar
const NARROWEST = 10; // width in pixels of a bar that fits a rotated label

/** @param {Gantt} data @param {number} width */
export function gantt(data, width) {
  const marks = data.marks ?? [];
  const top = marks.some((mark) => mark.text) ? 22 : 6;
  const left = Math.max(...data.rows.map((row) => row.length)) * LETTER + 10;
  const box = { left, right: width - 18, top, bottom: top + data.rows.length * (BAR + 6) };
  const x = scale(data.axis, box.left, box.right);
  const now = data.now ?? Number.POSITIVE_INFINITY;
  return {
    height: box.bottom + 42,
    picture: svg`
      ${bottomAxis(data.axis, x, box)}
      ${data.rows.map((row, place) => svg`<text x=${left - 8} y=${top + place * (BAR + 6) + 20} text-anchor="end">${row}</text>`)}
      ${data.spans.map((span) => (span.from < now ? bar(span, data, x, top, now) : ""))}
      ${marks.map((mark) => moment(mark, x(mark.x), box))}
      ${Number.isFinite(now) ? svg`<line class="now" x1=${x(now)} x2=${x(now)} y1=${top} y2=${box.bottom} stroke="var(--text)"></line>` : ""}`,
  };
}

function bar(span, data, x, top, now) {
  const [from, to] = [x(span.from), x(Math.min(now, span.to))];
  const gap = Math.min(1, 0.2 * (to - from)); // proportional, so that short bars keep their relative widths
  const y = top + 3 + span.row * (BAR + 6) + (span.low ? BAR * 0.3 : 0);
  const height = span.low ? BAR * 0.7 : BAR;
  const kind = data.kinds[span.kind];
  return svg`<g>
    <rect x=${from} y=${y} width=${Math.max(0.5, to - from - gap)} height=${height} rx="2" fill=${paint(kind.colour)}><title>${said(span, data)}</title></rect>
    ${label(span.text ?? "", (from + to) / 2, y + height / 2, to - from, height)}
  </g>`;
}

/** The label of a bar: smaller on a short bar, and rotated on an even shorter one. */
function label(text, x, y, room, height) {
  const small = room <= text.length * LETTER + 2;
  const upright = room > text.length * SMALL_LETTER + 2;
  const fits = upright || (room >= NARROWEST && text.length * SMALL_LETTER < height);
  if (!text || !fits) return "";
  return svg`<text class="on" x=${x} y=${y + (small ? 3.5 : 4)} text-anchor="middle" font-size=${small ? 10 : 12}
    transform=${upright ? nothing : `rotate(-90 ${x} ${y})`}>${text}</text>`;
}

function moment(mark, at, box) {
  const anchor = at > (box.left + box.right) / 2 ? "end" : "start";
  return svg`<line class="mark" x1=${at} x2=${at} y1=${box.top - 4} y2=${box.bottom}></line>
    <text x=${at} y=${box.top - 8} text-anchor=${anchor}>${mark.text}</text>`;
}

/** Describe a bar in words. */
function said(span, data) {
  const name = [data.kinds[span.kind].name, span.text].filter(Boolean).join(" ");
  return `${name}: ${written(span.from)} to ${written(span.to)}`;
}

/** The entries of the legend. */
gantt.legend = (data) => {
  const shown = new Set(data.spans.map((span) => span.kind));
  return Object.entries(data.kinds)
    .filter(([kind]) => shown.has(kind))
    .map(([, { name, colour }]) => ({ name, colour, shape: "area" }));
};

/** The table: a row per worker, with its operations in time order. */
gantt.table = (data) => ({
  head: ["row", `operations in time order, ${data.axis.label}`],
  rows: data.rows.map((row, place) => [
    row,
    data.spans
      .filter((span) => span.row === place)
      .sort((one, other) => one.from - other.from)
      .map((span) => said(span, data))
      .join("; "),
  ]),
});
