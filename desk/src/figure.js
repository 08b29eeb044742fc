// An interactive figure, which asks for a guess first and then shows what Python computed for the slider settings.

import { css, html, LitElement, nothing } from "lit";
import { unsafeHTML } from "lit/directives/unsafe-html.js";
import { drawing } from "./draw/drawing.js";
import { drawingStyle } from "./draw/style.js";
import { Width } from "./draw/width.js";
import { styles } from "./styles.js";

const RUN_MS = 6000; // roughly how long a figure plays, from first frame to last
const QUIET_MS = 700; // from the last change until the facts are read aloud
const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

export class Figure extends LitElement {
  static styles = [
    styles,
    drawingStyle,
    css`
      .controls {
        display: grid;
        grid-template-columns: repeat(auto-fill, minmax(min(16rem, 100%), 1fr));
        gap: 0.6rem 1.5rem;
        align-items: end;
        margin: 0.8rem 0;
      }
      .control label, .control .name { display: flex; justify-content: space-between; gap: 1rem; }
      .control output { font-weight: 600; }
      .control.wide { grid-column: 1 / -1; }
      input[type="range"] { width: 100%; margin: 0.3rem 0 0; accent-color: var(--accent); }
      .choices { display: flex; flex-wrap: wrap; gap: 0.2rem 1rem; padding: 0; }
      .choices label { display: inline-flex; align-items: center; gap: 0.35rem; cursor: pointer; }
      .choices input { margin: 0; accent-color: var(--accent); }
      legend { padding: 0; }
      .facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(14rem, 100%), 1fr)); gap: 0.5rem 1.5rem; margin: 0.8rem 0 0; }
      .facts dt { color: var(--quiet); font-size: 0.93em; }
      .facts dd { margin: 0; font-weight: 600; }
      .said { margin: 0.8rem 0 0; }
      .guess { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem; }
      .guess input { width: 9rem; margin-top: 0.3rem; }
      .heard { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
      .play { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem; }
      .play input { flex: 1 1 10rem; width: auto; margin: 0; }
      .play button { min-width: 4.4rem; }
    `,
  ];

  static properties = {
    host: { attribute: false },
    given: { attribute: false },
    settings: { state: true },
    shown: { state: true }, // panels, facts and frames
    frame: { state: true },
    playing: { state: true },
    guessed: { state: true }, // whether the figure may be shown
    judged: { state: true }, // the feedback on the guess
    trouble: { state: true },
    heard: { state: true }, // the facts for screen readers, updated once they stop changing
  };

  #width = new Width(this);
  #known = new Map();
  #loading = false;
  #timer;
  #rest;

