// The backend of a site: files that were made with it, Python in a worker, and the record in the browser's storage.
//
// Whatever does not depend on the student comes from the files, so that the first screen does not wait for Python.

import { storage } from "../storage.js";
import { importable, inPage, unpacked } from "./packed.js";
import { Python } from "./python.js";
import { now, recordOf } from "./record.js";

const IDLE_MS = 400; // after the page is there, Python starts
const SETTLED_MS = 3000; // after Python is there, for the first answer; then the rest of the site is fetched
const STARTING = "Python is starting, which takes a few seconds.";
const WAITING = "Still waiting for Python, which starts when this page is opened. That can take a few seconds.";
const UPDATED = "A new version of this site is ready. Reload the page to use it.";
const LOST = "A part of this site cannot be loaded. Check your connection, and reload the page.";
const UNSAVED = "This browser does not save your progress. Export it under Settings before you close the page.";
const IN_BACKGROUND = new Set(["question", "at", "read", "record"]); // requests for which nobody waits
const KEPT = "in this browser";
const KEPT_FOR_FILE = "in this browser, for this file where it is now. Export it before you move or rename the file";
const FORGOTTEN = "in this page until you close it, because the browser keeps nothing for it. Export it before that";
const NO_RECORD =
  "<p>This file is not a record of shardwise. Export one with <code>shardwise progress --export FILE</code>, or on another site.</p>";

