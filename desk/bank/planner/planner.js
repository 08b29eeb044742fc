// The planner: sets a model, a cluster and a layout, and shows what Python says to them. Nothing is worked out here.

import { drawing, drawingStyle, html, LitElement, nothing, styles, Width } from "shardwise:desk";
import { box, choice, slider, text } from "./controls.js";
import { remarks, results } from "./results.js";
import { CONTROLS_PX, GAP_PX, plannerStyle, WIDE_PX } from "./style.js";

const AXES = { tp: "TP, tensor", cp: "CP, context", pp: "PP, pipeline", ep: "EP, experts", dp: "DP, data" };
const KEPT = {
  tp: "TP",
  cp: "CP",
  pp: "PP",
  ep: "EP",
  virtual_stages: "virtual stages",
  zero: "ZeRO",
  micro_batch: "micro-batch",
  recompute: "recomputation",
};
const ZERO = [
  [0, "0: copies of everything"],
  [1, "1: optimizer sharded"],
  [2, "2: and gradients"],
  [3, "3: and weights, as FSDP"],
];
const SHAPE = {
  layers: "layers",
  hidden: "width",
  ffn_hidden: "width of the MLP",
  heads: "heads",
  kv_heads: "key/value heads",
  vocabulary: "vocabulary",
  experts: "experts",
  experts_per_token: "experts a token",
  expert_ffn_hidden: "width of an expert",
};
const OWN = "own numbers";
const STOPPED = "Python stopped before it had an answer. Change something to ask again.";
const REST_MS = 150; // after the last change, before the pipeline is drawn
const QUIET_MS = 700; // and before the result is read out

export class Planner extends LitElement {
  static styles = [styles, drawingStyle, plannerStyle];

  static properties = {
    host: { attribute: false },
    given: { attribute: false }, // what there is to choose from, and the plan that it begins with
    asked: { state: true }, // the parts of a plan as they are set
    shown: { state: true }, // what Python says to them
    refused: { state: true },
    drawn: { state: true }, // the pipeline
    keep: { state: true }, // what a search keeps of the layout
    searching: { state: true }, // how far a search is, while it lasts
    found: { state: true },
    picked: { state: true },
    copied: { state: true }, // settings elsewhere, and what was done with them
    heard: { state: true },
  };

  #width = new Width(this);
  #asking = false;
  #wanted; // by the search that is under way
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

