#!/usr/bin/env node
// Starts the app: finds the pinned Bun, brings the page up to date, hands over. Plain JavaScript, since Node runs it as it is.
import { join } from "node:path";
import { pageIsCurrent } from "./page-sources.mjs";
import { PACKAGE_ROOT, runBun } from "./run-bun.mjs";

const args = process.argv.slice(2);
const [command = "serve"] = args;

const asksForHelp = args.includes("--help") || args.includes("-h");

if (command === "serve" && !asksForHelp && !pageIsCurrent(PACKAGE_ROOT)) {
  const code = await runBun([join(PACKAGE_ROOT, "scripts", "build-page.ts")]);
  if (code !== 0) process.exit(code);
}
process.exit(await runBun([join(PACKAGE_ROOT, "src", "cli", "main.ts"), ...args]));
