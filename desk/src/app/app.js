// The bundle of the app: everything that the desk exports, for the scripts of kinds, and the app itself.

import { server } from "./backends/server.js";
import { site } from "./backends/site.js";
import { Preview } from "./preview.js";
import { Shell } from "./shell.js";

export * from "../desk.js";

const BACKENDS = { server, site };

/**
 * The way to Python and to what the student did.
 * @typedef {object} Backend
 * @property {(request: object) => Promise<object>} ask sends a request and returns the reply, both in plain data
 * @property {(problem: string) => Promise<{get: (key: string) => any, set: (key: string, value: any) => void}>} drafts stores what was typed
 * @property {string} where where progress is kept, in words
 * @property {string} [about] what a student should know about this host
 * @property {string} waits what a form says while Python takes long
 * @property {Transfer} [transfer] moves progress to another place, where no command does
 * @property {(listener: () => void) => void} [changed] tells that the record may have changed, such as in another tab
 * @property {(listener: (words: string) => void) => void} [busy] tells while Python starts
 */

const root = document.getElementById("app");
const host = root?.dataset.host;
if (host === "preview") new Preview(server("shardwise preview"), root).start();
else if (host) new Shell(BACKENDS[host](), root).start();