  willUpdate(changed) {
    if (!changed.has("given")) return;
    const kept = this.host.draft.get(this.#key) ?? {};
    this.settings = { ...this.given.start };
    for (const { name, options } of this.given.controls) {
      if (options.includes(kept.settings?.[name])) this.settings[name] = kept.settings[name]; // an older version may have had other options
    }
    this.guessed = kept.guessed ?? false;
    this.judged = "";
    this.trouble = "";
    this.#load();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#stop();
    clearTimeout(this.#rest);
  }

  get #key() {
    return `figure ${this.given.name}`;
  }

  #keep() {
    this.host.draft.set(this.#key, { settings: this.settings, guessed: this.guessed });
  }

  /** Load the figure for the current settings. While a slider moves, request only the newest setting. */
  async #load() {
    if (this.#loading) return;
    this.#loading = true;
    let key;
    do {
      key = JSON.stringify(this.settings);
      if (!this.#known.has(key)) {
        const request = { do: "figure", name: this.given.name, settings: this.settings };
        const reply = await this.host.ask(request).catch((error) => ({ error: error.message }));
        if (reply.error) this.trouble = reply.error;
        else this.#known.set(key, reply.shown);
      }
    } while (key !== JSON.stringify(this.settings));
    this.#loading = false;
    if (this.#known.has(key)) this.#arrive(this.#known.get(key));
  }

  #arrive(shown) {
    const last = (shown.frames?.length ?? 1) - 1;
    const before = this.shown?.frames?.length;
    if (before === undefined) this.frame = shown.starts_at ?? last;
    else this.frame = this.frame === before - 1 ? last : Math.min(this.frame, last);
    this.trouble = "";
    this.shown = shown;
    this.#hear();
  }

  /** Announce the facts once nothing has changed for a moment. */
  #hear() {
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => {
      if (!this.playing) this.heard = this.#facts.map(([name, value]) => `${name}: ${value}`).join("; ");
    }, QUIET_MS);
  }

  get #facts() {
    return this.shown?.frames?.[this.frame]?.facts ?? this.shown?.facts ?? [];
  }

  #set(name, option) {
    this.settings = { ...this.settings, [name]: option };
    this.#keep();
    this.#load();
  }

  /** What Play steps through: the frames of the figure, or one of its controls. */
  get #track() {
    if (this.shown?.frames) {
      return {
        place: this.frame,
        count: this.shown.frames.length,
        go: (place) => {
          this.frame = place;
          this.#hear();
        },
      };
    }
    const control = this.given.controls.find(({ name }) => name === this.given.plays);
    const { name, options } = control;
    return {
      place: options.indexOf(this.settings[name]),
      count: options.length,
      go: (place) => this.#set(name, options[place]),
    };
  }

  #step(by) {
    const { place, count, go } = this.#track;
    go(Math.min(count - 1, Math.max(0, place + by)));
  }

  #play = () => {
    if (this.playing) return this.#stop();
    const { place, count, go } = this.#track;
    if (still()) return this.#step(place === count - 1 ? -place : 1);
    if (place === count - 1) go(0);
    this.playing = true;
    const pause = Math.min(900, Math.max(150, RUN_MS / count));
    this.#timer = setInterval(() => {
      this.#step(1);
      if (this.#track.place === this.#track.count - 1) this.#stop();
    }, pause);
  };

  #stop() {
    clearInterval(this.#timer);
    this.playing = false;
    if (this.shown) this.#hear();
  }

  #typed(event) {
    const quiet = event.target.closest("button, summary, a, input:not([type='range'])");
    if (event.key !== " " || quiet || !this.guessed || !this.shown) return;
    event.preventDefault();
    this.#play();
  }

  async #guess(event) {
    event.preventDefault();
    const guess = new FormData(event.currentTarget).get("guess") ?? "";
    const request = { do: "figure", name: this.given.name, guess };
    const reply = await this.host.ask(request).catch((error) => ({ error: error.message }));
    if (reply.error) this.trouble = reply.error;
    else this.#reveal(reply.judged);
  }

  #reveal(judged) {
    this.judged = judged;
    this.guessed = judged === "" || judged.right !== null;
    this.#keep();
  }

  render() {
    return html`<section aria-labelledby="title" @keydown=${this.#typed}>
      <header><h3 id="title">${this.given.title}</h3></header>
      ${this.guessed ? nothing : this.#question()}
      <div role="status" class="prose said" data-outcome=${this.judged ? (this.judged.right ? "correct" : "incorrect") : ""}>
        ${this.judged ? html`<p>${this.judged.say}</p>` : nothing}
      </div>
      ${this.guessed ? this.#picture() : nothing}
      <div role="alert">${this.trouble ? unsafeHTML(this.trouble) : nothing}</div>
    </section>`;
  }

  #question() {
    const { ask, choices, unit } = this.given.predict;
    return html`<form novalidate @submit=${this.#guess}>
      <p class="quiet">Make a guess before you see the figure.</p>
      ${
        choices
          ? html`<fieldset>
              <legend>${ask}</legend>
              ${choices.map((choice) => html`<label class="option"><input type="radio" name="guess" value=${choice} /><span></span><span>${choice}</span></label>`)}
            </fieldset>`
          : html`<label for="guess">${ask}</label>
              <div class="guess">
                <input type="text" id="guess" name="guess" inputmode="decimal" autocomplete="off" /><span>${unit}</span>
              </div>`
      }
      <div class="buttons">
        <button class="primary">Check my guess</button>
        <button type="button" @click=${() => this.#reveal("")}>Show the figure</button>
      </div>
    </form>`;
  }

  #picture() {
    const waits = this.trouble ? nothing : html`<p class="quiet">Computing the figure …</p>`;
    return html`
      <div class="controls">${this.given.controls.map((control) => this.#control(control))}</div>
      ${this.shown ? this.#drawn() : waits}
    `;
  }

  #drawn() {
    const { shown } = this;
    const frame = shown.frames?.[this.frame]?.panels ?? [];
    return html`
      ${this.#player()}
      ${shown.panels.map((panel, place) => this.#panel({ ...panel, ...frame[place] }))}
      <dl class="facts">${this.#facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
      <p class="heard" role="status">${this.heard}</p>
    `;
  }

  /** A drawing. A gantt chart shows its title above it, since the title explains the numbers on the bars. */
  #panel(panel) {
    const said = panel.drawing === "gantt" ? html`<p class="quiet said">${panel.title}</p>` : nothing;
    return html`${said}${drawing(panel.drawing, panel, this.#width.value)}`;
  }

  #control({ name, label, options, as }) {
    const chosen = this.settings[name];
    if (as === "choice") {
      return html`<fieldset class="control wide">
        <legend class="quiet">${label}</legend>
        <div class="choices">
          ${options.map(
            (option) => html`<label>
              <input type="radio" name=${name} .checked=${option === chosen} @change=${() => this.#set(name, option)} />${option}
            </label>`,
          )}
        </div>
      </fieldset>`;
    }
    return html`<div class="control">
      <label for=${name}><span class="quiet">${label}</span><output>${chosen}</output></label>
      <input
        type="range"
        id=${name}
        max=${options.length - 1}
        aria-valuetext=${chosen}
        .value=${String(options.indexOf(chosen))}
        @input=${(event) => this.#set(name, options[Number(event.target.value)])}
      />
    </div>`;
  }

  #player() {
    const { place, count, go } = this.#track;
    const button = (words, act, off) =>
      html`<button type="button" aria-disabled=${off ? "true" : "false"} @click=${() => off || act()}>${words}</button>`;
    return html`<div class="play" role="group" aria-label="Playback">
      ${button("Back", () => this.#step(-1), place === 0)}
      ${still() ? nothing : button(this.playing ? "Pause" : "Play", this.#play, false)}
      ${button("Step", () => this.#step(1), place === count - 1)}
      ${
        this.shown.frames
          ? html`<input type="range" aria-label="Frame" aria-valuetext="${place + 1} of ${count}" max=${count - 1} .value=${String(place)}
              @input=${(event) => go(Number(event.target.value))} />`
          : nothing
      }
    </div>`;
  }
}
