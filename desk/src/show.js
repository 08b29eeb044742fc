// The elements of the desk by name, and how a host shows one.

import { Figure } from "./figure.js";
import { Planner } from "./planner/planner.js";
import { Problem } from "./problem.js";

/**
 * What every element needs of the place where it is shown.
 * @typedef {object} Host
 * @property {(request: object) => Promise<object>} ask sends a request to Python; both are plain data
 * @property {{get: (key: string) => any, set: (key: string, value: any) => void}} draft keeps what was typed
 */

const ELEMENTS = { figure: Figure, planner: Planner, problem: Problem };

// The digest is in the names since a page cannot define a name twice, and may stay open while the package changes.
const tag = (what) => `shardwise-${what}-${DIGEST}`;

for (const [what, element] of Object.entries(ELEMENTS)) {
  if (!customElements.get(tag(what))) customElements.define(tag(what), element);
}

/** An element of the desk, to be put into a page: what it is, who answers it, and the data that it begins with. */
export function show(what, host, given) {
  return Object.assign(document.createElement(tag(what)), { className: "shardwise", host, given });
}
