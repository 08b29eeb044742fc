// Python in a worker, which is ended when a student's program takes too long. Another then repeats the request, and reports that.

const SOON_MS = 500; // a step that takes this long may have to be ended: another Python starts meanwhile
const GRACE_MS = 100; // for messages that are on their way
const STOPPED = "<p>Python stopped while it answered. Please try again.</p>";
const UNABLE =
  "<p>Python could not start in this browser. Check your connection and reload the page, or use a recent version of Firefox, Chrome or Safari.</p>";
const UNABLE_FROM_DISK = "<p>Python could not start in this browser. Open this file in a recent Chrome or Edge.</p>";

export class Python {
  #settings;
  #document; // () => Promise<object>: the record, when a worker opens it
  #told; // (progress) => void: how far a worker has started; 1 when it is ready
  #worker = null;
  #spare = null;
  #waiting = new Map(); // by id: requests in order, of which Python answers the first
  #count = 0;
  #timers = [];

  constructor(settings, document, told) {
    this.#settings = settings;
    this.#document = document;
    this.#told = told;
  }

  /** Send a request, and return the reply and what it adds to the record. */
  ask(request) {
    return new Promise((resolve) => {
      this.#count += 1;
      const asked = { id: this.#count, request: JSON.stringify(request), stopped: {}, resolve };
      this.#waiting.set(asked.id, asked);
      if (this.#worker) this.#send(asked);
      else this.start();
    });
  }

  /** Start a worker, unless one runs. */
  start() {
    if (!this.#worker) this.#begin(this.#spawned());
  }

  /** Whether Python can answer at once. */
  get isReady() {
    return this.#worker?.isReady === true;
  }

  /** Begin anew with the record as it is now. */
  async reopen() {
    if (this.#worker) this.#worker.postMessage({ open: JSON.stringify(await this.#document()) });
  }

  /** Take in what another tab has added to the record. */
  merge(added) {
    this.#worker?.postMessage({
      merge: JSON.stringify({ format: 1, events: [], estimates: [], drafts: [], ...added }),
    });
  }

  #spawned() {
    const worker = new Worker(this.#settings.worker, { type: "module" });
    worker.postMessage({ start: this.#settings });
    return worker;
  }

  async #begin(worker) {
    this.#worker = worker;
    worker.onmessage = ({ data }) => this.#heard(worker, data);
    worker.onerror = () => this.#heard(worker, { died: "killed" });
    const document = JSON.stringify(await this.#document());
    if (this.#worker !== worker) return;
    worker.postMessage({ open: document });
    for (const asked of this.#waiting.values()) this.#send(asked);
  }

  #send({ id, request, stopped }) {
    this.#worker.postMessage({ id, request, stopped: JSON.stringify(stopped) });
  }

  #heard(worker, { id, reply, progress, watch, step, died }) {
    if (worker !== this.#worker) return;
    if (progress !== undefined) {
      worker.isReady = progress === 1;
      this.#told(progress);
    } else if (watch !== undefined) this.#watch(watch, step);
    else if (died) this.#replace(died);
    else {
      this.#spare?.terminate();
      this.#spare = null;
      this.#waiting.get(id)?.resolve(JSON.parse(reply));
      this.#waiting.delete(id);
    }
  }

  /** Wait for the next message about a step; without one in time, end this worker. */
  #watch(seconds, step) {
    this.#timers.forEach(clearTimeout);
    this.#timers = [];
    this.step = step;
    if (!seconds) return;
    this.#after(SOON_MS, () => {
      this.#spare ??= this.#spawned();
    });
    this.#after(seconds * 1000, () => this.#after(GRACE_MS, () => this.#replace("timeout")));
  }

  #after(ms, act) {
    this.#timers.push(setTimeout(act, ms));
  }

  /** End this worker, and let another repeat the requests; the first one ends in this way at its present step. */
  #replace(how) {
    this.#watch(0, this.step);
    this.#worker.terminate();
    if (!this.#worker.isReady) {
      this.#worker = null; // it could not even start: the next request tries again
      const error = this.#settings.files ? UNABLE_FROM_DISK : UNABLE;
      for (const asked of this.#waiting.values()) asked.resolve({ reply: { error }, added: {} });
      this.#waiting.clear();
      return;
    }
    const [first] = this.#waiting.values();
    if (first && (first.stopped[this.step] || !this.step)) {
      first.resolve({ reply: { error: STOPPED }, added: {} });
      this.#waiting.delete(first.id);
    } else if (first) first.stopped[this.step] = how;
    this.step = 0;
    const next = this.#spare ?? this.#spawned();
    this.#spare = null;
    this.#begin(next);
  }
}
