// What scrolls sideways can be reached by the keyboard: it gets a place in the order of Tab for as long as it scrolls.

const SCROLLS = ".prose, .prose pre, .reading";

/** Looks after the scrolling parts of an element, a Lit controller. */
export class Reach {
  constructor(host) {
    this.host = host;
    this.sizes = new ResizeObserver(() => this.#look());
    this.changes = new MutationObserver(() => this.#look()); // of parts that change by themselves, too
    host.addController(this);
  }

  hostConnected() {
    this.sizes.observe(this.host);
    this.changes.observe(this.host.renderRoot, { childList: true, subtree: true });
  }

  hostDisconnected() {
    this.sizes.disconnect();
    this.changes.disconnect();
  }

  #look() {
    for (const part of this.host.renderRoot.querySelectorAll(SCROLLS)) {
      if (part.scrollWidth > part.clientWidth + 1) part.tabIndex = 0;
      else part.removeAttribute("tabindex");
    }
  }
}
