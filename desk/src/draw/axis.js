// Axes: the map from values to pixels, the ticks, and the format of numbers.

import { ticks as evenTicks } from "d3-array";
import { svg } from "lit";

/**
 * @typedef {object} Axis
 * @property {string} label the quantity, with its unit
 * @property {number} low
 * @property {number} high
 * @property {boolean} [log] whether the axis is logarithmic
 * @property {[number, string][]} [ticks] values and their labels; evenly spaced if omitted
 */

const SHORT = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });

/** Format a number with three significant digits. */
export const written = (value) =>
  Math.abs(value) >= 1e6 || (value && Math.abs(value) < 1e-3) ? value.toExponential(1) : SHORT.format(value);

/**
 * Return the function that maps the values of an axis to the range between two pixels.
 * @param {Axis} axis
 * @param {number} from
 * @param {number} to
 */
export function scale(axis, from, to) {
  const at = axis.log ? Math.log : (value) => value;
  const low = at(axis.low);
  const span = at(axis.high) - low || 1;
  return (value) => from + ((at(value) - low) / span) * (to - from);
}

/** Return the ticks of an axis: the given ones, else evenly spaced ones or powers of ten. */
export function ticksOf(axis, count = 5) {
  if (axis.ticks) return axis.ticks.filter(([value]) => value >= axis.low && value <= axis.high);
  if (!axis.log) return evenTicks(axis.low, axis.high, count).map((value) => [value, written(value)]);
  const first = Math.ceil(Math.log10(axis.low) - 1e-9);
  const last = Math.floor(Math.log10(axis.high) + 1e-9);
  const powers = evenTicks(first, last, count).filter(Number.isInteger);
  return powers.map((power) => [10 ** power, written(10 ** power)]);
}

/** An axis along the bottom, with vertical grid lines and its label below. */
export function bottomAxis(axis, place, { left, right, top, bottom }) {
  return svg`<g class="axis">
    ${ticksOf(axis, right - left < 420 ? 4 : 7).map(
      ([value, text]) => svg`<line class="grid" x1=${place(value)} x2=${place(value)} y1=${top} y2=${bottom}></line>
        <text x=${place(value)} y=${bottom + 15} text-anchor="middle">${text}</text>`,
    )}
    <text class="name" x=${(left + right) / 2} y=${bottom + 33} text-anchor="middle">${axis.label}</text>
  </g>`;
}

/** An axis along the left side, with horizontal grid lines and its label above. */
export function leftAxis(axis, place, { left, right, top }) {
  return svg`<g class="axis">
    ${ticksOf(axis).map(
      ([value, text]) => svg`<line class="grid" x1=${left} x2=${right} y1=${place(value)} y2=${place(value)}></line>
        <text x=${left - 6} y=${place(value) + 4} text-anchor="end">${text}</text>`,
    )}
    <text class="name" x="2" y=${top - 10}>${axis.label}</text>
  </g>`;
}
