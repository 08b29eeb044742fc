// One step of a chapter: a section of the lesson, or a problem; the chapter's end; and practice until all is mastered.

import { html, nothing } from "lit";
import { unsafeHTML } from "lit/directives/unsafe-html.js";
import { show } from "../../show.js";
import { bar, countsOf, difficulty, inWords, local, problemsOf, segments, tick } from "../parts.js";

/** What scrolls by itself where it is wider than the page. */
const WIDE = /<table>.*?<\/table>|<math[^>]* display="block".*?<\/math>/gs;

/** A form with a question. `next` is what its Continue does. */
export async function formOf(shell, problem, seed, next) {
  const given = await shell.ask(seed === null ? { do: "open", problem } : { do: "open", problem, seed });
  const draft = await shell.backend.drafts(problem);
  return show("problem", { ask: shell.backend.ask, waits: shell.backend.waits, draft, next }, given);
}

/** The steps before and after one, as addresses. */
function around(chapter, id) {
  const place = chapter.steps.findIndex((step) => step.id === id);
  const at = (step) => (step ? `#/${chapter.name}/${step.id}` : "");
  return {
    before: at(chapter.steps[place - 1]) || `#/${chapter.name}`,
    after: at(chapter.steps[place + 1]) || `#/${chapter.name}/end`,
  };
}

const crumbs = (chapter, here) => html`<p class="crumbs">
  <a href="#/">Home</a> <span aria-hidden="true">›</span> <a href=${`#/${chapter.name}`}>${chapter.number}. ${chapter.title}</a>
  ${here ? html`<span aria-hidden="true">›</span> ${here}` : nothing}
