// What several pages show: ticks, bars, and counts of what is solved.

import { html } from "lit";
import { storage } from "./storage.js";

const KEPT = storage("localStorage");

/** The problems of a chapter among its steps. */
export const problemsOf = (chapter) => chapter.steps.filter(({ type }) => type === "problem");

/** How many problems of a chapter are solved, mastered and due. */
export function countsOf(chapter, record) {
  const states = problemsOf(chapter).map(({ problem }) => record.problems[problem]);
  const count = (name) => states.filter((state) => state?.[name]).length;
  return { all: states.length, solved: count("solved"), mastered: count("mastered"), due: count("isDue") };
}

/** Whether a step is done: a section read, a problem solved. */
export function isDone(chapter, step, record) {
  if (step.type === "problem") return record.problems[step.problem]?.solved ?? false;
  return record.read.includes(`${chapter.name}/${step.id}`);
}

/** A tick for a solved problem, a star for a mastered one. */
export function tick(state) {
  if (state?.mastered) return html`<span class="tick mastered" role="img" aria-label="mastered">★</span>`;
  if (state?.solved) return html`<span class="tick solved" role="img" aria-label="solved">✓</span>`;
  return html`<span class="tick"></span>`;
}

/** What is solved of a chapter, in words. */
export function inWords({ all, solved, mastered, due }) {
  const more = [mastered && `${mastered} mastered`, due && `${due} due`].filter(Boolean);
  return html`${[`${solved} of ${all} solved`, ...more].map((part, place) => html`${place ? " · " : ""}<span class="together">${part}</span>`)}`;
}

/** A bar with what is solved and, darker, what is mastered. The words next to it say the same. */
export function bar({ all, solved, mastered }) {
  const share = (count) => `width: ${((100 * count) / Math.max(all, 1)).toFixed(1)}%`;
  return html`<span class="meter" aria-hidden="true"><span class="solved" style=${share(solved)}></span><span class="mastered" style=${share(mastered)}></span></span>`;
}

const LEVELS = { easy: 1, medium: 2, hard: 3 };

/** The difficulty of a problem: a word, and one to three dots. */
export function difficulty(level) {
  const dots = "●".repeat(LEVELS[level]) + "○".repeat(3 - LEVELS[level]);
  return html`<span class="level"><span aria-hidden="true">${dots}</span> ${level}</span>`;
}

export const points = (number) => `${number} point${number === 1 ? "" : "s"}`;

/** A segment for each step of a chapter, for the eye and a mouse; the links next to it lead to the same places. */
export function segments(chapter, here, record) {
  return html`<div class="segments" aria-hidden="true">
    ${chapter.steps.map((step) => {
      const state = record.problems[step.problem];
      const isRead = isDone(chapter, step, record);
      const looks = [step.type, isRead && "done", state?.mastered && "mastered", step.id === here && "here"];
      const words = state?.mastered ? "mastered" : isRead ? (state ? "solved" : "read") : "";
      return html`<a tabindex="-1" href=${`#/${chapter.name}/${step.id}`} title=${[step.title, words].filter(Boolean).join(", ")} class=${looks.filter(Boolean).join(" ")}></a>`;
    })}
  </div>`;
}

/** A draft for what is not about a problem, such as the settings of a figure: in this browser only. */
export function local(name) {
  const place = (key) => `shardwise ${name} ${key}`;
  return {
    get: (key) => JSON.parse(KEPT.getItem(place(key)) ?? "null") ?? undefined,
    set: (key, value) => KEPT.setItem(place(key), JSON.stringify(value)),
  };
}