export function site() {
  const held = inPage();
  const isOneFile = "first.json" in held;
  const app = new URL(".", isOneFile ? document.baseURI : import.meta.url);
  const files = new Map();
  const file = (name) => {
    if (!files.has(name)) files.set(name, isOneFile ? fromPage(held[name]) : fetched(new URL(name, app)));
    return files.get(name).catch((error) => {
      files.delete(name);
      throw error;
    });
  };
  const first = file("first.json");
  const name = `shardwise ${new URL(isOneFile ? "" : ".", document.baseURI).pathname}`;
  const kept = storage("localStorage");
  const keep = (text) => {
    try {
      kept.setItem(name, text);
    } catch {
      kept.removeItem(name); // full: better none than an old one
    }
  };
  const record = recordOf(name);
  let where = isOneFile ? KEPT_FOR_FILE : KEPT;
  record.then(({ isKept }) => {
    if (!isKept) where = FORGOTTEN;
  });
  const tabs = globalThis.BroadcastChannel ? new BroadcastChannel(name) : { postMessage() {} };
  const listeners = [];
  let notice = "";
  const say = (words) => {
    for (const listener of listeners) listener(words || notice);
  };
  whenUpdated(() => {
    notice = UPDATED;
    say("");
  });
  const watchers = [];
  const changed = () => {
    for (const watcher of watchers) watcher();
  };
  let isAsked = false; // whether the student waits for Python

  const python = first.then(
    async ({ settings }) =>
      new Python(
        isOneFile
          ? { ...settings, app: app.href, worker: await importable(held["worker.js"]), files: held }
          : { ...settings, app: app.href, worker: underOurPolicy(new URL("worker.js", app).href) },
        async () => (await record).exported(),
        (progress) => {
          if (progress < 1) return isAsked && say(STARTING);
          say("");
          changed(); // what is shown so far is the record of the last visit
          if (!isOneFile) setTimeout(keepOffline, SETTLED_MS);
        },
      ),
  );
  tabs.onmessage = async ({ data }) => {
    await (data.erased ? (await python).reopen() : (await python).merge(data.added));
    changed();
  };
  python.then((started) => setTimeout(() => navigator.connection?.saveData || started.start(), IDLE_MS));

  /** Ask Python, and keep what the reply adds to the record before anybody sees it. */
  const askPython = async (request) => {
    const ready = await python;
    if (!ready.isReady && !IN_BACKGROUND.has(request.do)) {
      isAsked = true;
      say(STARTING);
    }
    const { reply, added } = await ready.ask(request);
    if (Object.values(added).some((rows) => rows.length)) {
      await (await record).add(added).catch(() => say(UNSAVED));
      tabs.postMessage({ added });
    }
    if (reply.record) keep(JSON.stringify(reply.record));
    return reply;
  };

  const known = async () => {
    try {
      return JSON.parse(kept.getItem(name)) ?? (await first).record.record;
    } catch {
      return (await first).record.record;
    }
  };
  const replies = {
    map: async () => (await first).map,
    index: () => file("index.json"),
    script: ({ digest }) => file(`scripts/${digest}.json`),
    section: async ({ chapter, step }) => (await file(`chapters/${chapter}.json`)).section[step],
    moving: async ({ name }) => (await file("figures.json"))[name]?.moving,
    async record() {
      return (await python).isReady ? null : { record: await known() };
    },
    async open({ problem, seed = "0" }) {
      if ((await python).isReady || seed !== "0") return null;
      const reply = (await file(`chapters/${problem.split("/")[0]}.json`)).open[problem];
      if (!reply) return null;
      askPython({ do: "question", problem, seed }); // so that its kind is loaded when the answer comes
      const { solved, mastered, right } = (await known()).problems[problem] ?? reply.state;
      return { ...reply, state: { solved, mastered, right } };
    },
    async figure({ name, settings, guess }) {
      const start = guess === undefined && (await file("figures.json"))[name];
      return start && JSON.stringify(settings) === JSON.stringify(start.settings) ? start.figure : null;
    },
    async read({ chapter, step }) {
      const bank = (await first).banks[chapter];
      await (await record).add({ drafts: [{ at: now(), bank, key: `read ${chapter}/${step}`, value: true }] });
      return null; // Python says what comes next
    },
  };

  const ask = async (request) => {
    try {
      return structuredClone((await replies[request.do]?.(request)) ?? (await askPython(request)));
    } catch (error) {
      return { error: `<p>${escaped(error.message)}</p>` };
    }
  };

  const drafts = async (problem) => {
    const bank = (await first).banks[problem.split("/")[0]];
    const held = await (await record).drafts(bank, problem);
    return {
      get: (key) => held[key],
      set(key, value) {
        held[key] = value;
        record.then((opened) => opened.add({ drafts: [{ at: now(), bank, key, value }] }));
      },
    };
  };

  const transfer = {
    exported: async () => `${JSON.stringify(await (await record).exported(), null, 1)}\n`,
    async imported(text) {
      let document;
      try {
        document = JSON.parse(text);
      } catch {
        return { error: NO_RECORD };
      }
      return askPython({ do: "import", document });
    },
    async erase() {
      await (await record).erase();
      kept.removeItem(name);
      tabs.postMessage({ erased: true });
      await (await python).reopen();
    },
  };

  return {
    ask,
    drafts,
    transfer,
    waits: WAITING,
    about: "This site is for practice: whoever looks can read its answer keys.",
    get where() {
      return where;
    },
    changed: (watcher) => watchers.push(watcher),
    busy: (listener) => listeners.push(listener),
  };
}

/** Return an address from which a worker has the page's security policy, which one from a file of the site would not have. */
const underOurPolicy = (script) =>
  URL.createObjectURL(new Blob([`import ${JSON.stringify(script)};`], { type: "text/javascript" }));

async function fetched(url) {
  const response = await fetch(url).catch(() => null);
  if (!response?.ok) throw new Error(LOST);
  return response.json();
}

/** Return what a file inside the page has. A setting of a figure or a script may have none: Python then answers. */
const fromPage = async (text) => text && (await unpacked(text)).json();

const escaped = (text) => text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** Call back when another version of the site has taken the place of the one that this page came from. */
function whenUpdated(act) {
  const workers = navigator.serviceWorker; // missing on http:// addresses of other computers
  if (workers?.controller) workers.addEventListener("controllerchange", act);
}

/** Keep the whole site in the browser, now that Python no longer needs the connection. */
function keepOffline() {
  navigator.serviceWorker?.register(new URL("offline.js", document.baseURI)).catch(() => {});
}
