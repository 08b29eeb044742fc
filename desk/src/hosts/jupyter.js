// The desk in Jupyter: requests go through the widget's model, drafts into the notebook, and key presses only to the form.

import { show } from "../show.js";
import { returnTo } from "./returning.js";

const CUT_OFF = "The kernel is disconnected. If it was restarted or has stopped, run this cell again.";
const ENDS = new Set(["autorestarting", "restarting", "terminating", "dead"]); // states of a kernel in which pending requests are lost
const REDRAWN_MS = 300; // until a replaced text is in the page
const SETTLED_MS = 300; // from the last key press until a draft is written into the notebook

/** Show the element that a widget's model names inside `el`, and return the function that removes it. */
export async function inJupyter({ model, el }) {
  const line = requests(model);
  const draft = drafts(model);
  const shades = followShade(el);
  const shown = await show(model.get("what"), { ask: line.ask, draft }, model.get("given"));
  guardKeys(shown, () => model.widget_manager?.context?.save());
  el.append(shown);
  const hide = () => {
    for (const text of document.querySelectorAll(`.shardwise-waits[data-token="${model.get("token")}"]`)) {
      text.hidden = true;
    }
  };
  const renew = () => {
    shown.renew?.(model.get("given"));
    setTimeout(hide, REDRAWN_MS); // Python replaces the text, too
  };
  hide();
  model.on("change:given", renew);
  if (model.get("what") === "progress") returnTo(model);
  return () => {
    model.off("change:given", renew);
    draft.flush();
    line.close();
    shades.disconnect();
  };
}

/**
 * Send requests to Python. A kernel with subshells answers them over a separate connection and thread, even while a cell runs.
 * Elsewhere they are messages of the model, which wait for the cell.
 */
function requests(model) {
  const waiting = new Map();
  const place = Math.random().toString(36).slice(2); // two views of one model receive each other's replies
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
    await comm.subshellStarted; // opened earlier, the comm would wait for the cell
    comm.onMsg = (message) => heard(message.content.data);
    comm.onClose = cutOff; // after a restart the kernel does not know this form
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

/** Store drafts in the notebook's metadata, so that they are saved with it, or in the model if there is no notebook. */
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

/** Keep key presses from Jupyter, where letters are cell commands; pass on the shortcut for saving. */
function guardKeys(shown, save) {
  shown.dataset.lmSuppressShortcuts = "true"; // for Lab and Notebook, which see only the outer element
  shown.addEventListener("keydown", (event) => {
    event.stopPropagation(); // VS Code ignores that attribute
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "s") {
      event.preventDefault();
      save();
    }
  });
}

/** Keep the `color-scheme` of an element in line with Jupyter's theme. */
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
