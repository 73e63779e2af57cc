import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join, resolve } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { barredNames } from "./barred-names.ts";
import { deadDocPaths, namedBy } from "./doc-paths.ts";
import { folderCycles } from "./folder-cycles.ts";
import { gitStarts } from "./git-starts.ts";
import { hastyLooks } from "./hasty-looks.ts";
import { holderOpinions } from "./holder-opinions.ts";
import { importCycles } from "./import-cycles.ts";
import { wrongArrows } from "./import-map.ts";
import { barrels, leftoverMarkers, swallowedErrors } from "./leftovers.ts";
import { pageDangers } from "./page-dangers.ts";
import { publicFileViolations } from "./public-files.ts";
import { machinePaths, registryAddresses, type TrackedFile } from "./repository-hygiene.ts";
import { isProduct, readSources } from "./source-file.ts";
import { reachesForTheWorld } from "./world-access.ts";

const LIST_BYTES_MAX = 64 * 1024 * 1024;

const root = resolve(import.meta.dirname, "../..");
const files = readSources(root);

test("imports have the direction that the architecture defines", () => {
  expect(wrongArrows(files)).toEqual([]);
});

test("no file imports itself through others", () => {
  expect(importCycles(files)).toEqual([]);
});

test("no folder imports itself through others, at any depth", () => {
  expect(folderCycles(files.filter(({ path }) => isProduct(path)))).toEqual([]);
});

test("a folder is imported by its public files only", () => {
  expect(publicFileViolations(files)).toEqual({ imports: [], entries: [] });
});

test("files and classes have meaningful names", () => {
  expect(files.flatMap(barredNames)).toEqual([]);
});

test("no notes to self, no barrels, no swallowed errors", () => {
  expect(files.flatMap((file) => [...leftoverMarkers(file), ...barrels(file), ...swallowedErrors(file)])).toEqual([]);
});

test("clock, chance and environment enter where the program is put together", () => {
  expect(files.flatMap(reachesForTheWorld)).toEqual([]);
});

test("the process that holds an agent parses nothing and loads no package (X-19)", () => {
  expect(holderOpinions(files)).toEqual([]);
});

test("one module starts git", () => {
  expect(files.flatMap(gitStarts)).toEqual([]);
});

test("a browser test waits for what it expects of a page", () => {
  expect(files.flatMap(hastyLooks)).toEqual([]);
});

test("the page never turns text into markup or code (NFR-5)", () => {
  expect(files.flatMap(pageDangers)).toEqual([]);
});

test.skipIf(!existsSync(join(root, ".git")))("no file names a machine or a registry", () => {
  const here = [`${root}/`, `${userInfo().homedir}/`].filter((path) => path.split("/").length > 3);
  expect(trackedFiles().flatMap((file) => [...machinePaths(file, here), ...registryAddresses(file)])).toEqual([]);
});

test.skipIf(!existsSync(join(root, ".git")))("documents name only files, folders and scripts that are there", () => {
  const named = namedBy(trackedPaths(), manifest.scripts);
  expect(trackedFiles().flatMap((file) => deadDocPaths(file, named))).toEqual([]);
});

/** What git has or would take. */
function trackedPaths(): string[] {
  // The tests may run as another user than the owner of the clone, as in CI.
  const args = ["-c", "safe.directory=*", "ls-files", "-coz", "--exclude-standard"];
  const list = execFileSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: LIST_BYTES_MAX });
  return list.split("\0").filter((path) => path !== "" && existsSync(join(root, path)));
}

/** Binary files carry no text to judge. */
function trackedFiles(): TrackedFile[] {
  return trackedPaths()
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }))
    .filter(({ text }) => !text.includes("\0"));
}
