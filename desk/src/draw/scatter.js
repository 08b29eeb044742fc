// A scatter plot in which a point can be selected by mouse or arrow keys; a line joins the best points.

import { svg } from "lit";
import { bottomAxis, leftAxis, scale } from "./axis.js";
import { paint } from "./style.js";

/**
 * @typedef {object} Scatter
 * @property {string} title
 * @property {import("./axis.js").Axis} x
 * @property {import("./axis.js").Axis} y
 * @property {{x: number, y: number, text: string, colour?: string, name?: string, open?: boolean}[]} points `name` is their kind, for the legend
 * @property {[number, number][]} [front] the best points
 * @property {string} [frontName]
 * @property {string} [openName] of the points drawn as rings
 * @property {number} [picked] the index of the selected point
 * @property {{x?: number, y?: number, text: string}[]} [marks] limits
 */

const HEIGHT = 320;

/**
 * @param {Scatter} data
 * @param {number} width
 * @param {(place: number) => void} [pick] called with the index of the selected point
 */
export function scatter(data, width, pick) {
  const box = { left: 58, right: width - 14, top: 26, bottom: HEIGHT - 44 };
  const x = scale(data.x, box.left, box.right);
  const y = scale(data.y, box.bottom, box.top);
  const order = data.points.map((_, place) => place).sort((one, other) => data.points[one].x - data.points[other].x);
  const reached = data.picked ?? order[0]; // the point that Tab reaches
  const move = (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const to =
      event.key === "Home" ? 0 : event.key === "End" ? order.length - 1 : step && order.indexOf(reached) + step;
    if (to === undefined || order[to] === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.currentTarget.querySelector(`[data-place="${order[to]}"]`).focus();
    pick(order[to]);
  };
  return {
    height: HEIGHT,
    interactive: Boolean(pick),
    picture: svg`
      ${bottomAxis(data.x, x, box)} ${leftAxis(data.y, y, box)}
      ${(data.marks ?? []).map((mark) => limit(mark, x, y, box))}
      ${data.front ? svg`<path class="line" stroke=${paint("grey")} d=${`M${data.front.map(([at, value]) => `${x(at)},${y(value)}`).join("L")}`}></path>` : ""}
      <g role=${pick ? "listbox" : "none"} aria-label=${data.title} @keydown=${pick ? move : null}>
        ${data.points.map(
          (
            point,
            place,
          ) => svg`<circle cx=${x(point.x)} cy=${y(point.y)} r=${place === data.picked ? 7 : 5} data-place=${place}
            class=${pick ? "pickable" : ""} fill=${point.open ? "var(--back)" : paint(point.colour)} stroke=${place === data.picked ? "var(--text)" : paint(point.colour)} stroke-width=${place === data.picked ? 2.5 : point.open ? 2 : 0}
            role=${pick ? "option" : "none"} aria-selected=${place === data.picked} aria-label=${point.text} tabindex=${pick && place === reached ? 0 : -1}
            @click=${pick ? () => pick(place) : null}><title>${point.text}</title></circle>`,
        )}
      </g>`,
  };
}

function limit(mark, x, y, box) {
  if (mark.x !== undefined) {
    const at = x(mark.x);
    return svg`<line class="mark" x1=${at} x2=${at} y1=${box.top} y2=${box.bottom}></line>
      <text class="words" x=${at} y=${box.top - 8} text-anchor="end">${mark.text}</text>`;
  }
  const height = y(mark.y);
  return svg`<line class="mark" x1=${box.left} x2=${box.right} y1=${height} y2=${height}></line>
    <text class="words" x=${box.right} y=${height - 5} text-anchor="end">${mark.text}</text>`;
}

/** The entries of the legend, if the points are of several kinds. */
scatter.legend = (data) => {
  const kinds = new Map(data.points.filter((point) => point.name).map((point) => [point.name, point.colour]));
  const named = [...kinds].map(([name, colour]) => ({ name, colour, shape: "dot" }));
  if (data.points.some((point) => point.open)) named.push({ name: data.openName, colour: "grey", shape: "ring" });
  return data.frontName ? [...named, { name: data.frontName, colour: "grey", shape: "line" }] : named;
};

/** The table: a row per point. */
scatter.table = (data) => ({
  head: ["point", data.x.label, data.y.label],
  rows: data.points.map((point) => [point.text, point.x, point.y].map(String)),
});
