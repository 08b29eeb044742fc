// The field types, and the form that they make together.

import { drawingStyle } from "../draw/style.js";
import { pythonStyle } from "../python.js";
import { confidence } from "./confidence.js";
import { group } from "./group.js";
import { line } from "./line.js";
import { listing } from "./listing.js";
import { number } from "./number.js";
import { options } from "./options.js";
import { order } from "./order.js";
import { pairs } from "./pairs.js";
import { parts } from "./parts.js";
import { previewStyle } from "./preview.js";
import { program } from "./program.js";

/**
 * A field type: how a field is shown, and the answer made from its draft.
 * @typedef {object} FieldType
 * @property {(place: Place) => unknown} template
 * @property {(field: object, draft: any, siblings: Siblings) => any} answer null if there is none
 * @property {import("lit").CSSResult} [style] its own styles, in addition to those of the desk
 *
 * The context of a field.
 * @typedef {object} Place
 * @property {object} field the field as `Kind.view` in Python describes it
 * @property {string} id prefix for its elements; unique in the form
 * @property {string} how the id of the text that says how to answer
 * @property {any} draft the student's work so far; null or undefined at first
 * @property {(draft: any) => void} set replaces the draft
 * @property {Siblings} siblings
 * @property {typeof fieldsOf} fieldsOf renders the fields inside this one
 * @property {number} width of the form, in pixels
 * @property {number} points of the question, or of the part that has the field
 * @property {string} prompt of the question, in HTML
 * @property {{answer: any, notes: object} | undefined} checked the last answer to this field that was checked, and the notes
 *   on the parts of the question
 * @property {(answer: any) => Promise<object>} preview returns how Python reads an unfinished answer to this field
 * @property {(answer: any) => Promise<object>} bars returns an answer's values and limits once an answer was judged, otherwise why they are hidden
 * @property {(request: object, waits: () => void) => Promise<object>} ask sends a request about this question; it always
 *   returns a reply, with an `error` if none arrives, and calls `waits` if that takes long
 * @property {{to: (part: string) => object[], ask: (part: string) => void}} hinted the hints given to a part of the
 *   question, and the function that requests another one
 * @property {() => Promise<unknown>} settled resolves once the page shows the new draft
 *
 * The sibling fields of a field, their drafts by name, and the function that makes an answer from fields, including nested ones.
 * @typedef {{fields: object[], draft: any, answerOf: typeof answerOf}} Siblings
 */

/** @type {Record<string, FieldType>} */
const TYPES = { confidence, group, line, listing, number, options, order, pairs, parts, program };
const OURS = new Set(Object.keys(TYPES));

/** Add the field types of another package; new ones replace earlier ones of the same name. */
export function addFields(types) {
  const taken = Object.keys(types).find((name) => OURS.has(name));
  if (taken)
    throw new Error(
      `A field type of another package cannot be called “${taken}”: the desk already has a field type of that name.`,
    );
  Object.assign(TYPES, types);
}

/** The styles of the fields, in addition to those of the desk. */
export const fieldStyles = () => [
  drawingStyle,
  previewStyle,
  pythonStyle,
  ...Object.values(TYPES).flatMap(({ style }) => style ?? []),
];

/** Return whether there is a single unnamed field, whose value is the answer itself. */
const isAlone = (fields) => fields.length === 1 && !fields[0].name;
const partOf = (fields, field, draft) => (isAlone(fields) ? draft : draft?.[field.name]);

/** Render fields. */
export function fieldsOf(fields, place) {
  return fields.map((field) => {
    const path = isAlone(fields) ? place.path : [...place.path, field.name];
    return TYPES[field.type].template({
      ...place,
      field,
      path,
      id: `${place.id}-${field.name ?? "0"}`,
      draft: partOf(fields, field, place.draft),
      checked: place.checked && { ...place.checked, answer: partOf(fields, field, place.checked.answer) },
      set: (draft) => place.change(path, draft),
      preview: (answer) => place.askOf("preview", path, answer),
      bars: (answer) => place.askOf("bars", path, answer),
      siblings: { fields, draft: place.draft, answerOf },
      fieldsOf,
    });
  });
}

/** Return the answer made from the drafts of fields. */
export function answerOf(fields, draft) {
  const answers = fields.map((field) =>
    TYPES[field.type].answer(field, partOf(fields, field, draft), { fields, draft, answerOf }),
  );
  if (isAlone(fields)) return answers[0];
  return Object.fromEntries(
    fields.map((field, place) => [field.name, answers[place]]).filter(([, one]) => one !== null),
  );
}

/** Return a copy of a draft with a new value at a path of names. */
export function withPart(draft, [name, ...rest], value) {
  return name === undefined ? value : { ...draft, [name]: withPart(draft?.[name], rest, value) };
}
