// A chapter's contents: the sections of its lesson, and under each its problems.

import { html, nothing } from "lit";
import { bar, countsOf, difficulty, inWords, isDone, points, tick } from "../parts.js";

const KINDS = { quantity: "number", code: "function", bugline: "bug hunt" };

export function chapter(shell, chapter) {
  return { title: chapter.title, view: () => view(shell, chapter) };
}

function view({ record }, chapter) {
  const counts = countsOf(chapter, record);
  const open = chapter.steps.find((step) => !isDone(chapter, step, record));
  const to = open ? `#/${chapter.name}/${open.id}` : `#/${chapter.name}/end`;
  const isNew = !chapter.steps.some((step) => isDone(chapter, step, record));
  return html`
    <p class="crumbs"><a href="#/">Home</a></p>
    <h1 tabindex="-1"><span class="number">${chapter.number}</span> ${chapter.title}</h1>
    <p class="lead">${chapter.summary}</p>
    <p class="done">${bar(counts)} <span>${inWords(counts)}</span></p>
    <p><a class="button primary" href=${to}>${isNew ? "Start" : open ? "Continue" : "What you can do now"}</a></p>
    <h2>Contents</h2>
    <ol class="steps">${chapter.steps.map((step) => row(chapter, step, record, step === open))}</ol>
  `;
}

function row(chapter, step, record, isNext) {
  const state = record.problems[step.problem];
  const to = `#/${chapter.name}/${step.id}`;
  const looks = `${step.type} ${isNext ? "next" : ""}`;
  if (step.type === "section") {
    const isRead = isDone(chapter, step, record);
    return html`<li class=${looks}><a href=${to}>${step.title}</a> <span class="quiet">${isNext ? "next" : isRead ? "read" : ""}</span></li>`;
  }
  return html`<li class=${looks}>
    ${tick(state)} <a href=${to}>${step.title}</a>
    <span class="quiet">${isNext ? html`<b>next</b> · ` : nothing}${state?.isDue ? html`<b>due</b> · ` : nothing}${KINDS[step.kind] ?? step.kind} · ${difficulty(step.difficulty)} · <span class="together">${points(step.points)}</span></span>
  </li>`;
}
