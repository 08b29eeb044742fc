// How far each page was scrolled, by entry of the browser's history: Back and reload return there, a link opens a page at its top.

import { storage } from "./storage.js";

const KEPT = storage("sessionStorage");
const STORE = "shardwise scrolls";
const GROWS_MS = 1500; // for how long a page may grow, as its images load, until it can be scrolled that far
const INPUTS = ["wheel", "touchmove", "keydown", "pointerdown"];

export class Scrolls {
  #known = JSON.parse(KEPT.getItem(STORE) ?? "{}");
  #entry = "";
  #stop = () => {};

  constructor() {
    history.scrollRestoration = "manual";
    for (const name of INPUTS) addEventListener(name, () => this.#stop(), { capture: true, passive: true });
    addEventListener("pagehide", () => {
      this.leave();
      KEPT.setItem(STORE, JSON.stringify(this.#known));
    });
  }

  /** Remember how far the page that is left was scrolled. */
  leave() {
    if (this.#entry) this.#known[this.#entry] = scrollY;
  }

  /** Scroll the page that was opened in `root` to where it was left, or to its top if it was opened by a link. */
  arrive(root) {
    this.#stop();
    this.#entry = history.state?.entry ?? Math.random().toString(36).slice(2);
    history.replaceState({ entry: this.#entry }, "");
    const top = this.#known[this.#entry] ?? 0;
    const scroll = () => scrollTo({ top, behavior: "instant" });
    scroll();
    if (!top) return;
    const growth = new ResizeObserver(scroll);
    growth.observe(root);
    const timer = setTimeout(() => this.#stop(), GROWS_MS);
    this.#stop = () => {
      clearTimeout(timer);
      growth.disconnect();
    };
  }
}
