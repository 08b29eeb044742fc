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

export async function search(shell, { query }) {
  index ??= (await shell.ask({ do: "index" })).index.map((entry) => ({
    ...entry,
    folded: { title: entry.title.toLowerCase(), all: `${entry.title} ${entry.about} ${entry.text}`.toLowerCase() },
  }));
  let words = query.get("q") ?? "";
  const type = (event) => {
    words = event.target.value;
    history.replaceState(null, "", `#/search?q=${encodeURIComponent(words)}`);
    shell.paint();
  };
  const view = () => {
    const found = matches(words);
    const count = found.length;
    return html`
      <h1 tabindex="-1">Search</h1>
      <label for="words">Words that all have to occur</label>
      <input id="words" class="wide" type="search" autocomplete="off" autofocus .value=${words} @input=${type} />
      <p role="status">${words.trim() ? (count ? `${count} result${count === 1 ? "" : "s"}` : "Nothing contains all these words. Try fewer or shorter ones.") : ""}</p>
      ${Object.entries(GROUPS).map(([name, title]) =>
        group(
          title,
          found.filter((entry) => entry.type === name),
        ),
      )}
    `;
  };
  return { title: "Search", view };
}

/** The entries that contain all words; those whose title contains them first. */
function matches(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
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
