// The exports of the bundle: functions that show an element of the desk, in Jupyter or elsewhere, and the tools for scripts.

export { inJupyter } from "./hosts/jupyter.js";
export { show } from "./show.js";
export * from "./tools.js";