  /** Python's answer; where it cannot be reached, why. */
  #said(request) {
    return this.host
      .ask({ given: this.asked, ...request })
      .then((reply) => (reply.error ? { refused: [STOPPED] } : reply))
      .catch((error) => ({ refused: [error.message] }));
  }

  /** Ask about the plan as it is set. While a slider moves only its newest place is asked about. */
  async #ask() {
    if (this.#asking) return;
    this.#asking = true;
    let asked;
    let reply;
    do {
      asked = this.asked;
      reply = await this.#said({ do: "plan" });
    } while (asked !== this.asked);
    this.#asking = false;
    this.refused = reply.refused;
    if (!this.refused) this.shown = reply;
    if (!this.shown && asked !== this.given.start) {
      this.asked = this.given.start; // a plan that was kept and is refused has nothing to change it by
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
    const drawn = await this.#said({ do: "pipeline" });
    if (asked === this.asked) this.drawn = drawn;
  }

  #hear() {
    const { faults, figures } = this.shown ?? {};
    const values = (figures ?? []).map(({ name, value }) => `${name}: ${value}`);
    this.heard = (this.refused ?? [...(faults ?? []), ...values]).join(" ");
  }

  /** Change parts of the plan. What a search found is of another run unless only the layout changed. */
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

  /** Change one number or word of the layout; `undefined` leaves it to Python. */
  #lay(name, value) {
    const layout = { ...this.asked.layout, [name]: value };
    if (value === undefined) delete layout[name];
    if (name === "virtual_stages") delete layout.schedule; // which of the two it is follows from the chunks
    if (name === "recompute" && value === "partial") layout.recomputed_layers ||= Math.ceil(this.#model.layers / 2);
    this.#set({ layout });
  }

  get #model() {
    return { ...this.shown.plan.model, ...(typeof this.asked.model === "object" ? this.asked.model : {}) };
  }

  get #cluster() {
    return { ...this.shown.plan.cluster, ...this.asked.cluster };
  }

  get #layout() {
    return { ...this.shown.plan.layout, ...this.asked.layout };
  }

  #setCluster(parts) {
    this.#set({ cluster: { ...this.asked.cluster, ...parts } });
  }

  #setBatch(name, value) {
    this.#set({ batch: { ...this.asked.batch, [name]: value } });
  }

  #setShape(name, value) {
    const { name: _, ...shape } = this.#model;
    this.#set({ model: { ...shape, name: OWN, [name]: value } });
  }

  /** A layout that runs and fits, in the place of the one that is set. */
  #begin = async () => {
    const { model, cluster } = this.asked;
    const { refused, layout, batch } = await this.#said({ do: "start" });
    if (model !== this.asked.model || cluster !== this.asked.cluster) return;
    if (refused) this.refused = refused;
    else this.#set({ layout, batch });
  };

  /** Search in steps, since Python answers others between them; it ends when it is stopped, or the run is another. */
  #search = async () => {
    const wanted = { do: "search", given: this.asked, keep: this.keep };
    this.#wanted = wanted;
    this.found = undefined;
    this.searching = "Searching …";
    let reply;
    do {
      reply = await this.#said(wanted);
      if (this.#wanted !== wanted) return;
      this.searching = reply.searching;
    } while (this.searching);
    this.found = reply;
  };

  #stop() {
    this.#wanted = undefined;
    this.searching = undefined;
  }

  /** Load the layout of a point; its degree of data parallelism follows from the others. */
  #pick = (place) => {
    const { dp: _, ...layout } = this.found.layouts[place];
    this.#set({ layout });
    this.picked = place;
  };

  async #show(request) {
    const { text, refused } = await this.#said(request);
    this.copied = { text, refused };
  }

  async #copy() {
    try {
      await navigator.clipboard.writeText(this.copied.text);
      this.copied = { ...this.copied, done: "Copied." };
    } catch {
      getSelection().selectAllChildren(this.renderRoot.querySelector("pre"));
      this.copied = { ...this.copied, done: "Selected: copy it with Ctrl+C." };
    }
  }

  render() {
    if (!this.shown) return this.refused ? remarks(this.refused, "broken") : html`<p>Asking Python …</p>`;
    const isWide = this.#width.value >= WIDE_PX;
    const width = isWide ? this.#width.value - CONTROLS_PX - GAP_PX : this.#width.value;
    return html`
      <section aria-labelledby="title">
        <header><h3 id="title">${this.shown.title}</h3></header>
        <div class=${isWide ? "wide" : ""}>
          <form novalidate @submit=${(event) => event.preventDefault()}>${this.#run()} ${this.#dealt()}</form>
          <div class="results">
            ${this.refused ? remarks(this.refused, "broken") : results(this.shown, this.drawn, width)}
            ${this.#searched(width)} ${this.#elsewhere()}
          </div>
        </div>
        <div class="heard" role="status">${this.heard}</div>
      </section>
    `;
  }

  /** The model, the cluster and the batch. */
  #run() {
    const { choices } = this.given;
    const cluster = this.#cluster;
    const { batch, tokens, price } = this.asked;
    const isOwn = typeof this.asked.model === "object";
    const names = isOwn ? [...choices.model, OWN] : choices.model;
    return html`
      <fieldset>
        <legend>The run</legend>
        <div class="controls">
          ${choice("model", names, isOwn ? OWN : this.shown.plan.model.name, (model) => model !== OWN && this.#set({ model }))}
          ${choice("GPU", choices.accelerator, cluster.accelerator, (accelerator) =>
            this.#set({ cluster: { accelerator, gpus: cluster.gpus } }),
          )}
          ${text("GPUs", cluster.gpus, (gpus) => this.#setCluster({ gpus }))}
          ${text("sequences of a step", batch?.global_batch ?? this.shown.plan.batch.global_batch, (value) => this.#setBatch("global_batch", value))}
          ${text("tokens of a sequence", batch?.sequence ?? this.shown.plan.batch.sequence, (value) => this.#setBatch("sequence", value))}
          ${text("tokens of the run", tokens, (value) => this.#set({ tokens: value === "" ? null : value }))}
          ${text("dollars of a GPU-hour", price, (value) => this.#set({ price: value === "" ? null : value }))}
        </div>
        <details>
          <summary>Own numbers</summary>
          <div class="controls">
            ${text("GPUs that fast links join", cluster.gpus_per_node, (value) => this.#setCluster({ gpus_per_node: value }))}
            ${text("network of a GPU, a direction", perSecond(cluster.network_bytes_per_s), (value) => this.#setCluster({ network_bytes_per_s: value }))}
            ${Object.entries(SHAPE).map(([name, words]) => text(words, this.#model[name], (value) => this.#setShape(name, value)))}
          </div>
        </details>
      </fieldset>
    `;
  }

  /** The layout. */
  #dealt() {
    const { choices } = this.given;
    const { choices: values } = this.shown;
    const layout = this.#layout;
    const follows = this.asked.layout?.dp === undefined;
    const one = (name) =>
      slider(AXES[name], withValue(values[name], layout[name]), layout[name], (value) => this.#lay(name, value));
    return html`
      <fieldset>
        <legend>The layout</legend>
        <div class="controls">
          ${one("tp")} ${one("cp")} ${one("pp")} ${this.#model.experts ? one("ep") : nothing}
          <div>
            ${follows ? html`<div class="control"><div class="name">${AXES.dp} <b>${this.shown.plan.layout.dp}</b></div></div>` : one("dp")}
            ${box("what the GPUs leave", follows, (yes) => this.#lay("dp", yes ? undefined : this.shown.plan.layout.dp))}
          </div>
          ${slider("virtual stages", withValue(values.virtual_stages, layout.virtual_stages), layout.virtual_stages, (value) => this.#lay("virtual_stages", value))}
          ${slider("micro-batch", withValue(values.micro_batch, layout.micro_batch), layout.micro_batch, (value) => this.#lay("micro_batch", value))}
          ${choice("ZeRO", ZERO, layout.zero, (value) => this.#lay("zero", value))}
          ${choice("recomputation", choices.recompute, layout.recompute, (value) => this.#lay("recompute", value))}
          ${
            layout.recompute === "partial"
              ? text("layers computed again", layout.recomputed_layers, (value) =>
                  this.#lay("recomputed_layers", value),
                )
              : nothing
          }
          ${choice("schedule", choices.schedule, layout.schedule, (value) => this.#lay("schedule", value))}
          ${choice("precision", choices.precision, layout.precision, (value) => this.#lay("precision", value))}
          ${choice("software", choices.software, layout.software, (value) => this.#lay("software", value))}
          ${box("sequence parallelism", layout.sequence_parallel, (value) => this.#lay("sequence_parallel", value))}
        </div>
        <div class="buttons"><button type="button" @click=${this.#begin}>A layout that fits</button></div>
      </fieldset>
    `;
  }

  #searched(width) {
    const { found } = this;
    const tick = (name, yes) => {
      this.keep = yes ? [...this.keep, name] : this.keep.filter((other) => other !== name);
    };
    return html`
      <section aria-labelledby="search">
        <h4 id="search">The best layouts</h4>
        <fieldset>
          <legend class="quiet">A search keeps</legend>
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
            ? html`<p class="quiet">Click a point, or reach it with Tab and the arrow keys: its layout is loaded.</p>
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
        <h4 id="elsewhere">Take it elsewhere</h4>
        <div class="buttons">
          ${this.given.choices.frameworks.map(
            ({ name, title }) =>
              html`<button type="button" @click=${() => this.#show({ do: "settings", framework: name })}>${title}</button>`,
          )}
          <button type="button" @click=${() => this.#show({ do: "problem" })}>A problem like this</button>
        </div>
        ${remarks(copied?.refused ?? [], "broken")}
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

const withValue = (values, value) =>
  values.includes(value) ? values : [...values, value].sort((one, other) => one - other);

const perSecond = (bytes) => (typeof bytes === "number" ? `${bytes / 1e9} GB/s` : bytes);
