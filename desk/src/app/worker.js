// The worker: Python, which answers requests one after another. It knows nothing of the page but these messages:
//
//   { start }  where the engine and the app are    { open }   begin with this record       { merge }  add to the record
//   { id, request, stopped }                       → { id, reply }
//   → { progress } of the start, from 0 to 1       → { watch: seconds, step } of a student's program       → { died }

import { importable, unpacked } from "./backends/packed.js";

self.addEventListener("unhandledrejection", ({ reason }) => fail(reason)); // a lost connection, inside Pyodide

let inside;
let engine;

const started = new Promise((resolve) => {
  self.onmessage = ({ data }) => {
    if (data.start) start(data.start).then(resolve, (error) => fail(error));
    else started.then(() => answer(data));
  };
});

async function start(settings) {
  engine = new URL(settings.engine, settings.app);
  const at = (name) => new URL(name, engine).href;
  const { files: held } = settings; // the site's files by name, if all are in the page
  if (held) self.fetch = answering(self.fetch, held);
  const script = (name) => (held ? importable(held[name]) : at(name));
  const files = ["packages.zip"].map((name) => archive(new URL(name, engine)));
  files.push(archive(new URL("python.zip", settings.app)));
  const [{ loadPyodide }, { default: createPyodideModule }, lock] = await Promise.all([
    import(await script("pyodide.js")),
    import(await script("pyodide.asm.js")),
    fetch(at("pyodide-lock.json")).then((response) => response.text()),
  ]);
  const python = await loadPyodide({
    indexURL: engine.href,
    createPyodideModule,
    lockFileContents: lock,
    packageBaseUrl: engine.href,
    stdin: () => null,
    stdout: () => {},
    stderr: () => {},
  });
  self.postMessage({ progress: 0.5 });
  const [packages, program] = await Promise.all(files);
  python.unpackArchive(packages, "zip", { extractDir: settings.folder });
  python.unpackArchive(program, "zip", { extractDir: "/" });
  self.postMessage({ progress: 0.6 });
  python.runPython(`import sys; sys.path.insert(0, ${JSON.stringify(settings.folder)})`);
  const watch = (seconds, step) => self.postMessage({ watch: seconds, step });
  const later = () => {
    python.FS.writeFile("/later.zip", fetchNow(at("later.zip")));
    return "/later.zip";
  };
  const module = python.pyimport("shardwise.app.site.inside");
  inside = module.boot(settings.banks, watch, settings.later, later);
}

function answer({ open, merge, id, request, stopped }) {
  try {
    if (open !== undefined) {
      inside.open(open);
      self.postMessage({ progress: 1 });
    } else if (merge !== undefined) inside.merge(merge);
    else self.postMessage({ id, reply: inside.reply(request, stopped) });
  } catch (error) {
    fail(error);
  }
}

function fail(error) {
  console.warn(String(error?.stack ?? error));
  self.postMessage({ died: "killed" });
}

/** Answer requests for the site's files from the page; data: URLs go on. */
const answering = (fetch, held) => (url) => {
  const text = held[new URL(url).pathname.split("/").at(-1)];
  return text === undefined ? fetch(url) : unpacked(text);
};

const archive = async (url) => {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} cannot be loaded.`);
  return new Uint8Array(await response.arrayBuffer());
};

/** Fetch a file while Python waits, in the middle of an import. */
function fetchNow(url) {
  const request = new XMLHttpRequest();
  request.open("GET", url, false);
  request.responseType = "arraybuffer";
  request.send();
  return new Uint8Array(request.response);
}
