// The width of an element, so that the text of drawings stays readable on a phone.

/** A Lit controller whose `value` follows the width of its host in pixels. */
export class Width {
  value = 640;
  #host;
  #observer = new ResizeObserver(([entry]) => {
    const width = Math.max(280, Math.round(entry.contentRect.width));
    if (width === this.value) return;
    this.value = width;
    this.#host.requestUpdate();
  });

  constructor(host) {
    this.#host = host;
    host.addController(this);
  }

  hostConnected() {
    this.#observer.observe(this.#host);
  }

  hostDisconnected() {
    this.#observer.disconnect();
  }
}
