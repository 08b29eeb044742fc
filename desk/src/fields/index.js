// The types of fields, and the form that some of them make together.

import { drawingStyle } from "../draw/style.js";
import { pythonStyle } from "../python.js";
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
 * A field type: what is shown of a field, and the answer that its draft makes.
 * @typedef {object} FieldType
 * @property {(place: Place) => unknown} template
 * @property {(field: object, draft: any, beside: Beside) => any} answer null where there is none
 * @property {import("lit").CSSResult} [style] how its fields look, beside what all of the desk looks like
 *
 * Where a field stands, and what it may do there.
 * @typedef {object} Place
 * @property {object} field the field as `Kind.view` in Python describes it
 * @property {string} id for its elements; unique in the form
 * @property {string} how the id of the text that says how to answer
 * @property {any} draft what the student has done so far; null or undefined at first
 * @property {(draft: any) => void} set replaces the draft
 * @property {Beside} beside
 * @property {typeof fieldsOf} fieldsOf what is shown of fields inside this one
 * @property {number} width of the form, in pixels
 * @property {{answer: any, notes: object} | undefined} checked the answer to this field that was checked last, and what was said
 *   of the parts of the question
 * @property {(answer: any) => Promise<object>} preview what Python reads in an answer to this field so far
 * @property {(answer: any) => Promise<object>} bars what an answer comes to against its limits, once one was judged, or why that is not shown
 * @property {(request: object, waits: () => void) => Promise<object>} ask sends a request about this question; it always
 *   gives a reply, one with an `error` where none comes, and calls `waits` when that takes long
 * @property {{to: (part: string) => object[], ask: (part: string) => void}} hinted the hints that were given to a part of the
 *   question, and what asks for one more
 * @property {() => Promise<unknown>} settled when the page shows the draft that was set
 *
 * The fields that a field stands among, their drafts by name, and what makes an answer of fields: those inside a field have one, too.
 * @typedef {{fields: object[], draft: any, answerOf: typeof answerOf}} Beside
 */

/** @type {Record<string, FieldType>} */
const TYPES = { group, line, listing, number, options, order, pairs, parts, program };
const OURS = new Set(Object.keys(TYPES));

/** Add the field types of another package; newer ones take the place of those that it brought before. */
export function addFields(types) {
  const taken = Object.keys(types).find((name) => OURS.has(name));
  if (taken)
    throw new Error(`A field type of another package cannot be called “${taken}”: the desk has one of that name.`);
  Object.assign(TYPES, types);
}

/** How fields look, beside what all of the desk looks like. */
export const fieldStyles = () => [
  drawingStyle,
  previewStyle,
  pythonStyle,
  ...Object.values(TYPES).flatMap(({ style }) => style ?? []),
];

/** A single field without a name is the answer itself; others are parts of it. */
const isAlone = (fields) => fields.length === 1 && !fields[0].name;
const partOf = (fields, field, draft) => (isAlone(fields) ? draft : draft?.[field.name]);

/** What is shown of some fields. */
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
      beside: { fields, draft: place.draft, answerOf },
      fieldsOf,
    });
  });
}

/** The answer that some fields make together. */
export function answerOf(fields, draft) {
  const answers = fields.map((field) =>
    TYPES[field.type].answer(field, partOf(fields, field, draft), { fields, draft, answerOf }),
  );
  if (isAlone(fields)) return answers[0];
  return Object.fromEntries(
    fields.map((field, place) => [field.name, answers[place]]).filter(([, one]) => one !== null),
  );
}

/** A draft in which the part at a path of names is another. */
export function withPart(draft, [name, ...rest], value) {
  return name === undefined ? value : { ...draft, [name]: withPart(draft?.[name], rest, value) };
}
