// GPUs in their nodes: one GPU, the group it communicates with, and the links in use.

import { svg } from "lit";
import { paint } from "./style.js";

/**
 * @typedef {object} Servers
 * @property {string} title
 * @property {string} text a short description of the operation
 * @property {number} each GPUs per node; ranks are numbered node by node
 * @property {string[]} kinds the meaning of the colours
 * @property {{kind: number, text: string}[]} gpus by rank: the index of their kind, and their label
 * @property {string} numbers the meaning of the labels
 * @property {number} rank the highlighted rank
 * @property {number[]} group the ranks that it communicates with, including itself
 */

const COLOURS = ["blue", "orange", "green", "grey"];
const CELL = 25;
const [BAR, STUB] = [20, 12]; // heights of the network, and of the links to it
const TOP = 20 + BAR + STUB;

/** @param {Servers} data @param {number} width */
export function servers(data, width) {
  const count = data.gpus.length / data.each;
  const pitch = Math.min(96, (width - 2) / count);
  const used = links(data);
  const below = TOP + data.each * CELL + 4;
  const ports = used.some((link) => link.port);
  return {
    height: below + 36,
    picture: svg`
      <text x="1" y="11">${data.text}</text>
      <rect x="1" y="20" width=${count * pitch - 4} height=${BAR} rx="3" fill="var(--back)" stroke=${ports ? paint("red") : "var(--edge)"} stroke-width=${ports ? 3 : 1}></rect>
      <text x=${(count * pitch) / 2 - 1} y="34" text-anchor="middle">network</text>
      ${used.map((link, server) => frame(server, link, pitch, below))}
      ${data.gpus.map((gpu, rank) => cell(gpu, rank, data, pitch))}
      <text class="name" x=${(count * pitch) / 2} y=${below + 32} text-anchor="middle">node; the label of each GPU is its ${data.numbers}</text>`,
  };
}

/** Return the links in use per node: NVLink if it has two of the group, its ports if others of the group are elsewhere. */
function links({ gpus, each, group }) {
  return Array.from({ length: gpus.length / each }, (_, server) => {
    const here = group.filter((rank) => Math.floor(rank / each) === server).length;
    return { nvlink: here > 1, port: here > 0 && here < group.length };
  });
}

/** A node: the frame around its GPUs, and its link to the network. */
function frame(server, { nvlink, port }, pitch, below) {
  const middle = server * pitch + pitch / 2 - 1;
  return svg`<line x1=${middle} x2=${middle} y1=${20 + BAR} y2=${TOP - 2} stroke=${port ? paint("red") : "var(--edge)"} stroke-width=${port ? 5 : 1.5}></line>
    <rect x=${server * pitch + 1} y=${TOP - 2} width=${pitch - 4} height=${below - TOP + 2} rx="4" fill="var(--back)"
      stroke=${nvlink ? paint("purple") : "var(--edge)"} stroke-width=${nvlink ? 4 : 1}></rect>
    <text x=${middle} y=${below + 15} text-anchor="middle">${server}</text>`;
}

/** A GPU: circled if it is in the group, framed if it is the highlighted rank. */
function cell(gpu, rank, data, pitch) {
  const [x, y] = [Math.floor(rank / data.each) * pitch + 4, TOP + (rank % data.each) * CELL + 2];
  const [wide, high] = [pitch - 10, CELL - 3];
  const [middle, centre] = [x + wide / 2, y + high / 2];
  return svg`<g>
    <title>${said(gpu, rank, data)}</title>
    <rect x=${x} y=${y} width=${wide} height=${high} rx="2" fill=${paint(COLOURS[gpu.kind])} stroke=${rank === data.rank ? "var(--text)" : "none"} stroke-width="2.5"></rect>
    ${data.group.includes(rank) ? svg`<ellipse cx=${middle} cy=${centre} rx="10" ry="8.5" fill="none" stroke="#fff" stroke-width="2"></ellipse>` : ""}
    <text class="on" x=${middle} y=${centre + 4} text-anchor="middle">${gpu.text}</text>
  </g>`;
}

const said = (gpu, rank, data) => `rank ${rank}: ${data.kinds[gpu.kind]}, ${data.numbers} ${gpu.text}`;

/** The entries of the legend. */
servers.legend = (data) => [
  ...data.kinds.map((name, place) => ({ name, colour: COLOURS[place], shape: "area" })),
  { name: `circled: communicating now; framed: rank ${data.rank}`, colour: "grey", shape: "ring" },
  { name: "NVLink in use", colour: "purple", shape: "line" },
  { name: "network port in use", colour: "red", shape: "line" },
];

/** The table: a row per rank. */
servers.table = (data) => ({
  head: ["rank", "node", "holds", data.numbers, "communicating now"],
  rows: data.gpus.map((gpu, rank) => [
    `${rank}`,
    `${Math.floor(rank / data.each)}`,
    data.kinds[gpu.kind],
    gpu.text,
    data.group.includes(rank) ? "yes" : "no",
  ]),
});
