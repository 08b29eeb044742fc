// A problem as a form: shows it, collects an answer, and shows what Python says to that. Nothing is judged here.

import { adoptStyles, html, LitElement, nothing } from "lit";
import { keyed } from "lit/directives/keyed.js";
import { unsafeHTML } from "lit/directives/unsafe-html.js";
import { Width } from "./draw/width.js";
import { answerOf, fieldStyles, fieldsOf, withPart } from "./fields/index.js";
import { hintButton, hintsAsked } from "./hints.js";
import { Reach } from "./reach.js";
import { addScripts } from "./scripts.js";
import { styles } from "./styles.js";

const PATIENCE_MS = 1000; // Python at rest answers in a few milliseconds

/** Text as HTML that shows it as it is. */
function escaped(text) {
  return Object.assign(document.createElement("p"), { textContent: text }).outerHTML;
}

const WAITING = escaped(
  "Still waiting for Python. It may be busy with another cell; if the kernel or Jupyter was restarted, run this cell again.",
);

/** What a form does when it is submitted, and on Enter in a text field: JupyterLab's notebook keeps browsers from that. */
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
    draft: { state: true }, // what the fields hold
    said: { state: true }, // what the status says: an outcome and a text
    hints: { state: true }, // those that were given, each with the part that it is for, if not for all of it
    solution: { state: true },
    checked: { state: true }, // the answer that was checked last, and what was said of its parts
    trail: { state: true }, // the questions that were shown here before, to go back to, each with the field that was worked in last
    estimate: { state: true }, // what was committed to before computing: as typed, and as it was read
    unread: { state: true }, // why what was typed as an estimate cannot be read
    isChecking: { state: true }, // whether an answer is being checked, so that what is said is of the one before
    isOver: { state: true }, // whether this was the last problem of its chapter
  };

  reach = new Reach(this);

  #width = new Width(this);
  #field = ""; // the id of the field that was worked in last
  #told = 0; // the same words twice are two events, and are read out twice

  willUpdate(changed) {
    if (changed.has("given")) {
      this.trail = [];
      this.#show(this.given);
      this.#resume();
    }
  }

  /** What was kept and does not fit the question, such as the draft of an older version of it, is left out. */
  performUpdate() {
    try {
      super.performUpdate();
    } catch (error) {
      if (this.draft === null && this.estimate === null) throw error;
      this.draft = null;
      this.estimate = null;
    }
  }

  /** Go on with the variant that was shown here last. */
  async #resume() {
    const { id, seed } = this.given.question;
    const seeds = this.host.draft.get(`variants ${id} ${seed}`) ?? [];
    if (!seeds.length) return;
    const reply = await this.#ask({ do: "question", seed: seeds.at(-1) });
    if (!reply.question) return;
    this.trail = [seed, ...seeds.slice(0, -1)].map((seed) => ({ problem: id, seed }));
    this.#show(reply);
  }

  /** Another question in place of the one that is shown, with the hints to it that were given before. */
  #show({ question, hints }) {
    this.question = question;
    adoptStyles(this.renderRoot, [styles, ...fieldStyles()]); // a field type may have come with the question
    this.draft = this.host.draft.get(this.#key) ?? null;
    this.estimate = this.host.draft.get(this.#estimateKey) ?? null;
    this.unread = "";
    this.isChecking = false;
    this.isOver = false;
    this.#field = "";
    this.hints = hints;
    this.solution = "";
    this.checked = undefined;
    this.#say();
  }

  get #key() {
    return `answer ${this.question.id} ${this.question.seed}`;
  }

  get #estimateKey() {
    return `estimate ${this.question.id} ${this.question.seed}`;
  }

  #say(outcome = "", text = "") {
    this.#told += 1;
    this.said = { outcome, html: text };
  }

  /** Python's reply to a request about this question, one with an `error` where none comes; `waits` is told when that takes long. */
  #send = async (request, waits) => {
    const { id: problem, seed } = this.question;
    const timer = setTimeout(() => waits(WAITING), PATIENCE_MS);
    return this.host
      .ask({ problem, seed, ...request })
      .then(async (reply) => {
        await addScripts(reply.scripts, this.host.ask);
        return reply;
      })
      .catch((error) => ({ error: escaped(error.message) }))
      .finally(() => clearTimeout(timer));
  };

  /** What Python says to a request about this question; nothing when another one is shown by then. */
  async #ask(request) {
    const asked = this.question;
    const before = this.said;
    const reply = await this.#send(request, (words) => this.#say("blank", words));
    if (this.question !== asked) return {};
    if (reply.error) this.#say("broken", reply.error);
    else if (this.said.html === WAITING) this.said = before;
    return reply;
  }

  #change = (path, value) => {
    this.draft = withPart(this.draft, path, value);
    this.host.draft.set(this.#key, this.draft);
  };

  /** What Python says so far of an answer to the field at a path of names: its `preview`, or its `bars`. */
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
    this.isChecking = true;
    const { verdict } = await this.#ask({ do: "check", answer, estimate: this.estimate?.typed });
    this.isChecking = false;
    if (!verdict) return;
    this.#say(verdict.outcome, verdict.html + (verdict.more ?? ""));
    this.checked = { answer, notes: verdict.notes };
  }

  async #commit(typed) {
    const { estimate, unreadable } = await this.#ask({ do: "estimate", answer: typed });
    if (unreadable) this.unread = unreadable;
    if (!estimate) return;
    this.unread = "";
    this.estimate = { typed, read: estimate };
    this.host.draft.set(this.#estimateKey, this.estimate);
    await this.updateComplete;
    this.renderRoot.querySelector(".fields input").focus(); // the field of the estimate, which had it, is gone
  }

  /** The hints that were given to one part of the question; null for those to all of it. */
  #hintsTo = (part) => this.hints.filter((hint) => hint.part === part);

  #hint = async (part) => {
    const { hints } = await this.#ask({ do: "hint", part, shown: this.#hintsTo(part).length });
    if (hints) this.hints = [...this.hints.filter((hint) => hint.part !== part), ...hints];
  };

  async #solve() {
    const { solution } = await this.#ask({ do: "solution" });
    if (solution) this.solution = solution;
  }

  /** Another variant of this problem, or the next problem of the chapter, in place of this question. */
  async #go(request, words) {
    const here = { problem: this.question.id, seed: this.question.seed, field: this.#field };
    const reply = await this.#ask(request);
    const { question, end } = reply;
    if (end) {
      this.isOver = true;
      this.#say("blank", end);
    }
    if (question && !this.#isElsewhere(question)) this.#arrive([...this.trail, here], reply, words);
  }

  /** Whether the page has a form of its own for another problem, as a chapter's notebook has: then go there. */
  #isElsewhere({ id }) {
    const own = [...document.querySelectorAll(this.localName)].find(
      (form) => form !== this && form.given?.question.id === id,
    );
    if (!own || id === this.question.id) return false;
    own.scrollIntoView({ block: "start" });
    own.renderRoot.querySelector("h3").focus({ preventScroll: true });
    return true;
  }

  async #back() {
    const { problem, seed, field } = this.trail.at(-1);
    const reply = await this.#ask({ do: "question", problem, seed });
    if (reply.question)
      this.#arrive(this.trail.slice(0, -1), reply, "This is the one before, with your answer.", field);
  }

  /** Show a question that somebody went to, and remember the variants of the problem that the cell shows. */
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
    this.updateComplete.then(() => this.#begin(field));
  }

  /** Put whoever has come to a question where it begins, or back to the field that was worked in last. */
  #begin(id) {
    const field = id ? this.renderRoot.getElementById(id) : null;
    const part = field?.closest(".parts > details");
    if (part) part.open = true; // which closes the others
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

  render() {
    const { question } = this;
    const check = submits(() => this.#check());
    return html`
      <section aria-labelledby="title">
        <header>
          <h3 id="title" tabindex="-1">${question.title}</h3>
          <span class="quiet">${question.points}</span>
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
                askOf: this.#askOf,
                ask: this.#send,
                hinted: { to: this.#hintsTo, ask: this.#hint },
                settled: () => this.updateComplete,
              })}
            </div>`,
          )}
          <div class="buttons"><button class="primary">Check</button></div>
        </form>
        <div role="status" class="prose said ${this.isChecking ? "old" : ""}" data-outcome=${this.said.outcome}>
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

  /** A number that one commits to before computing: who has guessed first, reads the result differently. */
  #estimateFirst() {
    if (this.estimate) {
      return html`<div class="estimate quiet">Your estimate: <code>${this.estimate.read}</code></div>`;
    }
    const commit = submits((form) => this.#commit(form.elements.estimate.value));
    return html`<details class="estimate">
      <summary>Estimate first</summary>
      <form novalidate @submit=${commit} @keydown=${commit}>
        <label for="estimate">Before you compute: about how much is it?</label>
        <div class="row">
          <input
            type="text" id="estimate" class="quantity" autocomplete="off" spellcheck="false"
            aria-describedby="estimate-reading" aria-invalid=${this.unread ? "true" : "false"}
            @input=${() => {
              this.unread = "";
            }} />
          <button>Commit</button>
        </div>
        <div id="estimate-reading" class="quiet" aria-live="polite">${unsafeHTML(this.unread)}</div>
      </form>
    </details>`;
  }

  #actions() {
    const { hints } = this.question; // a case may have those of its parts alone
    const isRight = this.said.outcome === "correct";
    const button = (words, act, { off = false, primary = false } = {}) =>
      html`<button
        type="button" class=${primary ? "primary" : "plain"} aria-disabled=${off ? "true" : "false"}
        @click=${() => off || act()}>${words}</button>`;
    return html`
      <div class="buttons" role="group" aria-label="Go on">
        ${hints ? hintButton(hints - this.#hintsTo(null).length, () => this.#hint(null), "plain") : nothing}
        ${button("Solution", () => this.#solve(), { off: this.solution !== "" })}
        ${button("Another", () => this.#go({ do: "another" }, "The same with new numbers."))}
        ${this.trail.length ? button("Back", () => this.#back()) : nothing}
        ${button("Next", () => this.#go({ do: "next" }, "The next problem of this chapter."), {
          off: this.isOver,
          primary: isRight && !this.isOver,
        })}
      </div>
    `;
  }
}
