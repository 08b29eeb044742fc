// Search over problems, sections of lessons, formulas, figures, and on a site the pages of the documentation.

import { html, nothing } from "lit";
import { unsafeHTML } from "lit/directives/unsafe-html.js";

const GROUPS = {
  problem: "Problems",
  section: "Lessons",
  formula: "Formulas",
  figure: "Interactive figures",
  page: "Documentation",
};
const MOST = 12; // of a group
let index;

export async function search(shell) {
  index ??= (await shell.ask({ do: "index" })).index.map((entry) => ({
    ...entry,
    folded: { title: entry.title.toLowerCase(), all: `${entry.title} ${entry.about} ${entry.text}`.toLowerCase() },
  }));
  return { title: "Search", view: () => view(shell.words) };
}

function view(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = matches(words);
  const ofType = (type) => found.filter((entry) => entry.type === type);
  return html`
    <h1 tabindex="-1">${words.length ? `Search: ${text.trim()}` : "Search"}</h1>
    <p role="status">${inWords(words, found.length)}</p>
    ${Object.entries(GROUPS).map(([type, title]) => group(title, ofType(type)))}
  `;
}

function inWords(words, count) {
  if (!words.length) return "Type words into the box at the top: a topic, a problem's title, or a symbol of a formula.";
  if (!count) return "Nothing contains all these words. Try fewer or shorter ones.";
  return `${count} result${count === 1 ? "" : "s"}`;
}

/** The entries that contain all words; those whose title contains them first. */
function matches(words) {
  if (!words.length) return [];
  const holds = (part) => words.every((word) => part.includes(word));
  const found = index.filter(({ folded }) => holds(folded.all));
  return [...found.filter(({ folded }) => holds(folded.title)), ...found.filter(({ folded }) => !holds(folded.title))];
}

function group(title, entries) {
  if (!entries.length) return nothing;
  return html`<section>
    <h2>${title}${entries.length > MOST ? html` <span class="quiet">first ${MOST} of ${entries.length}</span>` : nothing}</h2>
    <ul class="found">
      ${entries.slice(0, MOST).map(
        (entry) => html`<li><a href=${entry.to}>${entry.title}</a> <span class="quiet">${entry.about}</span>
          ${entry.html ? html`<div class="prose">${unsafeHTML(entry.html)}</div>` : nothing}</li>`,
      )}
    </ul>
  </section>`;
}
