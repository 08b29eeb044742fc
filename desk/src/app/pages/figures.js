// The interactive figures: the list, and one of them.

import { html } from "lit";
import { show } from "../../show.js";
import { local } from "../parts.js";
import { missing } from "./missing.js";

export function figures({ map }) {
  const number = ({ chapter }) => map.chapters.findIndex(({ name }) => name === chapter) + 1;
  const inOrder = [...map.figures].sort((one, other) => number(one) - number(other));
  const view = () => html`
    <h1 tabindex="-1">Interactive figures</h1>
    <p class="lead">Make a guess, then change the settings and see whether it holds.</p>
    <ul class="found">
      ${inOrder.map((figure) => html`<li><a href=${`#/figures/${figure.name}`}>${figure.title}</a> <span class="quiet">${number(figure)}. ${titleOf(map, figure.chapter)}</span></li>`)}
    </ul>
  `;
  return { title: "Interactive figures", view };
}

export async function figure(shell, name) {
  const found = shell.map.figures.find((figure) => figure.name === name);
  if (!found) return missing(shell, "figure", "#/figures");
  const { element } = await shell.ask({ do: "moving", name });
  const shown = await show("figure", { ask: shell.backend.ask, draft: local("figure") }, element);
  const view = () => html`
    <p class="crumbs"><a href="#/figures">Interactive figures</a> <span aria-hidden="true">›</span> <a href=${`#/${found.chapter}`}>${titleOf(shell.map, found.chapter)}</a></p>
    <h1 tabindex="-1" class="unseen">${found.title}</h1>
    <h2 class="unseen">Figure</h2>
    ${shown}
  `;
  return { title: found.title, view };
}

const titleOf = (map, chapter) => map.chapters.find(({ name }) => name === chapter)?.title ?? "";
