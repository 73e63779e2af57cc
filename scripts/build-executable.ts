// Builds one file that needs nothing beside it: node scripts/bun.mjs scripts/build-executable.ts [--to <file>]

import { statSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildExecutable } from "./executable/build-executable.ts";

const root = resolve(import.meta.dirname, "..");
const { values } = parseArgs({ options: { to: { type: "string", default: "dist-executable/liminal" } } });
const target = resolve(root, values.to);
const startedAt = performance.now();
try {
  await buildExecutable(root, target);
  const megabytes = Math.round(statSync(target).size / 1_000_000);
  console.log(`executable: ${target}, ${megabytes} MB, built in ${Math.round(performance.now() - startedAt)} ms`);
} catch (error) {
  console.error("The executable could not be built.");
  for (const cause of error instanceof AggregateError ? error.errors : [String(error)]) console.error(cause);
  process.exitCode = 1;
}
