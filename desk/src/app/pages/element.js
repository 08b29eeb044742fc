// A page that another package adds, such as the planner.

import { html } from "lit";
import { show } from "../../show.js";
import { local } from "../parts.js";

export async function element(shell, name) {
  const { title } = shell.map.elements.find((element) => element.name === name);
  const { what, given } = await shell.ask({ do: "element", name });
  const ask = (request) => shell.backend.ask({ do: "element", name, request });
  const link = (problem) => `#/${problem}`;
  const shown = await show(what, { ask, link, draft: local(name) }, given);
  const view = () => html`<h1 tabindex="-1" class="unseen">${title}</h1><h2 class="unseen">Plan</h2>${shown}`;
  return { title, view };
}
