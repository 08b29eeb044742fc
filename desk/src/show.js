// How a host shows an element of the desk.

import { create, define } from "./elements.js";
import { Figure } from "./figure.js";
import { Problem } from "./problem.js";
import { addScripts } from "./scripts.js";

/**
 * What every element needs of the place where it is shown.
 * @typedef {object} Host
 * @property {(request: object) => Promise<object>} ask sends a request to Python; both are plain data
 * @property {{get: (key: string) => any, set: (key: string, value: any) => void}} draft keeps what was typed
 */

define("figure", Figure);
define("problem", Problem);

/**
 * An element of the desk, to be put into a page: what it is, who answers it, and the data that it begins with, which may name
 * `scripts`. Where one of these cannot be loaded, it is a line that says why.
 */
export async function show(what, host, given) {
  const why = await addScripts(given.scripts, host.ask).catch((error) => error.message);
  const element = why
    ? Object.assign(document.createElement("p"), { role: "alert", textContent: why })
    : Object.assign(create(what), { host, given });
  element.classList.add("shardwise");
  return element;
}
