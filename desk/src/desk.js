// What the bundle offers: the way to show an element of the desk, in Jupyter or elsewhere, and the tools of scripts.

export { inJupyter } from "./hosts/jupyter.js";
export { show } from "./show.js";
export * from "./tools.js";
