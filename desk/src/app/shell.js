// The frame of the app: the header, the page that the address names, and the student's record, which pages show.

import { html, nothing, render } from "lit";
import { live } from "lit/directives/live.js";
import { unsafeHTML } from "lit/directives/unsafe-html.js";
import { reachable } from "../reach.js";
import { pageOf } from "./pages/index.js";
import { Scrolls } from "./scrolls.js";

const SLOW_MS = 400; // until a page that is still loading says so
const EVENTS = ["shardwise-checked", "shardwise-went", "shardwise-solved"]; // of forms, after which the record may differ

/** Split a hash into its path and query: `#/today/2?more=1`. */
function routeOf(hash) {
  const [path, query = ""] = hash.replace(/^#?\/?/, "").split("?");
  return { path: path.split("/").filter(Boolean).map(decoded), query: new URLSearchParams(query) };
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // typed by hand
  }
}

export class Shell {
  #page = null; // the page shown, with its data
  #visit = 0; // counts navigations, so that a late reply to an earlier one is dropped
  #loading = null; // of the map and the record
  #scrolls = new Scrolls();
  #words = ""; // while Python starts

  constructor(backend, root) {
    this.backend = backend;
    this.root = root;
    this.map = null;
    this.record = null;
  }

  /** Send a request. A reply with an error is thrown, with HTML as its message. */
  ask = async (request) => {
    const reply = await this.backend.ask(request);
    if (reply.error) throw new Error(reply.error);
    return reply;
  };

  async start() {
    addEventListener("hashchange", () => {
      this.#scrolls.leave();
      this.#navigate();
    });
    addEventListener("keydown", (event) => this.#shortcut(event));
    addEventListener("visibilitychange", () => !document.hidden && this.record && this.refresh()); // perhaps another day
    this.backend.changed?.(() => this.record && this.refresh());
    for (const event of EVENTS) this.root.addEventListener(event, () => this.refresh());
    this.paint();
    reachable(this.root);
    this.backend.busy?.((words) => {
      this.#words = words;
      this.paint();
    });
    await this.#navigate();
  }

  /** Load what every page needs, once. */
  async #load() {
    const [{ map }, { record }] = await Promise.all([this.ask({ do: "map" }), this.ask({ do: "record" })]);
    this.map = map;
    this.record = record;
  }

  /** Ask for the record again, and repaint what shows it. */
  async refresh() {
    const { record } = await this.backend.ask({ do: "record" });
    if (record) this.take(record);
  }

  /** Show a new record. */
  take(record) {
    this.record = record;
    this.paint();
  }

  /** Open an address; the one that is shown is loaded again. */
  go(address) {
    if (location.hash !== address) location.hash = address;
    else this.#navigate();
  }

  /** What the student searches for. */
  get words() {
    const { path, query } = routeOf(location.hash);
    return path[0] === "search" ? (query.get("q") ?? "") : "";
  }

  async #navigate() {
    this.#visit += 1;
    const visit = this.#visit;
    const isFirst = this.#page === null;
    const address = location.hash || "#/";
    const slow = setTimeout(() => {
      this.root.ariaBusy = "true";
    }, SLOW_MS);
    const page = await this.#open(address);
    clearTimeout(slow);
    if (visit !== this.#visit) return;
    this.root.ariaBusy = "false";
    this.#page = page;
    document.title = page.title ? `${page.title} · shardwise` : "shardwise";
    this.paint();
    this.root.dataset.shows = address;
    this.#scrolls.arrive(this.root);
    const isSearching = this.words && document.activeElement.id === "search";
    if (!isFirst && !isSearching) this.#begin();
  }

  async #open(address) {
    try {
      this.#loading ??= this.#load();
      await this.#loading;
      return await pageOf(this, routeOf(address));
    } catch (error) {
      if (!this.record) this.#loading = null; // the next navigation tries again
      return { title: "Not shown", view: () => trouble(error.message, () => this.#navigate()) };
    }
  }

  /** Move the focus to the heading of the page. */
  #begin() {
    this.root.querySelector("h1")?.focus({ preventScroll: true });
  }

  #shortcut(event) {
    const isTyping = event.composedPath()[0].matches?.("input, select, textarea, [contenteditable='true']");
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.root.querySelector("#search").focus();
  }

  /** Render everything again; elements of the desk are kept. */
  paint() {
    render(this.#view(), this.root);
  }

  #view() {
    const here = routeOf(location.hash).path[0] ?? "";
    const link = (to, words, name) => html`<a href=${to} aria-current=${here === name ? "page" : nothing}>${words}</a>`;
    return html`
      <a class="skip" href="#content" @click=${skip}>Skip to the content</a>
      <header class="bar">
        <a class="brand" href="#/">shardwise</a>
        <nav aria-label="Main">
          ${link("#/", "Home", "")}
          ${this.record?.settings.goal === false ? nothing : link("#/today", "Today", "today")}
          ${link("#/figures", "Figures", "figures")}
          ${this.map?.elements.map(({ name, title }) => link(`#/${name}`, title, name))}
          ${this.map?.docs ? html`<a href=${this.map.docs}>Docs</a>` : nothing}
          ${link("#/settings", "Settings", "settings")}
        </nav>
        <form role="search" @submit=${this.#searched}>
          <label class="unseen" for="search">Search problems, lessons and formulas</label>
          <input id="search" type="search" name="q" placeholder="Search  /" autocomplete="off" spellcheck="false"
            .value=${live(this.words)} @input=${this.#search} />
        </form>
      </header>
      <main id="content" tabindex="-1">${this.#page ? this.#page.view() : nothing}</main>
      <div class="waits" role="status">${this.#words}</div>
    `;
  }

  /** Show what the words typed so far find. */
  #search = (event) => {
    const address = `#/search?q=${encodeURIComponent(event.target.value)}`;
    if (!location.hash.startsWith("#/search")) {
      location.hash = address;
      return;
    }
    history.replaceState(history.state, "", address); // Back leads to the page before the search
    this.paint();
  };

  #searched = (event) => {
    event.preventDefault();
    if (location.hash.startsWith("#/search")) this.#begin();
    else this.go("#/search");
  };
}

/** Move the focus to the content without changing the address, which names the page. */
function skip(event) {
  event.preventDefault();
  document.getElementById("content").focus();
}

function trouble(message, again) {
  return html`<h1 tabindex="-1">That did not work</h1>
    <div role="alert" class="prose">${unsafeHTML(message)}</div>
    <p class="buttons"><button type="button" class="button primary" @click=${again}>Try again</button></p>`;
}
