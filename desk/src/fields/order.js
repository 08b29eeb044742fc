// Items to be moved until they stand in order. As long as nobody has moved one there is no answer.

import { html } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { unsafeHTML } from "lit/directives/unsafe-html.js";

export const order = {
  template({ field, how, draft, set }) {
    const labels = draft ?? field.items.map((item) => item.label);
    const items = new Map(field.items.map((item) => [item.label, item]));
    const move = (label, by) => {
      const from = labels.indexOf(label);
      const to = from + by;
      if (to < 0 || to >= labels.length) return;
      const moved = labels.toSpliced(from, 1);
      set(moved.toSpliced(to, 0, label));
    };
    return html`<ol class="order" aria-labelledby=${how}>
      ${repeat(
        labels,
        (label) => label,
        (label) => html`<li>
          <span class="letter">${label})</span>
          <span class="item">${unsafeHTML(items.get(label).html)}</span>
          <button type="button" aria-label="Move ${label} up" @click=${() => move(label, -1)}>↑</button>
          <button type="button" aria-label="Move ${label} down" @click=${() => move(label, 1)}>↓</button>
        </li>`,
      )}
    </ol>`;
  },
  answer: (_field, draft) => draft ?? null,
};
