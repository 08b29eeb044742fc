// Builds the desk: everything under src/ as one ES module, which Python hands to the browser.
// Its first line names a digest of its sources, by which a test without node notices a bundle that is out of date.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const target = process.argv[2] ?? `${here}../grader/shardwise/student/widget/desk.js`;
const sources = (folder) =>
  readdirSync(here + folder, { recursive: true })
    .filter((name) => name.endsWith(".js"))
    .map((name) => `${folder}/${name}`);
const names = ["build.mjs", "package-lock.json", ...sources("src")].sort();
const hash = createHash("sha256");
for (const name of names) hash.update(`${name}\n`).update(readFileSync(here + name));
const digest = hash.digest("hex").slice(0, 12);

await build({
  absWorkingDir: here,
  entryPoints: ["src/desk.js"],
  outfile: target,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  legalComments: "eof",
  banner: { js: `// Built from desk/ by "make desk"; not to be edited. Digest of the sources: ${digest}` },
  define: { DIGEST: JSON.stringify(digest) },
});