</p>`;

export async function step(shell, chapter, id, query) {
  const found = chapter.steps.find((each) => each.id === id);
  shell.backend.ask({ do: "at", chapter: chapter.name });
  return found.type === "section" ? section(shell, chapter, found) : problem(shell, chapter, found, query);
}

async function problem(shell, chapter, step, query) {
  const { before, after } = around(chapter, step.id);
  const form = await formOf(shell, step.problem, query.get("seed"), () => shell.go(after));
  const number = problemsOf(chapter).indexOf(step) + 1;
  const view = () => {
    const state = shell.record.problems[step.problem];
    return html`
      ${crumbs(chapter)} ${segments(chapter, step.id, shell.record)}
      <h1 tabindex="-1" class="small">Problem ${number} of ${problemsOf(chapter).length}
        <span class="quiet">· ${difficulty(step.difficulty)}</span> ${state?.mastered ? tick(state) : nothing}
        ${state?.solved && !state.mastered ? html`<span class="quiet">· ${state.right} of 3 variants to master it</span>` : nothing}</h1>
      <h2 class="unseen">${step.title}</h2>
      ${form}
      <nav class="steps" aria-label="Steps"><a href=${before}>Previous</a> <a href=${`#/${chapter.name}`}>Contents</a></nav>
    `;
  };
  return { title: `${step.title} · ${chapter.title}`, view };
}

async function section(shell, chapter, step) {
  const { section } = await shell.ask({ do: "section", chapter: chapter.name, step: step.id });
  const pieces = await Promise.all(section.pieces.map((piece) => pieceOf(shell, piece)));
  const { before, after } = around(chapter, step.id);
  const goOn = async () => {
    shell.backend
      .ask({ do: "read", chapter: chapter.name, step: step.id })
      .then(({ record }) => record && shell.take(record));
    shell.go(after);
  };
  const view = () => html`
    ${crumbs(chapter)} ${segments(chapter, step.id, shell.record)}
    <article class="lesson">
      <h1 tabindex="-1">${section.title}</h1>
      ${pieces}
    </article>
    <nav class="steps" aria-label="Steps">
      <button type="button" class="button primary" @click=${goOn}>Continue</button>
      <a href=${before}>Previous</a> <a href=${`#/${chapter.name}`}>Contents</a>
    </nav>
  `;
  return { title: [...new Set([section.title, chapter.title])].join(" · "), view };
}

/** A piece of a section: text, or an interactive figure, with a picture of it until it is there. */
async function pieceOf(shell, { html: text, figure }) {
  if (!figure)
    return html`<div class="prose">${unsafeHTML(text.replaceAll(WIDE, '<span class="prose">$&</span>'))}</div>`;
  const shown = await show("figure", { ask: shell.backend.ask, draft: local("figure") }, figure);
  return html`<h2 class="unseen">Interactive figure</h2>${shown}`;
}

export async function end(shell, chapter) {
  const { section } = await shell.ask({ do: "section", chapter: chapter.name, step: "end" });
  const following = shell.map.chapters[shell.map.chapters.indexOf(chapter) + 1];
  const view = () => {
    const counts = countsOf(chapter, shell.record);
    const open = problemsOf(chapter).filter(({ problem }) => !shell.record.problems[problem]?.solved);
    const isPrimary = (yes) => `button ${yes ? "primary" : ""}`;
    return html`
      ${crumbs(chapter)} ${segments(chapter, "", shell.record)}
      <h1 tabindex="-1">${open.length ? `You have reached the end of “${chapter.title}”` : `You have solved “${chapter.title}”`}</h1>
      <p class="done">${bar(counts)} <span>${inWords(counts)}</span></p>
      ${section.pieces[0].html ? html`<h2>${open.length ? "What this chapter teaches" : "What you can do now"}</h2><div class="prose">${unsafeHTML(section.pieces[0].html)}</div>` : nothing}
      <h2>What’s next</h2>
      <p class="buttons">
        ${following ? html`<a class=${isPrimary(true)} href=${`#/${following.name}`}>Chapter ${following.number}: ${following.title}</a>` : html`<a class=${isPrimary(true)} href="#/">Home</a>`}
        ${counts.mastered < counts.all ? html`<a class=${isPrimary(false)} href=${`#/${chapter.name}/master`}>Master this chapter (${counts.all - counts.mastered} problems left)</a>` : nothing}
      </p>
      ${counts.mastered < counts.all ? html`<p class="quiet">A problem is mastered after three variants solved without a hint.</p>` : nothing}
      ${open.length ? html`<h2>Still open</h2><ul>${open.map((step) => html`<li><a href=${`#/${chapter.name}/${step.id}`}>${step.title}</a></li>`)}</ul>` : nothing}
      ${section.pieces[1].html ? html`<details><summary>Sources</summary><div class="prose">${unsafeHTML(section.pieces[1].html)}</div></details>` : nothing}
    `;
  };
  return { title: `The end of ${chapter.title}`, view };
}

export async function master(shell, chapter, query) {
  const { master } = await shell.ask({ do: "master", chapter: chapter.name, after: query.get("after") ?? "" });
  if (!master) {
    return {
      title: chapter.title,
      view: () => html`${crumbs(chapter)} ${segments(chapter, "", shell.record)}
        <h1 tabindex="-1">You have mastered “${chapter.title}”</h1>
        <p>Its problems come back in Today's five before you forget them.</p>
        <p><a class="button primary" href=${`#/${chapter.name}/end`}>What you can do now</a></p>`,
    };
  }
  const next = () => shell.go(`#/${chapter.name}/master?after=${master.problem}&seed=${master.seed}`);
  const form = await formOf(shell, master.problem, master.seed, next);
  const step = problemsOf(chapter).find(({ problem }) => problem === master.problem);
  const view = () => {
    const state = shell.record.problems[master.problem];
    const left = countsOf(chapter, shell.record);
    return html`${crumbs(chapter, "Mastery")} ${segments(chapter, step.id, shell.record)}
      <h1 tabindex="-1" class="small">${left.mastered} of ${left.all} mastered <span class="quiet">· ${difficulty(step.difficulty)} · this problem: ${state?.right ?? 0} of 3 variants</span></h1>
      <h2 class="unseen">${master.title}</h2>
      ${form}
      <nav class="steps" aria-label="Steps"><a href=${`#/${chapter.name}`}>Contents</a></nav>`;
  };
  return { title: `${master.title} · ${chapter.title}`, view };
}
