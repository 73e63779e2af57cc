// Brings dist/ up to date: node scripts/bun.mjs scripts/build-page.ts [--force] [--only-current] [--root <package folder>]

import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { pageIsCurrent } from "../bin/page-sources.mjs";
import { buildPage } from "./page/build-page.ts";
import { removeOtherPages } from "./page/remove-other-pages.ts";

const { values } = parseArgs({
  options: {
    force: { type: "boolean", default: false },
    "only-current": { type: "boolean", default: false },
    root: { type: "string", default: `${import.meta.dirname}/..` },
  },
});
const root = resolve(values.root);
process.chdir(root); // Bun's hashes cover paths relative to here: the same sources give the same names from any folder

if (values.force || !pageIsCurrent(root)) {
  const startedAt = performance.now();
  try {
    const files = Object.values((await buildPage(root)).assets);
    const kilobytes = (of: "bytes" | "gzipBytes") => Math.round(files.reduce((sum, file) => sum + file[of], 0) / 1_000);
    const took = Math.round(performance.now() - startedAt);
    // Not on stdout: there, "serve --json" prints its address.
    console.error(
      `page: ${files.length} files, ${kilobytes("bytes")} kB (${kilobytes("gzipBytes")} kB gzipped), built in ${took} ms`,
    );
  } catch (error) {
    console.error("The page could not be built.");
    for (const cause of error instanceof AggregateError ? error.errors : [String(error)]) console.error(cause);
    process.exitCode = 1;
  }
}
if (values["only-current"] && process.exitCode === undefined) await removeOtherPages(join(root, "dist"));
