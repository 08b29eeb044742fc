// Keyboard access to content that scrolls sideways: it is in the tab order for as long as it scrolls.

const SCROLLS = ".prose, .prose pre, .reading";

/** Keep the scrolling parts below a root focusable, and return the function that ends this. `frame` is what changes its width. */
export function reachable(root, frame = root) {
  const look = () => {
    for (const part of root.querySelectorAll(SCROLLS)) {
      if (part.scrollWidth > part.clientWidth + 1) part.tabIndex = 0;
      else part.removeAttribute("tabindex");
    }
  };
  const sizes = new ResizeObserver(look);
  const changes = new MutationObserver(look); // also catches parts that change by themselves
  sizes.observe(frame);
  changes.observe(root, { childList: true, subtree: true });
  return () => {
    sizes.disconnect();
    changes.disconnect();
  };
}

/** A Lit controller that does this for an element while it is in a page. */
export class Reach {
  #end;

  constructor(host) {
    this.host = host;
    host.addController(this);
  }

  hostConnected() {
    this.#end = reachable(this.host.renderRoot, this.host);
  }

  hostDisconnected() {
    this.#end();
  }
}
