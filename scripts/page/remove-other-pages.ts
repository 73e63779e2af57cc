import { readFileSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import type { PageManifest } from "./page-manifest.ts";

/** Removes everything from dist/ but the current page: a package has no running server and no open tab. */
export async function removeOtherPages(dist: string): Promise<void> {
  const { pages, assets }: PageManifest = JSON.parse(readFileSync(join(dist, "manifest.json"), "utf8"));
  const files = [...Object.values(pages), ...Object.values(assets).map(({ file }) => file)];
  const current = new Set(["manifest.json", ...files.flatMap((file) => [file, `${file}.gz`, `${file}.br`])]);
  for (const entry of await readdir(dist, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !current.has(relative(dist, path))) await rm(path, { force: true });
  }
}
