// Builds the bundles: the desk for notebooks, the app, and the script with the forms of the shipped bank's kinds.

import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const BUNDLES = {
  "src/desk.js": "../grader/shardwise/student/widget/desk.js",
  "src/app/app.js": "../grader/shardwise/app/static/app.js",
  "src/app/worker.js": "../grader/shardwise/app/static/worker.js",
  "src/app/offline.js": "../grader/shardwise/app/static/offline.js",
  "bank/forms.js": "../shardwise-bank/shardwise_bank/static/forms.js",
};

for (const [source, bundle] of Object.entries(BUNDLES)) {
  await build({
    absWorkingDir: fileURLToPath(new URL(".", import.meta.url)),
    entryPoints: [source],
    outfile: bundle,
    external: ["shardwise:desk"],
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    legalComments: "eof",
  });
}
