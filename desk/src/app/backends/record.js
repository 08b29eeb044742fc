// The record of a student in the browser's storage: rows exactly as `shardwise progress --export` writes them.

const FORMAT = 1;
const KEYS = { estimates: ["bank", "problem", "seed"], drafts: ["bank", "key"] };
const FIELDS = ["at", "bank", "problem", "seed", "digest", "what", "place", "outcome", "points", "hint", "seconds"]; // of an event

/** Now, as Python writes it. */
export const now = () => new Date().toISOString().replace("Z", "+00:00");

/** Return the record under a name, in the page's memory if the browser refuses to keep it. */
export const recordOf = (name) =>
  open(name).then(
    (opened) => new Stored(name, opened),
    () => new Forgotten(),
  );

/** A record in the browser's storage. Several tabs may use it at once: rows are only ever added, and what is there already is left alone. */
class Stored {
  isKept = true;
  #name;
  #opened;

  constructor(name, opened) {
    this.#name = name;
    this.#opened = opened;
  }

  /** Begin a transaction, in a new database if the student deleted the site's data meanwhile. */
  async #begin(stores, mode) {
    try {
      return this.#opened.transaction(stores, mode);
    } catch {
      this.#opened = await open(this.#name);
      return this.#opened.transaction(stores, mode);
    }
  }

  /** Add rows, and return when they are on the disk. Of two drafts under one key, the later one is kept. */
  async add({ events = [], estimates = [], drafts = [] }) {
    const write = await this.#begin(["events", "estimates", "drafts"], "readwrite");
    const stores = Object.fromEntries([...write.objectStoreNames].map((name) => [name, write.objectStore(name)]));
    for (const event of events) {
      const row = JSON.stringify(FIELDS.map((field) => event[field]));
      unless(stores.events.index("row").getKey(row), () => stores.events.add({ ...event, row }));
    }
    for (const estimate of estimates) {
      unless(stores.estimates.getKey(KEYS.estimates.map((name) => estimate[name])), () =>
        stores.estimates.add(estimate),
      );
    }
    for (const draft of drafts) {
      const held = stores.drafts.get([draft.bank, draft.key]);
      held.onsuccess = () => (held.result?.at ?? "") < draft.at && stores.drafts.put(draft);
    }
    await finished(write);
  }

  /** Everything, in the format of an export. */
  async exported() {
    const read = await this.#begin(["events", "estimates", "drafts"]);
    const all = (name) => result(read.objectStore(name).getAll());
    const [events, estimates, drafts] = await Promise.all([all("events"), all("estimates"), all("drafts")]);
    return { format: FORMAT, events: events.map(({ row: _, ...event }) => event), estimates, drafts };
  }

  /** What was typed for a problem, by key. */
  async drafts(bank, problem) {
    const read = await this.#begin("drafts");
    const held = await result(read.objectStore("drafts").getAll(IDBKeyRange.bound([bank, ""], [bank, "\uffff"])));
    return draftsOf(held, problem);
  }

  async erase() {
    const write = await this.#begin(["events", "estimates", "drafts"], "readwrite");
    for (const name of write.objectStoreNames) write.objectStore(name).clear();
    await finished(write);
  }
}

/** A record that lasts as long as the page. */
class Forgotten {
  isKept = false;
  #rows;

  constructor() {
    this.erase();
  }

  async add({ events = [], estimates = [], drafts = [] }) {
    const add = (name, row, key, isBetter) => {
      const rows = this.#rows[name];
      if (!rows.has(key) || isBetter(rows.get(key))) rows.set(key, row);
    };
    const fields = (row, names) => JSON.stringify(names.map((name) => row[name]));
    for (const row of events) add("events", row, fields(row, FIELDS), () => false);
    for (const row of estimates) add("estimates", row, fields(row, KEYS.estimates), () => false);
    for (const row of drafts) add("drafts", row, fields(row, KEYS.drafts), (held) => held.at < row.at);
  }

  async exported() {
    const { events, estimates, drafts } = this.#rows;
    return {
      format: FORMAT,
      events: [...events.values()],
      estimates: [...estimates.values()],
      drafts: [...drafts.values()],
    };
  }

  async drafts(bank, problem) {
    return draftsOf(
      [...this.#rows.drafts.values()].filter((draft) => draft.bank === bank),
      problem,
    );
  }

  async erase() {
    this.#rows = { events: new Map(), estimates: new Map(), drafts: new Map() };
  }
}

function draftsOf(held, problem) {
  const about = held.filter(({ key }) => `${key} `.includes(` ${problem} `));
  return Object.fromEntries(about.map(({ key, value }) => [key, value]));
}

async function open(name) {
  const opening = indexedDB.open(name, 1);
  opening.onupgradeneeded = () => {
    const made = opening.result;
    made.createObjectStore("events", { autoIncrement: true }).createIndex("row", "row", { unique: true });
    for (const [store, keyPath] of Object.entries(KEYS)) made.createObjectStore(store, { keyPath });
  };
  return result(opening);
}

function unless(asked, act) {
  asked.onsuccess = () => asked.result === undefined && act();
}

const result = (asked) =>
  new Promise((resolve, reject) => {
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
  });

const finished = (write) =>
  new Promise((resolve, reject) => {
    write.oncomplete = resolve;
    write.onabort = () => reject(write.error);
  });
