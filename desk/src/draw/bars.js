// Horizontal stacked bars, with a limit.

import { svg } from "lit";
import { bottomAxis, scale, written } from "./axis.js";
import { paint } from "./style.js";

/**
 * @typedef {object} Bars
 * @property {string} title
 * @property {{label: string, high?: number, ticks?: [number, string][]}} axis
 * @property {Record<string, {name: string, colour?: string}>} kinds of parts
 * @property {{name: string, text?: string, parts: {kind: string, size: number, text?: string}[], range?: [number, number]}[]} rows `range` is where the sum may be
 * @property {{at: number, text: string}} [limit]
 */

const BAR = 22;
const LETTER = 6.6; // approximate width of a 12-pixel letter
const LINE = 15;
const BELOW = 7; // from a bar to its range

/** @param {Bars} data @param {number} width */
export function bars(data, width) {
  const longest = Math.max(...data.rows.map((row) => row.name.length)) * LETTER + 10;
  const over = longest > width * 0.28; // long names go above their bars
  const names = data.rows.map((row) => (over ? wrapped(row.name, width / LETTER) : [row.name]));
  const room = over ? LINE * Math.max(...names.map((lines) => lines.length)) : 0;
  const ranges = data.rows.flatMap((row) => row.range ?? []);
  const pitch = BAR + 12 + room + (ranges.length ? BELOW : 0);
  const top = data.limit ? 22 : 6;
  const box = { left: over ? 2 : longest, right: width - 12, top, bottom: top + data.rows.length * pitch };
  const tail = Math.max(...data.rows.map((row) => (row.text ?? "").length)) * LETTER + 8;
  const sums = data.rows.map(sum);
  const high = data.axis.high ?? Math.max(...sums, ...ranges, data.limit?.at ?? 0);
  const axis = { ...data.axis, low: 0, high };
  const x = scale(axis, box.left, box.right - tail);
  return {
    height: box.bottom + 42,
    picture: svg`
      ${bottomAxis(axis, x, { ...box, right: box.right - tail })}
      ${data.rows.map((row, place) => {
        const y = box.top + place * pitch + 6 + room;
        const above = (line) => y - 5 - LINE * (names[place].length - 1 - line);
        const end = x(Math.min(high, sums[place]));
        return svg`<g>
          ${over ? names[place].map((name, line) => svg`<text class="words" x=${box.left} y=${above(line)}>${name}</text>`) : svg`<text x=${box.left - 8} y=${y + 15} text-anchor="end">${row.name}</text>`}
          ${parts(row, x, y, data.kinds, high)}
          ${row.range ? svg`<path class="range" d=${span(...row.range.map(x), y + BAR + BELOW)}></path>` : ""}
          <text x=${end + 5} y=${y + 15}>${row.text}</text>
        </g>`;
      })}
      ${data.limit ? limit(data.limit, x(data.limit.at), box) : ""}`,
  };
}

/** Wrap a text into lines of at most `most` letters. */
function wrapped(text, most) {
  const lines = [""];
  for (const word of text.split(" ")) {
    if (`${lines.at(-1)} ${word}`.length > most) lines.push(word);
    else lines[lines.length - 1] = `${lines.at(-1)} ${word}`.trim();
  }
  return lines;
}

const sum = (row) => row.parts.reduce((total, part) => total + part.size, 0);

function parts(row, x, y, kinds, high) {
  let begun = 0;
  return row.parts.map((part) => {
    const [from, to] = [x(Math.min(high, begun)), x(Math.min(high, begun + part.size))];
    begun += part.size;
    const text = part.text ?? "";
    return svg`<rect x=${from} y=${y} width=${Math.max(0, to - from - 0.5)} height=${BAR} fill=${paint(kinds[part.kind].colour)}></rect>
      ${text && to - from > text.length * LETTER + 6 ? svg`<text class="on" x=${(from + to) / 2} y=${y + 15} text-anchor="middle">${text}</text>` : ""}`;
  });
}

const span = (from, to, y) => `M${from},${y}H${to}M${from},${y - 3}v6M${to},${y - 3}v6`;

function limit({ text }, at, box) {
  const anchor = at > (box.left + box.right) / 2 ? "end" : "start";
  return svg`<line class="mark" x1=${at} x2=${at} y1="16" y2=${box.bottom}></line>
    <text x=${at} y="12" text-anchor=${anchor}>${text}</text>`;
}

/** The entries of the legend. */
bars.legend = (data) => {
  const shown = new Set(data.rows.flatMap((row) => row.parts.map((part) => part.kind)));
  const named = Object.entries(data.kinds)
    .filter(([kind]) => shown.has(kind))
    .map(([, { name, colour }]) => ({ name, colour, shape: "area" }));
  return data.rows.some((row) => row.range) ? [...named, { name: "range", shape: "range" }] : named;
};

/** The table: a row per bar, a column per kind of part, and the total. */
bars.table = (data) => {
  const kinds = Object.keys(data.kinds);
  const size = (row, kind) =>
    row.parts.filter((part) => part.kind === kind).reduce((total, part) => total + part.size, 0);
  const between = (row) => (row.range ? [row.range.map(written).join(" to ")] : []);
  return {
    head: [
      "bar",
      ...kinds.map((kind) => data.kinds[kind].name),
      `total: ${data.axis.label}`,
      ...(data.rows[0]?.range ? ["range"] : []),
    ],
    rows: data.rows.map((row) => [
      row.name || "all",
      ...kinds.map((kind) => written(size(row, kind))),
      written(sum(row)),
      ...between(row),
    ]),
  };
};
