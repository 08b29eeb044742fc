// A line of text. A field that corrects a line of a listing shows the selected line, and keeps a draft for each line.

import { html, nothing } from "lit";
import { live } from "lit/directives/live.js";
import { previewed, reading } from "./preview.js";

/** Return the selected line of the listing that a field corrects: its number, 0 for none, and its text. */
function picked(field, siblings) {
  const number = siblings.draft?.[field.mends] ?? 0;
  const listing = siblings.fields.find((other) => other.name === field.mends);
  return { number, text: number ? listing.lines[number - 1].trim() : "" };
}

export const line = {
  template(place) {
    const { field, id, how, draft, set, siblings } = place;
    const mended = field.mends && picked(field, siblings);
    const value = mended ? (draft?.[mended.number] ?? mended.text) : (draft ?? "");
    const typed = (text) => set(mended ? { ...draft, [mended.number]: text } : text);
    const isSaid = place.checked?.answer === value; // the verdict already says why it cannot be read
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
  answer(field, draft, siblings) {
    if (!field.mends) return draft ?? "";
    const { number, text } = picked(field, siblings);
    const mended = draft?.[number] ?? text;
    return mended.trim() === text ? "" : mended; // an unchanged line does not count as an answer
  },
};
