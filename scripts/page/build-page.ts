import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pageFingerprint } from "../../bin/page-sources.mjs";
import { bundlePage, type PageAsset } from "./bundle-page.ts";
import { fillTemplate } from "./fill-template.ts";
import { PAGE_BUNDLES, PAGE_TEMPLATES } from "./page-entries.ts";
import type { ManifestAsset, PageManifest } from "./page-manifest.ts";
import { publishPage } from "./publish-page.ts";
import { writeCompressed } from "./write-compressed.ts";

/** Builds the page of the package at `root` into its dist/; until the last step none of it is visible. */
export async function buildPage(root: string): Promise<PageManifest> {
  const dist = join(root, "dist");
  requireSources(root);
  // Taken first: a source saved during the build makes the result outdated at once, instead of hiding the change.
  const builtFrom = pageFingerprint(root);
  await mkdir(dist, { recursive: true });
  const stage = await mkdtemp(join(dist, ".building-"));
  try {
    const assets = (await Promise.all(PAGE_BUNDLES.map((bundle) => bundlePage(root, bundle)))).flat();
    const manifest = {
      builtFrom,
      pages: await writePages(root, stage, assets),
      assets: await writeAssets(stage, assets),
    };
    await writeFile(join(stage, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
    await publishPage(stage, dist);
    return manifest;
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

function requireSources(root: string): void {
  const named = [...PAGE_BUNDLES.flatMap(({ entries }) => entries), ...PAGE_TEMPLATES];
  const missing = named.filter(({ source }) => !existsSync(join(root, source)));
  if (missing.length === 0) return;
  const names = missing.map(({ source }) => source).join(", ");
  throw new Error(`The page needs ${names}: add the file, or correct the table in scripts/page/page-entries.ts`);
}

async function writeAssets(stage: string, assets: readonly PageAsset[]): Promise<Record<string, ManifestAsset>> {
  const written = assets.map(async ({ name, file, type, content }) => {
    const path = `assets/${file}`;
    const sizes = await writeCompressed(join(stage, path), content);
    return [name, { file: path, bytes: content.byteLength, ...sizes, type }] as const;
  });
  return Object.fromEntries(await Promise.all(written));
}

/** All are filled before the first is written: a mistake in one leaves nothing half done. */
async function writePages(root: string, stage: string, assets: readonly PageAsset[]): Promise<Record<string, string>> {
  const filled = PAGE_TEMPLATES.map(({ name, source }) => {
    const html = fillTemplate(readFileSync(join(root, source), "utf8"), source, assets);
    return { name, file: `${name}-${Bun.hash(html).toString(36)}.html`, html };
  });
  for (const { file, html } of filled) await writeCompressed(join(stage, file), new TextEncoder().encode(html));
  return Object.fromEntries(filled.map(({ name, file }) => [name, file]));
}
