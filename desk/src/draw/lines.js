// A line chart, with shaded areas between two curves and labelled marks.

import { svg } from "lit";
import { bottomAxis, leftAxis, scale, written } from "./axis.js";
import { paint } from "./style.js";

/**
 * @typedef {object} Line
 * @property {string} name
 * @property {string} [colour]
 * @property {boolean} [dashed]
 * @property {boolean} [dots] whether to draw only its points
 * @property {boolean} [steps] whether each value holds until the next
 * @property {[number, number][]} points
 *
 * @typedef {object} Lines
 * @property {string} title
 * @property {import("./axis.js").Axis} x
 * @property {import("./axis.js").Axis} y
 * @property {Line[]} lines
 * @property {{name: string, colour?: string, points: [number, number, number][]}[]} [areas] as x, lower and upper bound
 * @property {{x?: number, y?: number, text?: string, colour?: string}[]} [marks] a line at x or y, or a dot if both are given
 * @property {number} [now] curves are drawn up to here
 */

const HEIGHT = 300;

/** @param {Lines} data @param {number} width */
export function lines(data, width) {
  const box = { left: 58, right: width - 18, top: 26, bottom: HEIGHT - 44 };
  const x = scale(data.x, box.left, box.right);
  const y = scale(data.y, box.bottom, box.top);
  const inside = (value) => Math.min(box.bottom, Math.max(box.top, value));
  return {
    height: HEIGHT,
    picture: svg`
      ${bottomAxis(data.x, x, box)} ${leftAxis(data.y, y, box)}
      ${(data.areas ?? []).map((area) => svg`<path d=${ground(area.points, x, (value) => inside(y(value)))} fill=${paint(area.colour)} fill-opacity="0.22"></path>`)}
      ${data.lines.map((line) => until(line, data.now)).map((line) => (line.dots ? dots(line, x, y) : svg`<path class="line ${line.dashed ? "dashed" : ""}" d=${way(line, x, (value) => inside(y(value)))} stroke=${paint(line.colour)}></path>`))}
      ${(data.marks ?? []).map((mark) => marked(mark, x, y, box))}`,
  };
}

/** Return a curve up to a moment. */
function until(line, now = Number.POSITIVE_INFINITY) {
  const points = line.points.filter(([at]) => at <= now);
  const cut = line.steps && points.length && points.length < line.points.length; // extend the last value
  return { ...line, points: cut ? [...points, [now, points[points.length - 1][1]]] : points };
}

/** Return the path of a curve. */
function way(line, x, y) {
  let before = null;
  const pieces = line.points.map(([at, value]) => {
    const place = `${x(at).toFixed(1)},${y(value).toFixed(1)}`;
    const piece =
      before === null ? `M${place}` : line.steps ? `H${x(at).toFixed(1)}V${y(value).toFixed(1)}` : `L${place}`;
    before = value;
    return piece;
  });
  return pieces.join("");
}

/** Return the path around an area. */
function ground(points, x, y) {
  const above = points.map(([at, , high]) => `${x(at).toFixed(1)},${y(high).toFixed(1)}`);
  const below = points.map(([at, low]) => `${x(at).toFixed(1)},${y(low).toFixed(1)}`).reverse();
  return `M${[...above, ...below].join("L")}Z`;
}

/** The points of a curve as crosses, which can be recognised without colour. */
function dots(line, x, y) {
  const cross = ([at, value]) => `M${x(at) - 4},${y(value) - 4}l8,8m0,-8l-8,8`;
  return svg`<path class="line" d=${line.points.map(cross).join("")} stroke=${paint(line.colour)}></path>`;
}

/** A labelled mark: a dot, or a line across the chart. Its label stays inside the chart. */
export function marked(mark, x, y, box) {
  const at = mark.x === undefined ? box.right : x(mark.x);
  const height = mark.y === undefined ? box.top : y(mark.y);
  const anchor = at > (box.left + box.right) / 2 ? "end" : "start";
  const aside = anchor === "end" ? -6 : 6;
  const words = svg`<text class="words" x=${at + aside} y=${mark.y === undefined ? height + 11 : height - 7} text-anchor=${anchor}>${mark.text}</text>`;
  if (mark.x !== undefined && mark.y !== undefined) {
    return svg`<circle cx=${at} cy=${height} r="5" fill=${paint(mark.colour)}></circle>${words}`;
  }
  return mark.x === undefined
    ? svg`<line class="mark" x1=${box.left} x2=${box.right} y1=${height} y2=${height}></line>${words}`
    : svg`<line class="mark" x1=${at} x2=${at} y1=${box.top} y2=${box.bottom}></line>${words}`;
}

/** The entries of the legend. */
lines.legend = (data) => [
  ...data.lines.map(({ name, colour, dashed, dots }) => ({
    name,
    colour,
    shape: dots ? "cross" : dashed ? "dashed" : "line",
  })),
  ...(data.areas ?? []).map(({ name, colour }) => ({ name, colour, shape: "shade" })),
];

/** The table: a row per curve, with its start, end, minimum and maximum. */
lines.table = (data) => ({
  head: ["curve", `start: ${data.x.label}`, `start: ${data.y.label}`, "end: x", "end: y", "minimum", "maximum"],
  rows: data.lines
    .filter((line) => line.points.length)
    .map(({ name, points }) => {
      const values = points.map(([, value]) => value);
      const [first, last] = [points[0], points[points.length - 1]];
      return [name, ...[first[0], first[1], last[0], last[1], Math.min(...values), Math.max(...values)].map(written)];
    }),
});
