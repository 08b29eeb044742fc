// Curves over an axis, with areas between two curves and marks that name a value.

import { svg } from "lit";
import { bottomAxis, leftAxis, scale, written } from "./axis.js";
import { paint } from "./style.js";

/**
 * @typedef {object} Line
 * @property {string} name
 * @property {string} [colour]
 * @property {boolean} [dashed]
 * @property {boolean} [dots] whether only its points are drawn
 * @property {boolean} [steps] whether a value holds until the next one
 * @property {[number, number][]} points
 *
 * @typedef {object} Lines
 * @property {string} title
 * @property {import("./axis.js").Axis} x
 * @property {import("./axis.js").Axis} y
 * @property {Line[]} lines
 * @property {{name: string, colour?: string, points: [number, number, number][]}[]} [areas] between two heights
 * @property {{x?: number, y?: number, text?: string, colour?: string}[]} [marks] a line at a value, or a dot where both are given
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

/** A curve up to a moment. */
function until(line, now = Number.POSITIVE_INFINITY) {
  const points = line.points.filter(([at]) => at <= now);
  const cut = line.steps && points.length && points.length < line.points.length; // the last value holds until then
  return { ...line, points: cut ? [...points, [now, points[points.length - 1][1]]] : points };
}

/** The path of a curve. */
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

/** The path around an area. */
function ground(points, x, y) {
  const above = points.map(([at, , high]) => `${x(at).toFixed(1)},${y(high).toFixed(1)}`);
  const below = points.map(([at, low]) => `${x(at).toFixed(1)},${y(low).toFixed(1)}`).reverse();
  return `M${[...above, ...below].join("L")}Z`;
}

/** A curve of which only the points are drawn, as crosses: their shape says as much as their colour. */
function dots(line, x, y) {
  const cross = ([at, value]) => `M${x(at) - 4},${y(value) - 4}l8,8m0,-8l-8,8`;
  return svg`<path class="line" d=${line.points.map(cross).join("")} stroke=${paint(line.colour)}></path>`;
}

/** A value that is named: a dot, or a line through the whole drawing. Its words keep inside. */
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

/** What stands for what. */
lines.legend = (data) => [
  ...data.lines.map(({ name, colour, dashed, dots }) => ({
    name,
    colour,
    shape: dots ? "cross" : dashed ? "dashed" : "line",
  })),
  ...(data.areas ?? []).map(({ name, colour }) => ({ name, colour, shape: "shade" })),
];

/** Each curve in a row: where it begins and ends, its least and its most. */
lines.table = (data) => ({
  head: ["curve", `from ${data.x.label}`, `${data.y.label} there`, "to", "there", "least", "most"],
  rows: data.lines
    .filter((line) => line.points.length)
    .map(({ name, points }) => {
      const values = points.map(([, value]) => value);
      const [first, last] = [points[0], points[points.length - 1]];
      return [name, ...[first[0], first[1], last[0], last[1], Math.min(...values), Math.max(...values)].map(written)];
    }),
});
