// The desk in Jupyter: requests go through the widget's model, drafts into the notebook, keys to nobody but the form.

import { show } from "../show.js";

const CUT_OFF = "Python cannot be reached. If the kernel was restarted or has stopped, run this cell again.";
const ENDS = new Set(["autorestarting", "restarting", "terminating", "dead"]); // of a kernel: what it was asked is lost
const SETTLED_MS = 300; // after the last key, before a draft is written into the notebook

/** Show what a widget's model names in an element of the page; gives the function that takes it away again. */
export async function inJupyter({ model, el }) {
  const line = requests(model);
  const draft = drafts(model);
  const shades = followShade(el);
  const shown = await show(model.get("what"), { ask: line.ask, draft }, model.get("given"));
  guardKeys(shown, () => model.widget_manager?.context?.save());
  el.append(shown);
  for (const text of document.querySelectorAll(`.shardwise-waits[data-token="${model.get("token")}"]`)) {
    text.hidden = true;
  }
  return () => {
    draft.flush();
    line.close();
    shades.disconnect();
  };
}

/**
 * Requests to Python. Where the kernel has subshells, over a connection that the page opens, which is answered in a thread
 * of its own, also while a cell runs. Elsewhere as messages of the model, which wait for the cell.
 */
function requests(model) {
  const waiting = new Map();
  const place = Math.random().toString(36).slice(2); // two views of one model hear the replies of both
  let count = 0;
  let connection = null;
  const heard = (content) => {
    waiting.get(content?.id)?.resolve(content.reply);
    waiting.delete(content?.id);
  };
  const cutOff = () => {
    for (const { reject } of waiting.values()) reject(new Error(CUT_OFF));
    waiting.clear();
    connection = null; // the next request tries again
  };
  const watched = (_kernel, status) => ENDS.has(status) && cutOff();
  const connected = async () => {
    const kernel = model.widget_manager?.kernel;
    kernel?.statusChanged.connect(watched);
    await kernel?.info;
    if (!kernel?.supportsSubshells) return model;
    const comm = kernel.createComm("shardwise");
    await comm.subshellStarted; // opened before, it would wait for the cell
    comm.onMsg = (message) => heard(message.content.data);
    comm.onClose = cutOff; // a kernel that was restarted knows nothing of this form
    comm.open({ form: model.get("token") });
    return comm;
  };
  model.on("msg:custom", heard);
  const ask = (request) =>
    new Promise((resolve, reject) => {
      count += 1;
      const id = `${place}-${count}`;
      waiting.set(id, { resolve, reject });
      connection ??= connected();
      connection.then((open) => open.send({ id, request })).catch(cutOff);
    });
  const close = async () => {
    model.off("msg:custom", heard);
    model.widget_manager?.kernel?.statusChanged.disconnect(watched);
    const open = await connection;
    if (!open || open === model) return;
    open.onClose = () => {};
    if (!open.isDisposed) open.close();
  };
  return { ask, close };
}

/** Drafts in the notebook's own metadata, so that they are saved with it; in the model where there is no notebook. */
function drafts(model) {
  const notebook = model.widget_manager?.context?.model;
  const place = notebook?.setMetadata && notebook.getMetadata ? inNotebook(notebook) : inModel(model);
  let changed = {};
  let timer;
  const flush = () => {
    clearTimeout(timer);
    if (Object.keys(changed).length) place.write({ ...place.read(), ...changed });
    changed = {};
  };
  return {
    get: (key) => changed[key] ?? place.read()[key],
    set(key, value) {
      changed[key] = value;
      clearTimeout(timer);
      timer = setTimeout(flush, SETTLED_MS);
    },
    flush,
  };
}

function inNotebook(notebook) {
  const kept = () => notebook.getMetadata("shardwise") ?? {};
  return {
    read: () => kept().drafts ?? {},
    write: (drafts) => notebook.setMetadata("shardwise", { ...kept(), drafts }),
  };
}

function inModel(model) {
  return {
    read: () => model.get("drafts") ?? {},
    write(drafts) {
      model.set("drafts", drafts);
      model.save_changes();
    },
  };
}

/** Keep keys from Jupyter, which takes letters for commands on the cell; the key that saves is passed on. */
function guardKeys(shown, save) {
  shown.dataset.lmSuppressShortcuts = "true"; // for Lab and Notebook, which see the element and not what is inside
  shown.addEventListener("keydown", (event) => {
    event.stopPropagation(); // VS Code does not know the mark
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "s") {
      event.preventDefault();
      save();
    }
  });
}

/** Tell the element below whether Jupyter's theme is dark: its colours follow `color-scheme`. */
function followShade(el) {
  const follow = () => {
    const { jpThemeLight, vscodeThemeKind } = document.body.dataset;
    const dark =
      jpThemeLight === "false" ||
      vscodeThemeKind?.includes("dark") ||
      document.documentElement.getAttribute("theme") === "dark"; // Colab
    el.style.colorScheme = dark ? "dark" : "light";
  };
  follow();
  const observer = new MutationObserver(follow);
  observer.observe(document.body, { attributes: true });
  observer.observe(document.documentElement, { attributes: true });
  return observer;
}
