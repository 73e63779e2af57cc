import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** The programs of the browser and what they share; an installed package has none of these. */
const PAGE_FOLDERS = ["src/page", "src/frame", "src/ui"];
/** What the page is made of, relative to the package: folders whole, files alone. */
const PAGE_SOURCES = [
  ...PAGE_FOLDERS,
  "src/client",
  "src/presentation",
  "src/protocol",
  "src/lib",
  "scripts/build-page.ts",
  "scripts/page",
  "package-lock.json",
];
/** Tests, and what editors leave beside a file while it is open. */
const NOT_IN_THE_PAGE = /\.test\.tsx?$|(^|\/)\./;

/** One hash over every source of the page: equal means nothing to build, whatever a copy or a checkout did to the times. */
export function pageFingerprint(root) {
  const hash = createHash("sha256");
  for (const path of PAGE_SOURCES.flatMap((source) => filesUnder(root, source))) {
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update("\0");
  }
  return hash.digest("hex").slice(0, 32);
}

/** Whether dist/ holds the page of exactly these sources. An installed package has the page and not what it is made of. */
export function pageIsCurrent(root) {
  const built = builtFrom(join(root, "dist", "manifest.json"));
  if (built !== undefined && PAGE_FOLDERS.every((folder) => !existsSync(join(root, folder)))) return true;
  return built === pageFingerprint(root);
}

function filesUnder(root, path) {
  const found = statSync(join(root, path), { throwIfNoEntry: false });
  if (found === undefined || NOT_IN_THE_PAGE.test(path)) return [];
  if (!found.isDirectory()) return [path];
  return readdirSync(join(root, path))
    .sort()
    .flatMap((name) => filesUnder(root, `${path}/${name}`));
}

function builtFrom(manifestPath) {
  try {
    return JSON.parse(readFileSync(manifestPath, "utf8")).builtFrom;
  } catch {
    return undefined; // no page yet, or one that cannot be read: both are mended by building
  }
}
