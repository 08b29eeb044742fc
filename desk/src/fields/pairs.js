// An option for each item.

import { html } from "lit";
import { live } from "lit/directives/live.js";
import { unsafeHTML } from "lit/directives/unsafe-html.js";

export const pairs = {
  template({ field, id, draft, set }) {
    const row = (item) => html`<div class="pair">
      <span class="letter">${item.label}.</span>
      <span class="item">${unsafeHTML(item.html)}</span>
      <select
        id="${id}-${item.label}" aria-label="${item.label} belongs to"
        .value=${live(draft?.[item.label] ?? "")}
        @change=${(event) => set({ ...draft, [item.label]: event.target.value })}>
        <option value="">–</option>
        ${field.options.map(
          ({ label }) => html`<option value=${label} ?selected=${label === draft?.[item.label]}>${label}</option>`,
        )}
      </select>
    </div>`;
    return html`<div>${field.items.map(row)}</div>
      <ul class="known">
        ${field.options.map(
          (option) => html`<li>
            <span class="letter">${option.label})</span><span class="item">${unsafeHTML(option.html)}</span>
          </li>`,
        )}
      </ul>`;
  },
  answer: (_field, draft) => Object.fromEntries(Object.entries(draft ?? {}).filter(([, label]) => label)),
};
