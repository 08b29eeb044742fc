// The frame of the app: the header, the page that the address names, and the student's record, which pages show.

import { html, nothing, render } from "lit";
import { unsafeHTML } from "lit/directives/unsafe-html.js";
import { reachable } from "../reach.js";
import { pageOf } from "./pages/index.js";

const SLOW_MS = 400; // until a page that is still loading says so

/** Split a hash into its path and query: `#/today/2?more=1`. */
function routeOf(hash) {
  const [path, query = ""] = hash.replace(/^#?\/?/, "").split("?");
  return { path: path.split("/").filter(Boolean), query: new URLSearchParams(query) };
}

export class Shell {
  #page = null; // the page shown, with its data
  #visit = 0; // counts navigations, so that a late reply to an earlier one is dropped
  #scrolls = new Map(); // by address: how far it was scrolled when it was left
  #shown = ""; // the address of the page shown
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
    history.scrollRestoration = "manual";
    reachable(this.root);
    addEventListener("hashchange", () => this.#navigate());
    addEventListener("keydown", (event) => this.#shortcut(event));
    for (const event of ["shardwise-checked", "shardwise-went", "shardwise-solved"]) {
      this.root.addEventListener(event, () => this.refresh());
    }
    this.backend.busy?.((words) => {
      this.#words = words;
      this.paint();
    });
    try {
      const [{ map }, { record }] = await Promise.all([this.ask({ do: "map" }), this.ask({ do: "record" })]);
      this.map = map;
      this.record = record;
    } catch (error) {
      this.#page = { title: "shardwise", view: () => trouble(error.message) };
      this.paint();
      return;
    }
    await this.#navigate();
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
    if (location.hash === address) this.#navigate();
    else location.hash = address;
  }

  async #navigate() {
    this.#visit += 1;
    const visit = this.#visit;
    const isFirst = this.#page === null;
    const address = location.hash || "#/";
    if (this.#shown) this.#scrolls.set(this.#shown, scrollY);
    const slow = setTimeout(() => {
      this.root.ariaBusy = "true";
    }, SLOW_MS);
    const route = routeOf(address);
    const page = await pageOf(this, route).catch((error) => ({
      title: "Not shown",
      view: () => trouble(error.message),
    }));
    clearTimeout(slow);
    if (visit !== this.#visit) return;
    this.root.ariaBusy = "false";
    const isAgain = this.#shown === address;
    this.#shown = address;
    this.#page = page;
    document.title = page.title ? `${page.title} · shardwise` : "shardwise";
    this.paint();
    this.root.dataset.shows = address;
    scrollTo({ top: isAgain ? 0 : (this.#scrolls.get(address) ?? 0), behavior: "instant" });
    this.#scrolls.delete(address);
    if (!isFirst)
      (this.root.querySelector("[autofocus]") ?? this.root.querySelector("h1"))?.focus({ preventScroll: true });
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
        <form role="search" @submit=${this.#search}>
          <label class="unseen" for="search">Search problems, lessons and formulas</label>
          <input id="search" type="search" name="q" placeholder="Search  /" autocomplete="off" />
        </form>
      </header>
      <main id="content" tabindex="-1">${this.#page ? this.#page.view() : nothing}</main>
      <div class="waits" role="status">${this.#words}</div>
    `;
  }

  #search = (event) => {
    event.preventDefault();
    this.go(`#/search?q=${encodeURIComponent(event.target.elements.q.value.trim())}`);
  };
}

/** Move the focus to the content without changing the address, which names the page. */
function skip(event) {
  event.preventDefault();
  document.getElementById("content").focus();
}

function trouble(message) {
  return html`<h1 tabindex="-1">That did not work</h1>
    <div role="alert" class="prose">${unsafeHTML(message)}</div>
    <p><a href="#/">Home</a></p>`;
}
