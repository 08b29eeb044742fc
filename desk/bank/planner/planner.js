// The planner: controls for a model, a cluster and a layout, with results from Python. Nothing is computed here.

import { drawing, drawingStyle, html, LitElement, nothing, styles, Width } from "shardwise:desk";
import { box } from "./controls.js";
import { layoutControls, runControls } from "./form.js";
import { remarks, results } from "./results.js";
import { CONTROLS_PX, GAP_PX, plannerStyle, WIDE_PX } from "./style.js";

const KEPT = {
  tp: "TP",
  cp: "CP",
  pp: "PP",
  ep: "EP",
  virtual_stages: "virtual stages",
  zero: "ZeRO",
  micro_batch: "micro-batch size",
  recompute: "recomputation",
};
const STOPPED = "Python stopped before it could answer. Change a setting to try again.";
const LARGEST = 1e6; // characters of a configuration, which drafts keep
const REST_MS = 150; // from the last change until the pipeline is drawn
const QUIET_MS = 700; // from the last change until the result is read out

export class Planner extends LitElement {
  static styles = [styles, drawingStyle, plannerStyle];

  static properties = {
    host: { attribute: false },
    given: { attribute: false }, // the choices, and the initial plan
    asked: { state: true }, // the current settings
    shown: { state: true }, // the results for them
    refused: { state: true },
    drawn: { state: true }, // the pipeline
    keep: { state: true }, // settings of the layout that a search keeps
    searching: { state: true }, // the progress of a running search
    found: { state: true },
    picked: { state: true },
    copied: { state: true }, // exported text, and whether it was copied
    heard: { state: true },
  };

  #width = new Width(this);
  #asking = false;
  #wanted; // the request of the running search
  #rest;
  #quiet;

  willUpdate(changed) {
    if (!changed.has("given")) return;
    this.asked = this.host.draft.get(this.#key) ?? this.given.start;
    this.keep = [];
    this.#ask();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearTimeout(this.#rest);
    clearTimeout(this.#quiet);
    this.#stop();
  }

  get #key() {
    return `planner ${JSON.stringify(this.given.start)}`;
  }

  /** Python's reply, or the reason why there is none. */
  #reply(request) {
    return this.host
      .ask({ given: this.asked, ...request })
      .then((reply) => (reply.error ? { refused: [STOPPED] } : reply))
      .catch((error) => ({ refused: [error.message] }));
  }

  /** Ask Python about the current settings. While a slider moves, only its latest position is sent. */
  async #ask() {
    if (this.#asking) return;
    this.#asking = true;
    let asked;
    let reply;
    do {
      asked = this.asked;
      reply = await this.#reply({ do: "plan" });
    } while (asked !== this.asked);
    this.#asking = false;
    this.refused = reply.refused;
    if (!this.refused) this.shown = reply;
    if (!this.shown && asked !== this.given.start) {
      this.asked = this.given.start; // a stored plan that is refused would leave no controls to change it
      return this.#ask();
    }
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => this.#draw(), REST_MS);
    clearTimeout(this.#quiet);
    this.#quiet = setTimeout(() => this.#hear(), QUIET_MS);
  }

  async #draw() {
    const asked = this.asked;
    if (this.refused || !this.shown.figures) return;
    const drawn = await this.#reply({ do: "pipeline" });
    if (asked === this.asked) this.drawn = drawn;
  }

