// What the bundle offers: the elements of the desk, and the way to show them in Jupyter.

export { inJupyter } from "./hosts/jupyter.js";
export { show } from "./show.js";
