// A problem as a form, which shows it, collects an answer, and shows Python's verdict. Nothing is judged here.

import { adoptStyles, css, html, LitElement, nothing } from "lit";
import { keyed } from "lit/directives/keyed.js";
import { unsafeHTML } from "lit/directives/unsafe-html.js";
import { Width } from "./draw/width.js";
import { answerOf, fieldStyles, fieldsOf, withPart } from "./fields/index.js";
import { hintButton, hintsAsked } from "./hints.js";
import { Reach } from "./reach.js";
import { addScripts } from "./scripts.js";
import { since } from "./since.js";
import { styles } from "./styles.js";
import { formOf, goTo } from "./way.js";

const SETTLED_MS = 1000; // after a check, until charts above its verdict have been drawn
const PATIENCE_MS = 1000; // an idle kernel replies in a few milliseconds

/** Escape text for HTML. */
function escaped(text) {
  return Object.assign(document.createElement("p"), { textContent: text }).outerHTML;
}

const status = (root) => root.querySelector(".said > *");

const WAITING =
  "Still waiting for the kernel. It may be busy with another cell. If the kernel or Jupyter was restarted, run this cell again.";

/** A form grows with its code, tables and charts up to the width of the page; text keeps its measure. */
const formStyle = css`
  :host { --measure: calc(50rem - 2.5rem - 2px); width: fit-content; min-width: min(100% - 4px, 50rem); max-width: calc(100% - 4px); }
  section > *, form > *, .fields > :not(.wide, .parts), .prose > :not(pre, table, math, .shardwise-picture) { max-width: var(--measure); }
  section > :is(header, .prose, form, [aria-live]), form > :is(.prose, .fields) { max-width: none; }
  .prose:is(.more, .note) { --measure: calc(50rem - 3.4rem - 6px); } /* less its bar on the left */
`;

/** Handle a submit, and Enter in a text field, since JupyterLab keeps browsers from submitting on Enter. */
const submits = (act) => (event) => {
  const { type, key, target, isComposing } = event;
  if (type === "keydown" && (key !== "Enter" || target.tagName !== "INPUT" || isComposing)) return;
  event.preventDefault();
  act(event.currentTarget);
};

export class Problem extends LitElement {
  static properties = {
    host: { attribute: false },
    given: { attribute: false },
    question: { state: true },
    isSolved: { state: true }, // whether any variant of the problem was solved
    draft: { state: true }, // the contents of the fields
    said: { state: true }, // the contents of the status: an outcome, a text, and for a verdict the answer that it is about
    hints: { state: true }, // the hints so far, each with its part; null for a hint to the question in general
    solution: { state: true },
    checked: { state: true }, // the last answer that was checked, and the notes on its parts
    trail: { state: true }, // the questions shown here before, for Back, each with its last active field
    estimate: { state: true }, // the saved estimate, as typed and as read
    unread: { state: true }, // why the estimate cannot be read
    isChecking: { state: true }, // whether an answer is being checked, so that the verdict is about the previous one
    isOver: { state: true }, // whether this was the last problem of its chapter
  };

  reach = new Reach(this);

  #width = new Width(this);
  #pressed = 0; // when Check was pressed last
  #field = ""; // the id of the last active field
  #growth; // watches whether the form grows above a text that was just scrolled into view
  #told = 0; // counts messages, so that screen readers announce a repeated one again

  willUpdate(changed) {
    if (changed.has("given")) {
      this.trail = [];
      this.#show(this.given);
      this.#resume();
    }
  }

  /** Discard saved state that does not fit the question, such as a draft for an older version of it. */
  performUpdate() {
    try {
      super.performUpdate();
    } catch (error) {
      if (this.draft === null && this.estimate === null) throw error;
      this.draft = null;
      this.estimate = null;
    }
  }

