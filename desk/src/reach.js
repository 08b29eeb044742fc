// What scrolls sideways can be reached by the keyboard: it gets a place in the order of Tab for as long as it scrolls.

const SCROLLS = ".prose, .prose pre";

/** Looks after the scrolling parts of an element, a Lit controller. */
export class Reach {
  constructor(host) {
    this.host = host;
    this.sizes = new ResizeObserver(() => this.hostUpdated());
    host.addController(this);
  }

  hostConnected() {
    this.sizes.observe(this.host);
  }

  hostDisconnected() {
    this.sizes.disconnect();
  }

  hostUpdated() {
    for (const part of this.host.renderRoot.querySelectorAll(SCROLLS)) {
      if (part.scrollWidth > part.clientWidth + 1) part.tabIndex = 0;
      else part.removeAttribute("tabindex");
    }
  }
}
