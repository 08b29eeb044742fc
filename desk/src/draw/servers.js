// GPUs in their servers, one of them with those that it talks with, and the links that this takes.

import { svg } from "lit";
import { paint } from "./style.js";

/**
 * @typedef {object} Servers
 * @property {string} title
 * @property {string} text what goes on, in a few words
 * @property {number} each GPUs of a server; ranks are counted through one server after the other
 * @property {string[]} kinds what the colours stand for
 * @property {{kind: number, text: string}[]} gpus by rank: their place among the kinds, and what stands on them
 * @property {string} numbers what the text on them counts
 * @property {number} rank the one that is followed
 * @property {number[]} group the ranks that it talks with, itself among them
 */

const COLOURS = ["blue", "orange", "green", "grey"];
const CELL = 25;
const [BAR, STUB] = [20, 12]; // heights of the network, and of the way to it
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
      <text class="name" x=${(count * pitch) / 2} y=${below + 32} text-anchor="middle">server; on each GPU its ${data.numbers}</text>`,
  };
}

/** Which links of each server are in use: NVLink between two of the group, its ports where others are elsewhere. */
function links({ gpus, each, group }) {
  return Array.from({ length: gpus.length / each }, (_, server) => {
    const here = group.filter((rank) => Math.floor(rank / each) === server).length;
    return { nvlink: here > 1, port: here > 0 && here < group.length };
  });
}

/** A server: the frame around its GPUs, and its way to the network. */
function frame(server, { nvlink, port }, pitch, below) {
  const middle = server * pitch + pitch / 2 - 1;
  return svg`<line x1=${middle} x2=${middle} y1=${20 + BAR} y2=${TOP - 2} stroke=${port ? paint("red") : "var(--edge)"} stroke-width=${port ? 5 : 1.5}></line>
    <rect x=${server * pitch + 1} y=${TOP - 2} width=${pitch - 4} height=${below - TOP + 2} rx="4" fill="var(--back)"
      stroke=${nvlink ? paint("purple") : "var(--edge)"} stroke-width=${nvlink ? 4 : 1}></rect>
    <text x=${middle} y=${below + 15} text-anchor="middle">${server}</text>`;
}

/** A GPU: ringed where it takes part, framed where it is the one that is followed. */
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

/** What stands for what. */
servers.legend = (data) => [
  ...data.kinds.map((name, place) => ({ name, colour: COLOURS[place], shape: "area" })),
  { name: `ringed: talk now; framed: rank ${data.rank}`, colour: "grey", shape: "ring" },
  { name: "NVLink in use", colour: "purple", shape: "line" },
  { name: "port in use", colour: "red", shape: "line" },
];

/** A row for each rank. */
servers.table = (data) => ({
  head: ["rank", "server", "holds", data.numbers, "talks now"],
  rows: data.gpus.map((gpu, rank) => [
    `${rank}`,
    `${Math.floor(rank / data.each)}`,
    data.kinds[gpu.kind],
    gpu.text,
    data.group.includes(rank) ? "yes" : "no",
  ]),
});
