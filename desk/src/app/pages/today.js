// Today's five: one problem after another, across chapters.

import { html, nothing } from "lit";
import { tick } from "../parts.js";
import { formOf } from "./step.js";

export async function today(shell, { path }) {
  const { problems } = shell.record.today;
  const named = Number(path[1]) - 1;
  const open = problems.findIndex(({ done }) => !done);
  const place = problems[named] ? named : open;
  if (path[1] === "end" || place < 0) return finished(shell);
  const after = () => {
    const left = shell.record.today.problems
      .map(({ done }, index) => (done ? -1 : index))
      .filter((index) => index >= 0);
    const next = left.find((index) => index > place) ?? left.find((index) => index !== place);
    shell.go(next === undefined ? "#/today/end" : `#/today/${next + 1}`);
  };
  const here = problems[place];
  const form = await formOf(shell, here.problem, here.seed, after);
  const chapter = chapterOf(shell, here.problem);
  const view = () => html`
    <p class="crumbs"><a href="#/">Home</a></p>
    ${boxes(shell, place)}
    <h1 tabindex="-1" class="small">Today's five: ${place + 1} of ${problems.length} <span class="quiet">· ${chapter.title}</span></h1>
    <h2 class="unseen">${here.title}</h2>
    ${form}
    <nav class="steps" aria-label="Steps"><a href=${`#/${chapter.name}`}>Chapter “${chapter.title}”</a></nav>
  `;
  return { title: "Today's five", view };
}

const onward = ({ next }) => (next ? `#/${next.chapter}/${next.step}` : "#/");
const chapterOf = ({ map }, problem) => map.chapters.find(({ name }) => name === problem.split("/")[0]);

function boxes({ record }, place) {
  return html`<ol class="boxes" aria-label="Today's five">
    ${record.today.problems.map(
      (
        { title, done, right },
        index,
      ) => html`<li><a href=${`#/today/${index + 1}`} class=${right ? "done" : ""} aria-current=${index === place ? "step" : nothing}
        aria-label=${`${index + 1}: ${title}${right ? ", right" : done ? ", answered" : ""}`}>${right ? "✓" : done ? "·" : index + 1}</a></li>`,
    )}
  </ol>`;
}

function finished(shell) {
  const view = () => {
    const { today, streak } = shell.record;
    const left = today.problems.filter(({ done }) => !done).length;
    const right = today.problems.filter((each) => each.right).length;
    return html`
      <p class="crumbs"><a href="#/">Home</a></p>
      ${boxes(shell, -1)}
      <h1 tabindex="-1">${left ? `${left} of today's five are left` : "Today's five are done"}</h1>
      <p>${right} of ${today.problems.length} right.${left || right === today.problems.length ? "" : " Try the others again: they come back soon."}</p>
      <ol class="steps">${today.problems.map(({ problem, title, right }, place) => html`<li class="problem">${tick({ solved: right })} <a href=${`#/today/${place + 1}`}>${title}</a> <span class="quiet">${chapterOf(shell, problem).title}</span></li>`)}</ol>
      <p>${streak.days > 1 ? `${streak.days}-day streak. ` : ""}${today.waiting ? `${today.waiting} more are due over the next few days.` : "Five new ones tomorrow."}</p>
      <p><a class="button primary" href=${left ? "#/today" : onward(shell.record)}>${left ? "Continue" : "Go on with the chapters"}</a></p>
    `;
  };
  return { title: "Today's five", view };
}
