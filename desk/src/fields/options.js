// One or several options from a list.

import { html } from "lit";
import { live } from "lit/directives/live.js";
import { unsafeHTML } from "lit/directives/unsafe-html.js";

export const options = {
  template({ field, id, how, draft, set }) {
    const one = field.pick === "one";
    const picked = draft ?? [];
    const toggled = (label, on) => {
      const now = one ? [] : picked.filter((other) => other !== label);
      return field.options
        .map((option) => option.label)
        .filter((other) => now.includes(other) || (on && other === label));
    };
    return html`<fieldset aria-labelledby=${how}>
      ${field.options.map(
        (option) => html`<label class="option">
          <input
            type=${one ? "radio" : "checkbox"} name=${id} value=${option.label}
            .checked=${live(picked.includes(option.label))}
            @change=${(event) => set(toggled(option.label, event.target.checked))} />
          <span class="letter">${option.label})</span>
          <span>${unsafeHTML(option.html)}</span>
        </label>`,
      )}
    </fieldset>`;
  },
  answer: (_field, draft) => draft ?? [],
};
