// One line of text. One that mends a line of a listing holds the line that is picked there, and keeps a draft of each.

import { html, nothing } from "lit";
import { live } from "lit/directives/live.js";
import { previewed, reading } from "./preview.js";

/** The line of a listing that a field mends: its number, 0 for none, and its text. */
function picked(field, beside) {
  const number = beside.draft?.[field.mends] ?? 0;
  const listing = beside.fields.find((other) => other.name === field.mends);
  return { number, text: number ? listing.lines[number - 1].trim() : "" };
}

export const line = {
  template(place) {
    const { field, id, how, draft, set, beside } = place;
    const mended = field.mends && picked(field, beside);
    const value = mended ? (draft?.[mended.number] ?? mended.text) : (draft ?? "");
    const typed = (text) => set(mended ? { ...draft, [mended.number]: text } : text);
    const isSaid = place.checked?.answer === value; // why it cannot be read stands in the verdict
    const note = field.note && html`<p id="${id}-note" class="quiet">${field.note}</p>`;
    return html`<div class="field">
      <label class="label" for=${id}>${field.label}</label>
      <input
        type="text" id=${id} class=${field.is_code ? "code" : "quantity"}
        autocomplete="off" autocapitalize="off" spellcheck="false"
        aria-describedby="${note ? `${id}-note` : how} ${field.has_preview ? `${id}-reading` : ""}"
        .value=${live(value)} @input=${(event) => typed(event.target.value)} />
      ${note || nothing}
      ${field.has_preview ? html`<div class="reading" id="${id}-reading">${previewed(place, value, (reply) => reading(reply, isSaid))}</div>` : nothing}
    </div>`;
  },
  answer(field, draft, beside) {
    if (!field.mends) return draft ?? "";
    const { number, text } = picked(field, beside);
    const mended = draft?.[number] ?? text;
    return mended.trim() === text ? "" : mended; // the line as it stands is no answer yet
  },
};
