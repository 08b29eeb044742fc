// The function by which a host shows an element of the desk.

import { create, define } from "./elements.js";
import { Figure } from "./figure.js";
import { Problem } from "./problem.js";
import { Progress } from "./progress.js";
import { addScripts } from "./scripts.js";

/**
 * What every element needs from its host.
 * @typedef {object} Host
 * @property {(request: object) => Promise<object>} ask sends a request to Python and returns the reply, both in plain data
 * @property {string} [waits] what to say while a reply takes long; without it, something about the kernel
 * @property {{get: (key: string) => any, set: (key: string, value: any) => void}} draft stores what was typed
 * @property {string} [label] names a form in place of its title, where a page shows several variants of one problem
 * @property {() => void} [next] leads on from a problem, in place of the next problem of its chapter
 *
 * A problem dispatches `shardwise-checked` after a verdict and `shardwise-went` after it has gone to another question. Both
 * bubble out of it, with the `problem` and its `seed` in their detail; the former also has the `outcome`.
 */

define("figure", Figure);
define("problem", Problem);
define("progress", Progress);

/**
 * Create an element of the desk from its name, its host, and its initial data, which may list `scripts`.
 * If a script cannot be loaded, return a line with the reason instead.
 */
export async function show(what, host, given) {
  const why = await addScripts(given.scripts, host.ask).catch((error) => error.message);
  const element = why
    ? Object.assign(document.createElement("p"), { role: "alert", textContent: why })
    : Object.assign(create(what), { host, given });
  element.classList.add("shardwise");
  return element;
}
