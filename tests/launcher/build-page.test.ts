import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { readdir, utimes } from "node:fs/promises";
import { runInNewContext } from "node:vm";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { buildPage } from "../../scripts/page/build-page.ts";
import type { PageManifest } from "../../scripts/page/page-manifest.ts";
import { type TempDir, tempDir } from "../support/temp-dir.ts";
import { SAMPLE_PAGE, writeTree } from "./sample-package.ts";

async function samplePage(): Promise<TempDir> {
  const dir = await tempDir();
  await writeTree(dir.path, SAMPLE_PAGE);
  return dir;
}

async function bytesOf(dir: TempDir, file: string): Promise<Uint8Array> {
  return Bun.file(dir.join("dist", file)).bytes();
}

function read(dir: TempDir, file: string | undefined): string {
  return readFileSync(dir.join("dist", file ?? "not in the manifest"), "utf8");
}

const TYPES: Readonly<Record<string, string>> = { css: "text/css", js: "text/javascript", png: "image/png" };

test("every asset is there, hashed by content, with its compressed twins and true sizes", async () => {
  await using dir = await samplePage();
  const { assets } = await buildPage(dir.path);
  expect(Object.keys(assets)).toEqual(
    expect.arrayContaining(["shell.js", "portlet.js", "highlight-worker.js", "shell.css", "portlet.css"]),
  );
  for (const [name, { file, bytes, gzipBytes, brotliBytes, type }] of Object.entries(assets)) {
    const [content, gzipped, brotli] = await Promise.all(["", ".gz", ".br"].map((twin) => bytesOf(dir, file + twin)));
    expect(file).toMatch(/^assets\/[\w-]+-[a-z0-9]{8,13}\.(js|css|png)$/);
    expect({ bytes, gzipBytes, brotliBytes }).toEqual({
      bytes: content?.length ?? 0,
      gzipBytes: gzipped?.length ?? 0,
      brotliBytes: brotli?.length ?? 0,
    });
    expect(gunzipSync(gzipped ?? "").toString()).toBe(Buffer.from(content ?? []).toString());
    expect(brotliDecompressSync(brotli ?? "").toString()).toBe(Buffer.from(content ?? []).toString());
    expect(type).toStartWith(TYPES[name.split(".").at(-1) ?? ""] ?? "no type");
  }
});

test("documents name the hashed files and preload what is needed at once, not what is lazy", async () => {
  await using dir = await samplePage();
  const { assets, pages } = await buildPage(dir.path);
  const chunkWith = (text: string) =>
    Object.values(assets).find(({ file }) => file.includes("chunk-") && read(dir, file).includes(text))?.file;
  expect(read(dir, pages["shell"])).toBe(
    `<head><script src="/${assets["theme.js"]?.file}"></script><link href="/${assets["shell.css"]?.file}">` +
      `<script src="/${assets["shell.js"]?.file}"></script>` +
      `<link rel="modulepreload" href="/${chunkWith("hello from")}"></head>`,
  );
  expect(chunkWith("only when asked")).toBeDefined();
  expect(read(dir, pages["portlet"])).toContain(`data-worker="/${assets["highlight-worker.js"]?.file}"`);
  expect(read(dir, assets["shell.css"]?.file)).toContain("--ink:#123456");
});

test("a standalone script runs as one classic file and leaves nothing in the global scope", async () => {
  await using dir = await samplePage();
  const { assets } = await buildPage(dir.path);
  const said: string[] = [];
  const scope = { console: { log: (...words: string[]) => said.push(words.join(" ")) }, location: { href: "here" } };
  const names = () => Object.keys(scope).sort();
  const before = names();
  runInNewContext(read(dir, assets["theme.js"]?.file), scope);
  expect(said).toEqual(["hello from theme here"]);
  expect(names()).toEqual(before);
});

test("a changed source changes the names of exactly what contains it", async () => {
  await using dir = await samplePage();
  const before = await buildPage(dir.path);
  await writeTree(dir.path, { "src/ui/styles/base.css": ":root { --ink: #654321; }" });
  const after = await buildPage(dir.path);
  const changed = Object.keys(before.assets).filter((name) => before.assets[name]?.file !== after.assets[name]?.file);
  expect(changed).toEqual(["shell.css"]);
  expect(after.builtFrom).not.toBe(before.builtFrom);
  expect(after.pages["shell"]).not.toBe(before.pages["shell"]);
  expect(after.pages["portlet"]).toBe(before.pages["portlet"]);
});

test("a reader of the manifest finds every file it names while builds run in parallel", async () => {
  await using dir = await samplePage();
  await buildPage(dir.path);
  const seen = new Set<string>();
  let isBuilding = true;
  const reading = (async () => {
    while (isBuilding) {
      const manifest: PageManifest = JSON.parse(read(dir, "manifest.json"));
      const files = [...Object.values(manifest.pages), ...Object.values(manifest.assets).map(({ file }) => file)];
      expect(files.filter((file) => !existsSync(dir.join("dist", file)))).toEqual([]);
      seen.add(manifest.builtFrom);
      await Bun.sleep(0);
    }
  })();
  const script = `${import.meta.dirname}/../../scripts/build-page.ts`;
  for (const word of ["one", "two", "three"]) {
    await writeTree(dir.path, { "src/ui/lazy.ts": `export const later = () => console.log("${word}");` });
    const builds = [1, 2].map(() => Bun.spawn([process.execPath, script, "--root", dir.path]).exited);
    expect(await Promise.all(builds)).toEqual([0, 0]);
  }
  isBuilding = false;
  await reading;
  expect(seen.size).toBeGreaterThan(1);
});

test("files of the former page stay for a day, then go", async () => {
  await using dir = await samplePage();
  const former = (await buildPage(dir.path)).assets["portlet.css"]?.file ?? "";
  await writeTree(dir.path, { "src/frame/styles/portlet.css": "body { color: blue; }" });
  await buildPage(dir.path);
  expect(existsSync(dir.join("dist", former))).toBe(true);
  const twoDaysAgo = Date.now() / 1_000 - 2 * 24 * 3_600;
  await utimes(dir.join("dist", former), twoDaysAgo, twoDaysAgo);
  await buildPage(dir.path);
  expect(existsSync(dir.join("dist", former))).toBe(false);
});

test("a build that fails leaves the former page as it was", async () => {
  await using dir = await samplePage();
  await buildPage(dir.path);
  const before = (await readdir(dir.join("dist"), { recursive: true })).sort();
  await writeTree(dir.path, { "src/page/shell.html": "{{asset:no-such.js}}" });
  const mistake = "src/page/shell.html: {{asset:no-such.js}} names no asset; there are";
  await expect(buildPage(dir.path)).rejects.toThrow(mistake);
  expect((await readdir(dir.join("dist"), { recursive: true })).sort()).toEqual(before);
});

test("a missing entry is named together with the table that asks for it", async () => {
  await using dir = await tempDir();
  await expect(buildPage(dir.path)).rejects.toThrow(/src\/page\/main\.tsx.*scripts\/page\/page-entries\.ts/);
});
