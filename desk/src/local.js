// State that belongs to one place of a template and to nothing else: which lines are open, what a run gave.

import { AsyncDirective, directive } from "lit/async-directive.js";

class Local extends AsyncDirective {
  #state = {};
  #show;

  #change = (changes) => {
    this.#state = { ...this.#state, ...changes };
    if (this.isConnected) this.setValue(this.#show(this.#state, this.#change));
  };

  render(show) {
    this.#show = show;
    return show(this.#state, this.#change);
  }
}

/** What `show(state, change)` gives, and again whenever it calls `change` with what is new in the state. */
export const withState = directive(Local);
