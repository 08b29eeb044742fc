// A program to be written. As it was handed out it is no answer.

import { html } from "lit";
import { live } from "lit/directives/live.js";

export const program = {
  template: ({ field, id, how, draft, set }) => html`<div class="field">
    <label class="label" for=${id}>${field.label}</label>
    <textarea
      id=${id} class="code" rows=${Math.max(8, field.source.split("\n").length + 3)}
      spellcheck="false" autocapitalize="off" aria-describedby=${how}
      .value=${live(draft ?? field.source)} @input=${(event) => set(event.target.value)}></textarea>
  </div>`,
  answer: (field, draft) => (draft == null || draft === field.source ? null : draft),
};
