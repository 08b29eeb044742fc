// What Python reads in an answer while it is being written: asked when the typing rests, and shown when it comes.

import { css, html, nothing } from "lit";
import { AsyncDirective, directive } from "lit/async-directive.js";
import { unsafeHTML } from "lit/directives/unsafe-html.js";

const RESTS_MS = 150;
const AGAIN_MS = 2000; // after an answer that Python failed to read

class Preview extends AsyncDirective {
  #asked; // the answer that was asked about last
  #reply = {};
  #answered; // the answer that the reply is about
  #fault = ""; // why Python could not be asked about the answer that stands there
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
    this.#asked = undefined; // the next rendering asks again
  }
}

/**
 * What `show(reply, isOfThis, fault)` gives for what Python said of an answer last; before it says anything, for the field's `start`.
 * `isOfThis` is whether it said that of the answer that stands there now, and `fault` why it could not be asked, if it could not.
 */
export const previewed = directive(Preview);

/** The quiet line under a text field; `isSaid` is whether a verdict has said why it cannot be read. */
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
