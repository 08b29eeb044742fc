// The preview of a bank: its problems, and of each many variants side by side, which follow every saved change.

import { html, nothing, render } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { unsafeHTML } from "lit/directives/unsafe-html.js";
import { reachable } from "../reach.js";
import { show } from "../show.js";
import { points } from "./parts.js";

const LOOKS_MS = 700; // between two looks at whether a file has changed
const PARTS = ["mistakes", "hints", "solution"]; // of a variant, which open and close in all variants together

export class Preview {
  #list = null; // the problems
  #shown = null; // the problem on the page, with its variants and forms
  #found = null; // what the lint says about it
  #stamp = "";
  #visit = 0; // counts loads, so that a late reply to an earlier one is dropped
  #trouble = "";
  #open = new Set(["mistakes"]);

  constructor(backend, root) {
    this.backend = backend;
    this.root = root;
    this.typed = new Map(); // what was typed into forms, by key
  }

  start() {
    document.body.classList.add("preview");
    addEventListener("hashchange", () => this.#arrive());
    addEventListener("visibilitychange", () => this.#look());
    setInterval(() => this.#look(), LOOKS_MS);
    reachable(this.root);
    this.#arrive();
  }

  get #id() {
    return decodeURIComponent(location.hash.replace(/^#\/?/, ""));
  }

  /** Show the page that the address names, from its top. */
  async #arrive() {
    this.#shown = null;
    this.#found = null;
    await this.#load();
    scrollTo(0, 0);
    this.root.querySelector("h1")?.focus({ preventScroll: true });
  }

  /** Load the page again if a file has changed. */
  async #look() {
    if (document.hidden || !this.#stamp) return;
    const { stamp, error } = await this.backend.ask({ do: "stamp" });
    if (error) {
      this.#trouble = error;
      this.#paint();
    } else if (stamp !== this.#stamp) await this.#load();
  }

  /** Load the list and the problem on the page; the page stays where it is scrolled to. */
  async #load() {
    this.#visit += 1;
    const visit = this.#visit;
    this.root.ariaBusy = "true";
    const ask = async (request) => {
      const reply = await this.backend.ask(request);
      if (visit === this.#visit && reply.error) this.#trouble = reply.error;
      return reply;
    };
    this.#trouble = "";
    const { stamp } = await ask({ do: "stamp" });
    this.#stamp = stamp;
    const list = await ask({ do: "bank" });
    if (visit !== this.#visit) return;
    if (!list.error) this.#list = list;
    const all = this.#problems;
    if (all.length === 1 && !this.#id) history.replaceState(null, "", `#/${all[0].id}`);
    const problem = this.#id;
    if (problem) {
      const linted = ask({ do: "lint", problem });
      const made = await ask({ do: "variants", problem });
      const forms = made.error ? [] : await Promise.all(made.variants.map((each) => this.#form(each)));
      if (visit !== this.#visit) return;
      if (!made.error) this.#shown = { ...made, forms, problem: all.find(({ id }) => id === problem) };
      this.#paint();
      const found = await linted;
      if (visit !== this.#visit) return;
      if (!found.error) this.#found = found;
    }
    this.root.ariaBusy = "false";
    this.#paint();
  }

  /** The form of a variant: the one that is there, if its question is unchanged. */
  async #form({ seed, given }) {
    const before = this.#shown?.forms.find((form) => form.dataset.seed === seed);
    if (before && JSON.stringify(before.given.question) === JSON.stringify(given.question)) return before;
    const draft = { get: (key) => this.typed.get(key), set: (key, value) => this.typed.set(key, value) };
    const { ask, waits } = this.backend;
    const form = await show("problem", { ask, waits, draft, label: `Question with seed ${seed}` }, given);
    form.dataset.seed = seed;
    return form;
  }

  get #problems() {
    return this.#list?.chapters.flatMap(({ problems }) => problems) ?? [];
  }

  #paint() {
    const { title } = this.#shown?.problem ?? { title: "Preview" };
    document.title = `${title} · shardwise preview`;
    render(this.#view(), this.root);
  }

  #view() {
    const faults = this.#list?.faults ?? [];
    return html`
      <header class="bar"><a class="brand" href="#/">shardwise preview</a> <span class="quiet">${this.#list?.bank}</span></header>
      <main id="content">
        ${this.#trouble ? html`<div role="alert" class="prose note">${unsafeHTML(this.#trouble)}</div>` : nothing}
        ${faults.length ? html`<div role="alert">${faultList("The chapters have faults. This is how they were before.", faults)}</div>` : nothing}
        ${this.#id ? this.#problem() : this.#index()}
      </main>`;
  }

  #index() {
    return html`<h1 tabindex="-1">${this.#problems.length} problem${this.#problems.length === 1 ? "" : "s"}</h1>
      ${this.#list?.chapters.map(
        ({ title, problems }) => html`<section><h2>${title}</h2>
          <ol class="previews">${problems.map(
            ({ id, title, kind, points: worth, difficulty, why }) =>
              html`<li><a href=${`#/${id}`}>${title}</a>
                <span class="quiet">${why ? html`<b>cannot be read:</b> ${why}` : `${kind} · ${points(worth)} · ${difficulty}`}</span></li>`,
          )}</ol></section>`,
      )}`;
  }

  #problem() {
    const all = this.#problems;
    const place = all.findIndex(({ id }) => id === this.#id);
    const to = (problem, words) => (problem ? html`<a href=${`#/${problem.id}`}>${words}</a>` : nothing);
    const around = html`<nav class="steps" aria-label="Problems"><a href="#/">All problems</a> ${to(all[place - 1], "Previous")} ${to(all[place + 1], "Next")}</nav>`;
    if (!this.#shown) return html`<h1 tabindex="-1">${all[place]?.title ?? this.#id}</h1>${around}${this.#verdict()}`;
    const { problem, path, variants, forms, isOld } = this.#shown;
    return html`
      <h1 tabindex="-1">${problem?.title ?? this.#id}</h1>
      <p class="quiet">${path}${problem?.kind ? html` · ${problem.kind} · ${points(problem.points)} · ${problem.difficulty}` : nothing}</p>
      ${around} ${this.#verdict()}
      ${isOld ? html`<p class="note">These are the variants of the last version that worked.</p>` : nothing}
      ${variants.length ? table(variants) : nothing}
      <div class="variants">${repeat(
        variants,
        ({ seed }) => seed,
        (variant, number) => this.#variant(variant, forms[number]),
      )}</div>`;
  }

  /** What the lint found. */
  #verdict() {
    const faults = this.#found?.faults ?? (this.#shown?.why ? [this.#shown.why] : null);
    const margin = this.#found?.margin;
    const near = margin
      ? ` The two closest answers are ${margin.toFixed(margin < 10 ? 2 : 0)} times their tolerances apart.`
      : "";
    const words = `No faults in ${this.#shown?.variants.length} draws.${near}`;
    return html`<div role="status" class="verdict">${
      faults === null
        ? this.#trouble
          ? nothing
          : "Checking…"
        : faults.length
          ? faultList(`${faults.length} fault${faults.length === 1 ? "" : "s"}`, faults)
          : html`<p class="sound">${words}</p>`
    }</div>`;
  }

  #variant(variant, form) {
    const { seed, key, agrees, needsOracle, oracle, faults, margin, mistakes, hints, solution } = variant;
    const said = {
      mistakes: html`<ol>${mistakes.map(({ answer, html: words }) => html`<li>${answer ? html`<code>${answer}</code>` : nothing}<div class="prose">${unsafeHTML(words)}</div></li>`)}</ol>`,
      hints: html`<ol>${hints.map((hint) => html`<li><div class="prose">${unsafeHTML(hint)}</div></li>`)}</ol>`,
      solution: html`<div class="prose">${unsafeHTML(solution)}</div>`,
    };
    const counts = { mistakes: mistakes.length, hints: hints.length };
    return html`<article id=${`seed-${seed}`} aria-labelledby=${`seed-${seed}-title`}>
      <h2 id=${`seed-${seed}-title`} tabindex="-1">Seed ${seed}</h2>
      ${form}
      <dl>
        <dt>Key</dt><dd><pre>${key}</pre></dd>
        <dt>Oracle</dt><dd>${oracleOf(oracle, agrees, needsOracle)} ${faults.map((fault) => html`<p class="wrong">${fault}</p>`)}</dd>
        ${margin === null ? nothing : html`<dt>Margin</dt><dd>${margin.toFixed(2)} × the tolerances</dd>`}
      </dl>
      ${PARTS.filter((name) => counts[name] !== 0).map(
        (name) => html`<details ?open=${this.#open.has(name)}>
          <summary @click=${(event) => this.#toggle(event, name)}>${name[0].toUpperCase()}${name.slice(1)}${counts[name] ? ` (${counts[name]})` : ""}</summary>${this.#open.has(name) ? said[name] : nothing}</details>`,
      )}
    </article>`;
  }

  /** Open or close a part of all variants; the one that was clicked stays where it is. */
  #toggle(event, name) {
    event.preventDefault();
    const before = event.target.getBoundingClientRect().top;
    if (!this.#open.delete(name)) this.#open.add(name);
    this.#paint();
    scrollBy({ top: event.target.getBoundingClientRect().top - before, behavior: "instant" });
  }
}

function faultList(title, faults) {
  return html`<h2>${title}</h2>${faults.map((fault) => html`<pre class="fault" tabindex="0">${fault}</pre>`)}`;
}

function oracleOf(oracle, agrees, needsOracle) {
  const values = oracle.join("; ");
  if (agrees) return html`${values} <span class="right">agrees</span>`;
  return needsOracle ? html`${values} <b class="wrong">disagrees</b>` : html`<span class="quiet">not needed</span>`;
}

/** The numbers of all variants: parameters that vary, key, oracle and mistakes. */
function table(variants) {
  const names = Object.keys(variants[0].params);
  const values = (name) => new Set(variants.map(({ params }) => String(params[name])));
  const varied = names.filter((name) => variants.length === 1 || values(name).size > 1);
  const fixed = names.filter((name) => !varied.includes(name));
  const hasOracle = variants.some(({ oracle }) => oracle.length);
  const short = (text) => (text.length > 60 ? `${text.slice(0, 59)}…` : text);
  const wrong = [...Array(Math.max(...variants.map(({ mistakes }) => mistakes.length))).keys()].filter((number) =>
    variants.some(({ mistakes }) => mistakes[number]?.answer),
  );
  return html`<div class="prose numbers" role="region" aria-label="Variants" tabindex="0"><table>
      <thead><tr><th scope="col">Seed</th>${varied.map((name) => html`<th scope="col"><code>${name}</code></th>`)}
        <th scope="col">Key</th>${hasOracle ? html`<th scope="col">Oracle</th>` : nothing}
        ${wrong.map((number) => html`<th scope="col">Mistake ${number + 1}</th>`)}<th scope="col">Margin</th><th scope="col">Rejected draws</th></tr></thead>
      <tbody>${variants.map(
        ({ seed, params, key, oracle, agrees, mistakes, margin, rejected }) => html`<tr>
          <th scope="row"><a href=${`#seed-${seed}`} @click=${jump}>${seed}</a></th>
          ${varied.map((name) => html`<td>${String(params[name])}</td>`)}
          <td><b>${short(key)}</b></td>
          ${hasOracle ? html`<td>${oracle.join("; ")} ${agrees ? html`<span class="right" role="img" aria-label="agrees">✓</span>` : html`<b class="wrong">✗</b>`}</td>` : nothing}
          ${wrong.map((number) => html`<td>${short(mistakes[number]?.answer ?? "")}</td>`)}
          <td>${margin === null ? "" : `${margin.toFixed(2)} ×`}</td><td>${rejected}</td></tr>`,
      )}</tbody></table></div>
    ${fixed.length ? html`<p class="quiet">In all of them: ${fixed.map((name, place) => html`${place ? ", " : ""}<code>${name}</code> ${String(variants[0].params[name])}`)}</p>` : nothing}`;
}

/** Go to a variant without changing the address, which names the problem. */
function jump(event) {
  event.preventDefault();
  const title = document.querySelector(`${event.target.getAttribute("href")} h2`);
  title.scrollIntoView();
  title.focus({ preventScroll: true });
}