  /** Restore the variant that was shown here last. */
  async #resume() {
    const { id, seed } = this.given.question;
    const seeds = this.host.draft.get(`variants ${id} ${seed}`) ?? [];
    if (!seeds.length) return;
    const reply = await this.#ask({ do: "question", seed: seeds.at(-1) });
    if (!reply.question) return;
    this.trail = [seed, ...seeds.slice(0, -1)].map((seed) => ({ problem: id, seed }));
    this.#show(reply);
  }

  /** Show another question in place of the current one, with the hints already given to it. */
  #show({ question, hints, state }) {
    this.question = question;
    adoptStyles(this.renderRoot, [styles, formStyle, ...fieldStyles()]); // the question may have brought a new field type
    this.draft = this.host.draft.get(this.#key) ?? null;
    this.estimate = this.host.draft.get(this.#estimateKey) ?? null;
    this.unread = "";
    this.isChecking = false;
    this.isOver = false;
    this.#field = "";
    this.hints = hints;
    this.isSolved = state?.solved;
    this.solution = "";
    this.checked = undefined;
    this.#say();
  }

  /** Show whether the problem is solved by now. */
  renew({ question, state }) {
    if (question.id === this.question.id) this.isSolved = state.solved;
  }

  get #key() {
    return `answer ${this.question.id} ${this.question.seed}`;
  }

  get #estimateKey() {
    return `estimate ${this.question.id} ${this.question.seed}`;
  }

  #say(outcome = "", text = "", about = undefined) {
    this.#told += 1;
    this.said = { outcome, html: text, about: JSON.stringify(about) };
  }

  /** Scroll a text that has just been added into view, but no further than needed; of a tall one, the top. */
  async #reveal(find) {
    await this.updateComplete;
    const text = find(this.renderRoot);
    if (!text) return;
    const isTall = text.getBoundingClientRect().height > innerHeight;
    const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const to = { block: isTall ? "start" : "nearest", behavior: isCalm ? "auto" : "smooth" };
    this.#growth?.disconnect();
    const growth = new ResizeObserver(() => text.scrollIntoView(to)); // it reports the current size first
    growth.observe(this);
    setTimeout(() => growth.disconnect(), SETTLED_MS);
    this.#growth = growth;
  }

  /** Return Python's reply to a request about this question, or an `error`; call `waits` if it takes long. */
  #send = async (request, waits) => {
    const { id: problem, seed } = this.question;
    const timer = setTimeout(() => waits(escaped(this.host.waits ?? WAITING)), PATIENCE_MS);
    return this.host
      .ask({ problem, seed, ...request })
      .then(async (reply) => {
        await addScripts(reply.scripts, this.host.ask);
        return reply;
      })
      .catch((error) => ({ error: escaped(error.message) }))
      .finally(() => clearTimeout(timer));
  };

  /** Return Python's reply to a request about this question, or nothing if another question is shown by then. */
  async #ask(request) {
    const asked = this.question;
    const before = this.said;
    const say = (outcome, words) => {
      this.#say(outcome, words);
      if (request.do !== "question") this.#reveal(status);
    };
    const reply = await this.#send(request, (words) => say("blank", words));
    if (this.question !== asked) return {};
    if (reply.error) say("broken", reply.error);
    else if (this.said.html === escaped(this.host.waits ?? WAITING)) this.said = before;
    return reply;
  }

  #change = (path, value) => {
    this.draft = withPart(this.draft, path, value);
    this.host.draft.set(this.#key, this.draft);
  };

  /** Return the `preview` or the `bars` of an answer to the field at a path of names. */
  #askOf = async (what, path, answer) => {
    const { id: problem, seed } = this.question;
    const reply = await this.host.ask({ do: what, problem, seed, answer: withPart(null, path, answer) });
    return path.reduce((part, name) => part?.[name], reply[what]) ?? {};
  };

  #workedIn = (event) => {
    this.#field = event.target.closest("[id]")?.id ?? "";
  };

  async #check() {
    const answer = answerOf(this.question.form.fields, this.draft);
    const isTwice = this.isChecking && performance.now() - this.#pressed < PATIENCE_MS;
    if (isTwice) return; // a double click is one answer
    this.#pressed = performance.now();
    this.isChecking = true;
    const { verdict, state } = await this.#ask({ do: "check", answer, estimate: this.estimate?.typed });
    if (state) this.isSolved = state.solved;
    this.isChecking = false;
    if (!verdict) return;
    this.#say(verdict.outcome, verdict.html + (verdict.more ?? ""), answer);
    this.checked = { answer, notes: verdict.notes };
    this.#announce("checked", { outcome: verdict.outcome });
    this.#reveal((root) => root.activeElement?.closest(".parts > details")?.querySelector(".note") ?? status(root));
  }

  /** Tell the page around the form what happened here: an event that names the question. */
  #announce(what, more = {}) {
    const detail = { problem: this.question.id, seed: this.question.seed, ...more };
    this.dispatchEvent(new CustomEvent(`shardwise-${what}`, { detail, bubbles: true, composed: true }));
  }

  async #commit(typed) {
    const { estimate, unreadable } = await this.#ask({ do: "estimate", answer: typed });
    if (unreadable) this.unread = unreadable;
    if (!estimate) return;
    this.unread = "";
    this.estimate = { typed, read: estimate };
    this.host.draft.set(this.#estimateKey, this.estimate);
    await this.updateComplete;
    this.renderRoot.querySelector(".fields input").focus(); // the estimate field, which had the focus, is gone
  }

  /** Return the hints to one part of the question; null means the question in general. */
  #hintsTo = (part) => this.hints.filter((hint) => hint.part === part);

  #hint = async (part) => {
    const { hints } = await this.#ask({ do: "hint", part, shown: this.#hintsTo(part).length });
    if (!hints) return;
    const before = new Set(this.renderRoot.querySelectorAll(".more"));
    this.hints = [...this.hints.filter((hint) => hint.part !== part), ...hints];
    this.#reveal((root) => [...root.querySelectorAll(".more")].find((text) => !before.has(text)));
  };

  async #solve() {
    const { solution } = await this.#ask({ do: "solution" });
    if (!solution) return;
    this.solution = solution;
    this.#reveal((root) => root.querySelector("section > :last-child > .more"));
  }

  /** Go to another variant of this problem, or to the next problem of the chapter. */
  async #go(request, words) {
    const here = { problem: this.question.id, seed: this.question.seed, field: this.#field };
    const reply = await this.#ask(request);
    const { question, end } = reply;
    if (end) {
      this.isOver = true;
      this.#say("blank", end);
      this.#reveal(status);
    }
    if (question && !this.#isElsewhere(question)) this.#arrive([...this.trail, here], reply, words);
  }

  /** If the page has another form for this problem, as a chapter's notebook has, go there and return true. */
  #isElsewhere({ id }) {
    const own = this.given.walk ? undefined : formOf(id, this);
    if (!own || id === this.question.id) return false;
    goTo(own, this);
    return true;
  }

  async #back() {
    const { problem, seed, field } = this.trail.at(-1);
    const reply = await this.#ask({ do: "question", problem, seed });
    if (reply.question) this.#arrive(this.trail.slice(0, -1), reply, "Previous question, with your answer.", field);
  }

  /** Show a question after navigation, and remember which variants of the cell's problem were shown. */
  #arrive(trail, reply, words, field = "") {
    const { question } = reply;
    this.trail = trail;
    this.#show(reply);
    this.#say("new", escaped(words));
    const { id, seed } = this.given.question;
    if (question.id === id) {
      const seeds = [...trail.filter((place) => place.problem === id).map((place) => place.seed), question.seed];
      this.host.draft.set(`variants ${id} ${seed}`, seeds.slice(1));
    }
    this.#announce("went");
    this.updateComplete.then(() => this.#begin(field));
  }

  /** Move the focus to the title of a question, or back to its last active field. */
  #begin(id) {
    const field = id ? this.renderRoot.getElementById(id) : null;
    const part = field?.closest(".parts > details");
    if (part) part.open = true; // this closes the others
    for (const place of [
      field?.matches("details") ? field.firstElementChild : field,
      this.renderRoot.querySelector("h3"),
    ]) {
      place?.focus({ preventScroll: true });
      if (!place || this.renderRoot.activeElement !== place) continue;
      place.scrollIntoView({ block: "nearest" });
      return;
    }
  }

  /** Whether the verdict is about an answer that was changed since. */
  get #isOld() {
    const { about } = this.said;
    return about !== undefined && about !== JSON.stringify(answerOf(this.question.form.fields, this.draft));
  }

  render() {
    const { question } = this;
    const isOld = this.#isOld;
    const isPale = isOld || (this.isChecking && this.said.about !== undefined);
    const check = submits(() => this.#check());
    return html`
      <section aria-label=${this.host.label ?? nothing} aria-labelledby=${this.host.label ? nothing : "title"}>
        <header>
          <h3 id="title" tabindex="-1">${question.title}</h3>
          <span class="quiet">
            ${this.isSolved ? html`<span class="solved" role="img" aria-label="solved">✓</span>` : nothing} ${question.points}
          </span>
        </header>
        <div class="prose">${unsafeHTML(question.prompt)}</div>
        ${question.estimated_first ? this.#estimateFirst() : nothing}
        <form novalidate @submit=${check} @keydown=${check}>
          ${question.form.html ? html`<div class="prose">${unsafeHTML(question.form.html)}</div>` : nothing}
          <p id="how" class="quiet">${question.form.how}</p>
          ${keyed(
            this.#key,
            html`<div class="fields" @focusin=${this.#workedIn}>
              ${fieldsOf(question.form.fields, {
                id: "answer",
                how: "how",
                path: [],
                draft: this.draft,
                change: this.#change,
                width: this.#width.value,
                checked: this.checked,
                prompt: question.prompt,
                points: question.worth,
                askOf: this.#askOf,
                ask: this.#send,
                hinted: { to: this.#hintsTo, ask: this.#hint },
                settled: () => this.updateComplete,
              })}
            </div>`,
          )}
          <div class="buttons"><button class="primary">Check</button></div>
        </form>
        ${since(isOld)}
        <div role="status" class="prose said ${isPale ? "old" : ""} ${this.isChecking ? "soon" : ""}" data-outcome=${this.said.outcome}>
          ${keyed(this.#told, html`<div>${unsafeHTML(this.said.html)}</div>`)}
        </div>
        ${this.#actions()}
        ${hintsAsked(this.#hintsTo(null))}
        <div aria-live="polite">
          ${this.solution ? html`<div class="prose more">${unsafeHTML(this.solution)}</div>` : nothing}
        </div>
      </section>
    `;
  }

  /** A number that students commit to before computing: after a guess, they look harder at the result. */
  #estimateFirst() {
    if (this.estimate) {
      return html`<div class="estimate quiet">Your estimate: <code>${this.estimate.read}</code></div>`;
    }
    const commit = submits((form) => this.#commit(form.elements.estimate.value));
    return html`<details class="estimate">
      <summary>Estimate first</summary>
      <form novalidate @submit=${commit} @keydown=${commit}>
        <label for="estimate">What is your estimate, before you compute?</label>
        <div class="row">
          <input
            type="text" id="estimate" class="quantity" autocomplete="off" spellcheck="false"
            aria-describedby="estimate-reading" aria-invalid=${this.unread ? "true" : "false"}
            @input=${() => {
              this.unread = "";
            }} />
          <button>Save estimate</button>
        </div>
        <div id="estimate-reading" class="quiet" aria-live="polite">${unsafeHTML(this.unread)}</div>
      </form>
    </details>`;
  }

  #actions() {
    const { hints, another } = this.question; // a case may have hints only for its parts
    const isRight = this.said.outcome === "correct";
    const button = (words, act, { off = false, primary = false } = {}) =>
      html`<button
        type="button" class=${primary ? "primary" : "plain"} aria-disabled=${off ? "true" : "false"}
        @click=${() => off || act()}>${words}</button>`;
    const onward = this.host.next
      ? button("Continue", () => this.host.next(), { primary: isRight })
      : button("Next", () => this.#go({ do: "next" }, "The next problem in this chapter."), {
          off: this.isOver,
          primary: isRight && !this.isOver,
        });
    return html`
      <div class="buttons" role="group" aria-label="More actions">
        ${isRight ? onward : nothing}
        ${hints ? hintButton(hints - this.#hintsTo(null).length, () => this.#hint(null), "plain") : nothing}
        ${button("Solution", () => this.#solve(), { off: this.solution !== "" })}
        ${button(another.button, () => this.#go({ do: "another" }, another.said))}
        ${this.trail.length ? button("Back", () => this.#back()) : nothing}
        ${isRight ? nothing : onward}
      </div>
    `;
  }
}
