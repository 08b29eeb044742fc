// A preview of how Python reads an answer, requested when the student pauses and shown when it arrives.

import { css, html, nothing } from "lit";
import { AsyncDirective, directive } from "lit/async-directive.js";
import { unsafeHTML } from "lit/directives/unsafe-html.js";

const RESTS_MS = 150;
const AGAIN_MS = 2000; // retry after a failed request

class Preview extends AsyncDirective {
  #asked; // the answer in the last request
  #reply = {};
  #answered; // the answer to which the reply belongs
  #fault = ""; // why the request about the current answer failed
  #timer;
  #show;

  render(place, answer, show) {
    this.#show = show;
    const key = JSON.stringify([answer, place.since]);
    if (key !== this.#asked) {
      if (this.#asked === undefined && place.field.start) this.#reply = place.field.start;
      this.#asked = key;
      clearTimeout(this.#timer);
      if (answer === "") {
        this.#reply = {};
        this.#answered = key;
        this.#fault = "";
      } else this.#timer = setTimeout(() => this.#ask(place, answer, key), RESTS_MS);
    }
    return this.#shown();
  }

  #shown() {
    return this.#show(this.#reply, this.#answered === this.#asked, this.#fault);
  }

  async #ask(place, answer, key) {
    const [reply, fault] = await place.preview(answer).then(
      (reply) => [reply, ""],
      (error) => [undefined, error.message],
    );
    if (key !== this.#asked) return;
    this.#fault = fault;
    if (reply) {
      this.#reply = reply;
      this.#answered = key;
    } else if (this.isConnected) this.#timer = setTimeout(() => this.#ask(place, answer, key), AGAIN_MS);
    if (this.isConnected) this.setValue(this.#shown());
  }

  disconnected() {
    clearTimeout(this.#timer);
  }

  reconnected() {
    this.#asked = undefined; // the next rendering requests it again
  }
}

/**
 * Render `show(reply, isOfThis, fault)` for Python's last reply about an answer; before the first reply, for the field's `start`.
 * `isOfThis` says whether the reply is about the current answer, and `fault` why the request failed, if it did.
 */
export const previewed = directive(Preview);

/** The line under a text field; `isSaid` says whether a verdict already explains why the answer cannot be read. */
export const reading = ({ html: typeset, read, why }, isSaid) => {
  if (typeset) return html`<span class="quiet">Read as</span> <span class="typeset">${unsafeHTML(typeset)}</span>`;
  if (read) return html`<span class="quiet">Read as ${read}</span>`;
  return why && !isSaid ? html`<span class="quiet">${why}</span>` : nothing;
};

export const previewStyle = css`
  .reading { min-height: 1.65em; margin-top: 0.3rem; overflow: auto hidden; }
  .code ~ .reading { min-height: 2.4em; } /* a fraction */
  .fields > .field:has(.reading) + * { margin-top: 0.3rem; }
  .reading .typeset { margin-left: 0.4em; font-size: 1.15em; vertical-align: middle; }
`;
