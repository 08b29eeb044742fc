// Keyboard access to content that scrolls sideways: it is in the tab order for as long as it scrolls.

const SCROLLS = ".prose, .prose pre, .reading";

/** A Lit controller that makes the scrolling parts of an element focusable. */
export class Reach {
  constructor(host) {
    this.host = host;
    this.sizes = new ResizeObserver(() => this.#look());
    this.changes = new MutationObserver(() => this.#look()); // also catches parts that change by themselves
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
