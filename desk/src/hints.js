// Hints for a question or one of its parts: the button that requests a hint, and the hints shown so far.

import { html } from "lit";
import { unsafeHTML } from "lit/directives/unsafe-html.js";

/** The Hint button, with the number of hints left. */
export function hintButton(left, ask, look = "") {
  return html`<button
    type="button" class=${look} aria-disabled=${left > 0 ? "false" : "true"}
    @click=${() => left > 0 && ask()}>${left > 0 ? `Hint (${left} left)` : "No more hints"}</button>`;
}

/** The hints shown so far; screen readers announce new ones. */
export function hintsAsked(hints) {
  return html`<div aria-live="polite">
    ${hints.map((hint) => html`<div class="prose more">${unsafeHTML(hint.html)}</div>`)}
  </div>`;
}
