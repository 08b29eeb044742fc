// Local state for one place in a template, such as which lines are open or the output of a run.

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

/** Render `show(state, change)`, and render it again whenever it calls `change` with updates to the state. */
export const withState = directive(Local);