  #hear() {
    const { faults, figures } = this.shown ?? {};
    const values = (figures ?? []).map(({ name, value, range }) => `${name}: ${value}${range && `, range ${range}`}.`);
    this.heard = (this.refused ?? [...(faults ?? []), ...values]).join(" ");
  }

  /** Change parts of the plan. Unless only the layout changes, the results of a search no longer apply. */
  #set(parts) {
    this.asked = { ...this.asked, ...parts };
    if (!("layout" in parts) || Object.keys(parts).length > 1) {
      this.found = undefined;
      this.#stop();
    }
    this.picked = undefined;
    this.copied = undefined;
    this.host.draft.set(this.#key, this.asked);
    this.#ask();
  }

  /** Change one setting of the layout; `undefined` leaves it to Python. */
  #lay(name, value) {
    const layout = { ...this.asked.layout, [name]: value };
    if (value === undefined) delete layout[name];
    if (name === "virtual_stages") delete layout.schedule; // 1F1B or interleaved follows from the number of chunks
    if (name === "recompute" && value === "partial") layout.recomputed_layers ||= Math.ceil(this.#model.layers / 2);
    this.#set({ layout });
  }

  /** Recompute a module of each layer, too, or no longer. */
  #recompute(module, yes) {
    const modules = this.shown.choices.modules.filter((name) =>
      name === module ? yes : this.#layout.recompute.split(",").includes(name),
    );
    this.#lay("recompute", modules.join(",") || "none");
  }

  get #model() {
    const { model } = this.asked;
    return { ...this.shown.plan.model, ...(typeof model === "object" && !model.config ? model : {}) };
  }

  get #layout() {
    return { ...this.shown.plan.layout, ...this.asked.layout };
  }

  /** What the controls show: the settings that the student chose, on top of those of the latest plan. */
  get #now() {
    const { plan, choices: values } = this.shown;
    const cluster = { ...plan.cluster, ...this.asked.cluster };
    const { choices } = this.given;
    return { asked: this.asked, plan, choices, values, model: this.#model, cluster, layout: this.#layout };
  }

  #changes = {
    set: (parts) => this.#set(parts),
    lay: (name, value) => this.#lay(name, value),
    recompute: (module, yes) => this.#recompute(module, yes),
    configure: (config) => this.#configure(config),
    begin: () => this.#begin(),
  };

  /** Plan the model of a Hugging Face configuration, with a layout that runs and fits. */
  async #configure(config) {
    if (config.length > LARGEST) {
      this.refused = [
        `This has ${config.length.toLocaleString("en")} characters; a config.json has a few thousand. Open the model's config.json.`,
      ];
      return;
    }
    this.#set({ model: { config } });
    await this.#begin();
  }

  /** Replace the layout by one that runs and fits. */
  #begin = async () => {
    const { model, cluster } = this.asked;
    const { refused, layout, batch } = await this.#reply({ do: "start" });
    if (model !== this.asked.model || cluster !== this.asked.cluster) return;
    if (refused) this.refused = refused;
    else this.#set({ layout, batch });
  };

  /** Search in slices, so that Python can answer other requests in between, until it is done, stopped, or the run changes. */
  #search = async () => {
    const wanted = { do: "search", given: this.asked, keep: this.keep };
    this.#wanted = wanted;
    this.found = undefined;
    this.searching = "Searching …";
    let reply;
    do {
      reply = await this.#reply(wanted);
      if (this.#wanted !== wanted) return;
      this.searching = reply.searching;
    } while (this.searching);
    this.found = reply;
  };

  #stop() {
    this.#wanted = undefined;
    this.searching = undefined;
  }

  /** Load the layout of a point; its data-parallel degree follows from the others. */
  #pick = (place) => {
    const { dp: _, ...layout } = this.found.layouts[place];
    this.#set({ layout });
    this.picked = place;
  };

  async #show(request) {
    const { text, refused, problem, title } = await this.#reply(request);
    this.copied = problem && this.host.link ? { to: this.host.link(problem), title } : { text, refused };
  }

  async #copy() {
    try {
      await navigator.clipboard.writeText(this.copied.text);
      this.copied = { ...this.copied, done: "Copied." };
    } catch {
      getSelection().selectAllChildren(this.renderRoot.querySelector("pre"));
      this.copied = { ...this.copied, done: "Selected. Press Ctrl+C to copy." };
    }
  }

  render() {
    if (!this.shown) return this.refused ? remarks(this.refused, "broken") : html`<p>Waiting for Python …</p>`;
    const isWide = this.#width.value >= WIDE_PX;
    const width = isWide ? this.#width.value - CONTROLS_PX - GAP_PX : this.#width.value;
    return html`
      <section aria-labelledby="title">
        <header><h3 id="title">${this.shown.title}</h3></header>
        <p class="quiet">${this.shown.model.join(" ")}</p>
        <div class=${isWide ? "wide" : ""}>
          <form novalidate @submit=${(event) => event.preventDefault()}>
            ${runControls(this.#now, this.#changes)} ${layoutControls(this.#now, this.#changes)}
          </form>
          <div class="results">
            ${this.refused ? remarks(this.refused, "broken") : results(this.shown, this.drawn, width)}
            ${this.#searched(width)} ${this.#elsewhere()}
          </div>
        </div>
        <div class="heard" role="status">${this.heard}</div>
      </section>
    `;
  }

  #searched(width) {
    const { found } = this;
    const tick = (name, yes) => {
      this.keep = yes ? [...this.keep, name] : this.keep.filter((other) => other !== name);
    };
    return html`
      <section aria-labelledby="search">
        <h4 id="search">Best layouts</h4>
        <fieldset>
          <legend class="quiet">Keep fixed</legend>
          <div class="boxes">${Object.entries(KEPT).map(([name, words]) => box(words, this.keep.includes(name), (yes) => tick(name, yes)))}</div>
        </fieldset>
        <div class="buttons">
          ${
            this.searching
              ? html`<button type="button" @click=${() => this.#stop()}>Stop</button>`
              : html`<button type="button" class="primary" @click=${this.#search}>Search</button>`
          }
        </div>
        <p role="status">${this.searching ?? found?.words}</p>
        ${remarks(found?.refused ?? [], "broken")}
        ${
          found?.scatter
            ? html`<p class="quiet">Click a point, or select it with Tab and the arrow keys, to load its layout.</p>
              ${drawing("scatter", { ...found.scatter, picked: this.picked }, width, this.#pick)}`
            : nothing
        }
      </section>
    `;
  }

  #elsewhere() {
    const { copied } = this;
    return html`
      <section aria-labelledby="elsewhere" class="copied">
        <h4 id="elsewhere">Export</h4>
        <div class="buttons">
          ${this.given.choices.frameworks.map(
            ({ name, title }) =>
              html`<button type="button" @click=${() => this.#show({ do: "settings", framework: name })}>${title}</button>`,
          )}
          <button type="button" @click=${() => this.#show({ do: "problem" })}>Similar problem</button>
        </div>
        ${remarks(copied?.refused ?? [], "broken")}
        ${copied?.to ? html`<p><a href=${copied.to}>${copied.title}</a></p>` : nothing}
        ${
          copied?.text
            ? html`<pre tabindex="0" role="region" aria-label="Settings">${copied.text}</pre>
              <div class="buttons"><button type="button" @click=${() => this.#copy()}>Copy</button></div>`
            : nothing
        }
        <p role="status">${copied?.done}</p>
      </section>
    `;
  }
}
