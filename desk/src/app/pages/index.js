// The pages of the app, by the first part of the address.

import { chapter } from "./chapter.js";
import { element } from "./element.js";
import { figure, figures } from "./figures.js";
import { home } from "./home.js";
import { missing } from "./missing.js";
import { search } from "./search.js";
import { settings } from "./settings.js";
import { end, master, step } from "./step.js";
import { today } from "./today.js";

const PAGES = new Map(Object.entries({ today, search, settings }));

/**
 * Return the page of an address once its data is there.
 * @returns {Promise<{title: string, view: () => any}>} `view` is called again whenever the record changes
 */
export async function pageOf(shell, { path, query }) {
  const [first, second] = path;
  if (!first) return home(shell);
  if (first === "figures") return second ? figure(shell, second) : figures(shell);
  if (PAGES.has(first)) return PAGES.get(first)(shell, { path, query });
  if (shell.map.elements.some(({ name }) => name === first)) return element(shell, first);
  const named = shell.map.chapters.find(({ name }) => name === first);
  if (!named) return missing(shell, "page");
  if (!second) return chapter(shell, named);
  if (second === "end") return end(shell, named);
  if (second === "master") return master(shell, named, query);
  if (!named.steps.some(({ id }) => id === second)) return missing(shell, `part of “${named.title}”`, `#/${first}`);
  return step(shell, named, second, query);
}
