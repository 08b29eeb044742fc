// A program from which one line is selected. The answer is the line number.

import { html, nothing } from "lit";
import { coloured } from "../python.js";

export const listing = {
  template({ field, id, draft, set }) {
    const last = field.lines.length;
    const pressed = (event) => {
      const to = {
        ArrowDown: Math.min(last, (draft ?? 0) + 1),
        ArrowUp: Math.max(1, (draft ?? last + 1) - 1),
        Home: 1,
        End: last,
      }[event.key];
      if (to === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      set(to);
    };
    return html`<div class="field wide">
      <div id="${id}-label" class="label">${field.label}</div>
      <div
        role="listbox" tabindex="0" class="listing" aria-labelledby="${id}-label"
        aria-activedescendant=${draft ? `${id}-line-${draft}` : nothing} @keydown=${pressed}>
        ${coloured(field.lines).map(
          (text, place) => html`<div
            role="option" id="${id}-line-${place + 1}" class="line"
            aria-selected=${place + 1 === draft ? "true" : "false"} @click=${() => set(place + 1)}>
            <span class="number">${place + 1}</span><code>${text}</code>
          </div>`,
        )}
      </div>
    </div>`;
  },
  answer: (_field, draft) => draft ?? null,
};
