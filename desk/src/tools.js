// The exports of "shardwise:desk" for scripts of other packages: Lit, and what the desk's own fields are made of.

export { css, html, LitElement, nothing, svg } from "lit";
export { live } from "lit/directives/live.js";
export { unsafeHTML } from "lit/directives/unsafe-html.js";
export { drawing } from "./draw/drawing.js";
export { drawingStyle } from "./draw/style.js";
export { Width } from "./draw/width.js";
export { previewed } from "./fields/preview.js";
export { styles } from "./styles.js";
