// Home: what to do next, today's five, and the map of the chapters.

import { html, nothing } from "lit";
import { bar, countsOf, inWords, problemsOf, tick } from "../parts.js";

export function home(shell) {
  return { title: "", view: () => view(shell) };
}

function view({ map, record }) {
  const isNew = !Object.keys(record.problems).length && !record.read.length;
  const problems = map.chapters.flatMap(problemsOf);
  const solved = problems.filter(({ problem }) => record.problems[problem]?.solved).length;
  return html`
    <h1 tabindex="-1" class=${isNew ? "" : "unseen"}>Learn by practice</h1>
    ${isNew ? html`<p class="lead">${map.chapters.length > 1 ? `Short lessons in ${map.chapters.length} chapters,` : "A short lesson"} and ${problems.length} problems that tell you at once what you got wrong.</p>` : nothing}
    <div class="cards">
      ${next(record, map, isNew)}
      ${record.settings.goal === false || isNew ? nothing : five(record)}
    </div>
    ${record.note ? html`<p class="note" role="status">${record.note}</p>` : nothing}
    <h2>Chapters ${solved ? html`<span class="quiet">${solved} of ${problems.length} problems solved</span>` : nothing}</h2>
    <ol class="chapters">${map.chapters.map((chapter) => row(chapter, record))}</ol>
  `;
}

function next({ next, ...record }, map, isNew) {
  if (!next) {
    return html`<section class="card" aria-label="Continue">
      <p class="over">Everything is solved</p>
      <p class="big">Every problem comes back before you forget it.</p>
      <a class="button primary" href="#/today">Today's five</a>
    </section>`;
  }
  const chapter = map.chapters.find(({ name }) => name === next.chapter);
  const counts = countsOf(chapter, record);
  return html`<section class="card" aria-label="Continue">
    <p class="over">${next.why} · chapter ${chapter.number}${next.about === next.title ? nothing : `, ${next.about}`}</p>
    <p class="big">${next.title}</p>
    ${counts.solved ? html`<p class="done">${bar(counts)} <span class="quiet">${inWords(counts)}</span></p>` : html`<p class="quiet">${chapter.summary}</p>`}
    <a class="button primary" href=${`#/${next.chapter}/${next.step}`}>${isNew ? "Start" : "Continue"}</a>
  </section>`;
}

function five({ today, streak }) {
  const done = today.problems.filter((each) => each.done).length;
  const all = today.problems.length;
  const days = streak.days > 1 ? `${streak.days}-day streak` : "";
  const waiting = today.waiting ? `${today.waiting} more are due over the next few days` : "";
  return html`<section class="card" aria-label="Today's five">
    <p class="over">Today's five</p>
    <p class="boxes"><span aria-hidden="true">${today.problems.map(({ done, right }) => html`<span class=${right ? "done" : ""}>${right ? "✓" : done ? "·" : ""}</span>`)}</span>
      <span>${done} of ${all} done</span></p>
    <p class="quiet">${[days, waiting].filter(Boolean).join(" · ") || "Mixed across chapters, with new numbers."}</p>
    ${done < all ? html`<a class="button" href="#/today">${done ? "Continue" : "Practise"}</a>` : html`<p>Done for today.</p>`}
  </section>`;
}

function row(chapter, record) {
  const counts = countsOf(chapter, record);
  return html`<li>
    <a href=${`#/${chapter.name}`}>
      <span class="number">${chapter.number}</span>
      <span class="what"><span class="name">${chapter.title} ${counts.mastered === counts.all ? tick({ mastered: true }) : counts.solved === counts.all ? tick({ solved: true }) : nothing}</span>
        <span class="quiet">${chapter.summary}</span></span>
      <span class="done">${bar(counts)}<span class="quiet">${inWords(counts)}</span></span>
    </a>
  </li>`;
}
