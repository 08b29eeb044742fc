// Scripts through which other packages add field types and elements to the desk.
//
// A script is the text of an ES module: `Kind.script` in Python. It exports one or both of
//
//   fields    field types by name. Each is a `FieldType`, described in fields/index.js: the
//             `template` of a field, the `answer` made from its draft, and an optional `style`. `Kind.view` in Python gives
//             them as the `type` of its fields, with whatever data they need.
//   elements  classes of custom elements by name, each with the properties `host` and `given` (see show.js).
//
// A script imports Lit, charts and previews from "shardwise:desk", written with double quotes; tools.js lists the exports.
// It therefore needs neither a bundler nor a copy of Lit. It cannot replace the desk's own field types.
//
// Python lists the digests of the scripts that a form needs in `scripts`, next to the form's data. Each page requests a
// script once.

import { define } from "./elements.js";
import { addFields } from "./fields/index.js";

const GONE = "Python no longer has the code for this form. Run this cell again.";
const loads = new Map(); // by digest

/** Load the scripts that this page does not have yet. Rejects with an Error whose message is for the student. */
export async function addScripts(digests = [], ask) {
  for (const digest of digests) {
    if (!loads.has(digest)) loads.set(digest, load(digest, ask));
    await loads.get(digest).catch((error) => {
      loads.delete(digest); // the next form tries again
      throw error;
    });
  }
}

async function load(digest, ask) {
  const { script } = await ask({ do: "script", digest });
  if (script === undefined) throw new Error(GONE);
  const source = script.replaceAll('"shardwise:desk"', JSON.stringify(import.meta.url));
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  const { fields = {}, elements = {} } = await import(url).finally(() => URL.revokeObjectURL(url));
  addFields(fields);
  for (const [what, element] of Object.entries(elements)) define(what, element);
}
