// Who does what when: a row each, a bar for each operation.

import { nothing, svg } from "lit";
import { bottomAxis, scale, written } from "./axis.js";
import { paint } from "./style.js";

/**
 * @typedef {object} Span
 * @property {number} row
 * @property {string} kind
 * @property {number} from
 * @property {number} to
 * @property {string} [text] what stands on the bar
 * @property {boolean} [low] drawn lower, as the second of two that share a row
 *
 * @typedef {object} Gantt
 * @property {string} title
 * @property {string[]} rows their names, from the top
 * @property {import("./axis.js").Axis} axis time
 * @property {Record<string, {name: string, colour?: string}>} kinds
 * @property {Span[]} spans
 * @property {number} [now] only what began before this moment is drawn
 * @property {{x: number, text?: string}[]} [marks] moments that are named
 */

const BAR = 24;
const LETTER = 6.6;
const SMALL_LETTER = 5.5; // of a label that is written smaller, since its bar is short
const NARROWEST = 10; // pixels of a bar that a label fits in on its side

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
  const gap = Math.min(1, 0.2 * (to - from)); // so that many short bars keep their shares
  const y = top + 3 + span.row * (BAR + 6) + (span.low ? BAR * 0.3 : 0);
  const height = span.low ? BAR * 0.7 : BAR;
  const kind = data.kinds[span.kind];
  return svg`<g>
    <rect x=${from} y=${y} width=${Math.max(0.5, to - from - gap)} height=${height} rx="2" fill=${paint(kind.colour)}><title>${said(span, data)}</title></rect>
    ${label(span.text ?? "", (from + to) / 2, y + height / 2, to - from, height)}
  </g>`;
}

/** What stands on a bar, as large as there is room: smaller on a short one, on its side on one that is shorter still. */
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

/** A bar in words. */
function said(span, data) {
  const name = [data.kinds[span.kind].name, span.text].filter(Boolean).join(" ");
  return `${name}: ${written(span.from)} to ${written(span.to)}`;
}

/** What stands for what. */
gantt.legend = (data) => {
  const shown = new Set(data.spans.map((span) => span.kind));
  return Object.entries(data.kinds)
    .filter(([kind]) => shown.has(kind))
    .map(([, { name, colour }]) => ({ name, colour, shape: "area" }));
};

/** A row for each row, with its operations in the order of time. */
gantt.table = (data) => ({
  head: ["row", `in the order of time, ${data.axis.label}`],
  rows: data.rows.map((row, place) => [
    row,
    data.spans
      .filter((span) => span.row === place)
      .sort((one, other) => one.from - other.from)
      .map((span) => said(span, data))
      .join("; "),
  ]),
});
