// Pairs: one option for each item.

import { css, html, nothing } from "lit";
import { live } from "lit/directives/live.js";
import { unsafeHTML } from "lit/directives/unsafe-html.js";

/** Return the text of an option, for a list that cannot show HTML. */
const plain = (option) => Object.assign(document.createElement("p"), { innerHTML: option.html }).textContent;

export const pairs = {
  template({ field, id, draft, set }) {
    const texts = field.options.map((option) => `${option.label}) ${plain(option)}`);
    const row = (item) => html`<div class="pair">
      <span class="letter">${item.label}.</span>
      <span class="item">${unsafeHTML(item.html)}</span>
      <select
        id="${id}-${item.label}" aria-label="Match for ${item.label}"
        .value=${live(draft?.[item.label] ?? "")}
        @change=${(event) => set({ ...draft, [item.label]: event.target.value })}>
        <option value="">–</option>
        ${field.options.map(
          ({ label }, at) =>
            html`<option value=${label} ?selected=${label === draft?.[item.label]}>${texts[at]}</option>`,
        )}
      </select>
    </div>`;
    const isFormatted = field.options.some((option) => option.html.includes("<"));
    const known = html`<ul class="known">
      ${field.options.map(
        (option) => html`<li>
          <span class="letter">${option.label})</span><span class="item">${unsafeHTML(option.html)}</span>
        </li>`,
      )}
    </ul>`;
    return html`<div>${field.items.map(row)}</div>
      ${isFormatted ? known : nothing}`;
  },
  answer: (_field, draft) => Object.fromEntries(Object.entries(draft ?? {}).filter(([, label]) => label)),
};

pairs.style = css`
  .pair { display: grid; grid-template-columns: auto 1fr minmax(0, 45%); padding: 0.45rem 0; }
  .pair + .pair { border-top: 1px solid var(--edge); }
  .pair select { width: 100%; text-overflow: ellipsis; }
  @media (max-width: 34rem) {
    .pair { grid-template-columns: auto 1fr; }
    .pair select { grid-column: 2; }
  }
`;
