// A number within a range. Other text goes to Python as typed, and Python reports that it is not a number.

import { html } from "lit";
import { live } from "lit/directives/live.js";
import { previewed } from "./preview.js";

export const number = {
  template(place) {
    const { field, id, draft, set } = place;
    return html`<div class="field">
      <label for=${id}><code>${field.label}</code></label>
      <input
        type="text" id=${id} inputmode=${field.is_whole ? "numeric" : "decimal"}
        autocomplete="off" spellcheck="false" aria-describedby="${id}-range"
        .value=${live(draft ?? "")} @input=${(event) => set(event.target.value)} />
      <span id="${id}-range" class="quiet">${previewed(place, draft ?? "", ({ why }) => why ?? field.range)}</span>
    </div>`;
  },
  answer(_field, draft) {
    const text = (draft ?? "").trim();
    if (text === "") return null;
    return Number.isFinite(Number(text)) ? Number(text) : text;
  },
};
