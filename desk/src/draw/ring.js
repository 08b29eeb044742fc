// A ring of GPUs with the chunks that each holds, and the chunks in transit to the right neighbour.

import { svg } from "lit";
import { paint } from "./style.js";

/**
 * @typedef {object} Ring
 * @property {string} title
 * @property {number[][]} held for each GPU (row) and chunk, the number of contributions summed so far
 * @property {{chunk: number, adds: boolean}[]} sends the chunk that each GPU has just sent to its right neighbour; none at the start
 * @property {string} [text] the text in the middle
 */

const LETTERS = "abcdefghijklmnop";

/** @param {Ring} data @param {number} width */
export function ring(data, width) {
  const gpus = data.held.length;
  const size = Math.min(width, 520);
  const cell = Math.min(22, (size / 2 - 55) / gpus); // so that two GPUs and the text between them fit side by side
  const [wide, high] = [cell * gpus, cell + 18];
  const [across, down] = [(size - wide) / 2 - 4, gpus > 6 ? 190 : 150];
  const [middle, centre] = [width / 2, down + high / 2 + 8];
  // Clockwise from the top, each GPU level with its counterpart on the other side, with equal distances between the rows.
  const spot = (gpu) => {
    const row = Math.min(gpu, gpus - gpu) / Math.floor(gpus / 2);
    return [middle + across * Math.sin((2 * Math.PI * gpu) / gpus), centre + down * (2 * row - 1)];
  };
  return {
    height: 2 * down + high + 20,
    picture: svg`
      <defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
        <path d="M0,0L8,4L0,8Z" fill=${paint("grey")}></path></marker></defs>
      ${data.sends.map((send, gpu) => arrow(send, spot(gpu), spot((gpu + 1) % gpus), gpus === 2 ? 60 - 120 * gpu : 0))}
      ${data.held.map((chunks, gpu) => node(chunks, gpu, spot(gpu), cell, wide, gpus, data.sends[(gpu + gpus - 1) % gpus]?.chunk))}
      <text x=${middle} y=${centre + 4} text-anchor="middle" class="name">${data.text}</text>`,
  };
}

/** A GPU: its name above its chunks. A complete chunk is filled, and one that has just arrived is framed. */
function node(chunks, gpu, [x, y], cell, wide, gpus, arrived) {
  const left = x - wide / 2;
  return svg`<g>
    <rect x=${left - 3} y=${y - cell / 2 - 17} width=${wide + 6} height=${cell + 21} rx="4" fill="var(--back)" stroke="var(--edge)"></rect>
    <text x=${x} y=${y - cell / 2 - 4} text-anchor="middle">GPU ${gpu}</text>
    ${chunks.map((count, chunk) => {
      const done = count === gpus;
      return svg`<rect x=${left + chunk * cell + 0.5} y=${y - cell / 2} width=${cell - 1} height=${cell - 1}
          fill=${paint("blue")} fill-opacity=${done ? 1 : (0.32 * count) / gpus} stroke=${chunk === arrived ? paint("orange") : paint("blue")}
          stroke-width=${chunk === arrived ? 2.5 : 0.6}></rect>
        <text class=${done ? "on" : ""} x=${left + (chunk + 0.5) * cell} y=${y + 4} text-anchor="middle" font-size=${cell < 14 ? 9 : 12}>${count}</text>`;
    })}
  </g>`;
}

/** An arrow to the right neighbour, with the letter of the chunk sent. */
function arrow(send, [x, y], [toX, toY], aside) {
  const [from, half, to] = [0.3, 0.5, 0.7].map((share) => [x + (toX - x) * share + aside, y + (toY - y) * share]);
  return svg`<path d=${`M${from}L${to}`} class=${send.adds ? "" : "dashed"} fill="none" stroke=${paint("grey")} stroke-width="1.5" marker-end="url(#tip)"></path>
    <circle cx=${half[0]} cy=${half[1]} r="9" fill=${paint("orange")}></circle>
    <text class="on" x=${half[0]} y=${half[1] + 4} text-anchor="middle">${LETTERS[send.chunk]}</text>`;
}

/** The entries of the legend. */
ring.legend = () => [
  { name: "contributions summed so far", colour: "blue", shape: "area" },
  { name: "chunk in transit", colour: "orange", shape: "dot" },
  { name: "added to the local chunk", colour: "grey", shape: "line" },
  { name: "replaces the local chunk", colour: "grey", shape: "dashed" },
];

/** The table: a row per GPU, a column per chunk. */
ring.table = (data) => ({
  head: ["GPU", ...data.held.map((_, chunk) => `chunk ${LETTERS[chunk]}`)],
  rows: data.held.map((chunks, gpu) => [`GPU ${gpu}`, ...chunks.map(String)]),
});
