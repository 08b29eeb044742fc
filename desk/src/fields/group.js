// A group of fields, optionally with its own text: a part of a larger question.

import { html, nothing } from "lit";
import { unsafeHTML } from "lit/directives/unsafe-html.js";

export const group = {
  template(place) {
    const { field, id, set, fieldsOf } = place;
    if (!field.how) {
      return html`<fieldset>
        <legend class="label">${field.label}</legend>
        <div class="arguments">${fieldsOf(field.fields, place)}</div>
        ${
          Object.keys(field.typical ?? {}).length
            ? html`<button type="button" class="typical" @click=${() => set(field.typical)}>Fill in a typical call</button>`
            : nothing
        }
      </fieldset>`;
    }
    const how = `${id}-how`;
    return html`<fieldset class="part">
      <legend class="label">${field.label}</legend>
      ${field.html ? html`<div class="prose">${unsafeHTML(field.html)}</div>` : nothing}
      <p id=${how} class="quiet">${field.how}</p>
      ${fieldsOf(field.fields, { ...place, how })}
    </fieldset>`;
  },
  answer: (field, draft, { answerOf }) => answerOf(field.fields, draft),
};
