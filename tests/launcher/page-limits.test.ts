import { expect, test } from "bun:test";
import { resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { bundlePage, type PageAsset } from "../../scripts/page/bundle-page.ts";
import { PAGE_BUNDLES } from "../../scripts/page/page-entries.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const KB = 1_000;
const GZIP_LEVEL = 9;
const FIRST_LOAD_SCRIPT_KB_MAX = 90;
const SCRIPT_FILES_MAX = 15;
const WORKERS: ReadonlySet<string> = new Set(["highlight-worker.js", "service-worker.js"]);
/** Packages that most visits never need. */
const HEAVY = [/node_modules\/@xterm\//, /node_modules\/qr\//, /node_modules\/highlight\.js\//];

const scripts: readonly PageAsset[] = (
  await Promise.all(
    PAGE_BUNDLES.filter(({ kind }) => kind !== "styles" && kind !== "files").map((bundle) => bundlePage(ROOT, bundle)),
  )
).flat();

/** The scripts that a document needs before it can run: those it names, and all that these import statically. */
function loadedWith(...names: readonly string[]): readonly PageAsset[] {
  const found = new Set(scripts.filter(({ name }) => names.includes(name)));
  for (const { preload } of found) for (const script of scripts) if (preload.includes(script.file)) found.add(script);
  return [...found];
}

test("the first load of the page is at most 90 kB of compressed script", () => {
  const first = loadedWith("theme.js", "shell.js");
  expect(first.length).toBeGreaterThanOrEqual(2);
  const gzipBytes = first.reduce((sum, { content }) => sum + gzipSync(content, { level: GZIP_LEVEL }).byteLength, 0);
  expect(gzipBytes / KB).toBeLessThanOrEqual(FIRST_LOAD_SCRIPT_KB_MAX);
});

test("the page is built into at most 15 scripts besides its workers", () => {
  const files = scripts.filter(({ name }) => !WORKERS.has(name)).map(({ file }) => file);
  expect(files.length).toBeLessThanOrEqual(SCRIPT_FILES_MAX);
});

test("heavy packages that are rarely used are in no script that page or frame load at first", () => {
  const first = loadedWith("theme.js", "shell.js", "portlet.js");
  const found = first.flatMap(({ inputs }) => inputs.filter((input) => HEAVY.some((heavy) => heavy.test(input))));
  expect(found).toEqual([]);
  const later = scripts.filter((script) => !first.includes(script)).flatMap(({ inputs }) => inputs);
  expect(HEAVY.filter((heavy) => !later.some((input) => heavy.test(input)))).toEqual([]);
});
