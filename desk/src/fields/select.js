// One of a few values.

import { html } from "lit";
import { live } from "lit/directives/live.js";

export const select = {
  template: ({ field, id, how, draft, set }) => html`<div class="field">
    <label class="label" for=${id}>${field.label}</label>
    <select id=${id} aria-describedby=${how} .value=${live(draft ?? "")} @change=${(event) => set(event.target.value)}>
      <option value="">–</option>
      ${field.values.map((value) => html`<option value=${value} ?selected=${value === draft}>${value}</option>`)}
    </select>
  </div>`,
  answer: (_field, draft) => draft ?? "",
};
