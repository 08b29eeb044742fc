// The record of a student in the browser's storage: rows exactly as `shardwise progress --export` writes them.

const FORMAT = 1;
const KEYS = { estimates: ["bank", "problem", "seed"], drafts: ["bank", "key"] };
const FIELDS = ["at", "bank", "problem", "seed", "digest", "what", "place", "outcome", "points", "hint", "seconds"]; // of an event

/** Now, as Python writes it. */
export const now = () => new Date().toISOString().replace("Z", "+00:00");

/** The record under a name. Several tabs may use it at once: rows are only ever added, and what is there already is left alone. */
export class Record {
  #opened;

  constructor(name) {
    this.#opened = open(name);
  }

  /** Add rows, and return when they are on the disk. Of two drafts under one key, the later one is kept. */
  async add({ events = [], estimates = [], drafts = [] }) {
    const write = (await this.#opened).transaction(["events", "estimates", "drafts"], "readwrite");
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
    const read = (await this.#opened).transaction(["events", "estimates", "drafts"]);
    const all = (name) => result(read.objectStore(name).getAll());
    const [events, estimates, drafts] = await Promise.all([all("events"), all("estimates"), all("drafts")]);
    return { format: FORMAT, events: events.map(({ row: _, ...event }) => event), estimates, drafts };
  }

  /** What was typed for a problem, by key. */
  async drafts(bank, problem) {
    const read = (await this.#opened).transaction("drafts").objectStore("drafts");
    const held = await result(read.getAll(IDBKeyRange.bound([bank, ""], [bank, "\uffff"])));
    const about = held.filter(({ key }) => `${key} `.includes(` ${problem} `));
    return Object.fromEntries(about.map(({ key, value }) => [key, value]));
  }

  async erase() {
    const write = (await this.#opened).transaction(["events", "estimates", "drafts"], "readwrite");
    for (const name of write.objectStoreNames) write.objectStore(name).clear();
    await finished(write);
  }
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
