// Hints, to all of a question or to one of its parts: the button that asks for one, and those that came.

import { html } from "lit";
import { unsafeHTML } from "lit/directives/unsafe-html.js";

/** The button, which says how many hints are left. */
export function hintButton(left, ask, look = "") {
  return html`<button
    type="button" class=${look} aria-disabled=${left > 0 ? "false" : "true"}
    @click=${() => left > 0 && ask()}>${left > 0 ? `Hint (${left} left)` : "No more hints"}</button>`;
}

/** The hints that came, read out as they come. */
export function hintsAsked(hints) {
  return html`<div aria-live="polite">
    ${hints.map((hint) => html`<div class="prose more">${unsafeHTML(hint.html)}</div>`)}
  </div>`;
}
