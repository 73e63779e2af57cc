import type { Json } from "../../protocol/json.ts";

const LEVELS_MAX = 6;
const PATH_CHARS_MAX = 4_096;
/** Keys whose value is a place, whatever it looks like. */
const PLACE_KEY =
  /(^|_)(path|paths|file|files|filename|filepath|filepaths|notebook|dir|directory|directories|folder|uri|target|source|src|destination|dest|dst|from|to)$/;
/** Keys whose value is content, in which anything may stand. */
const CONTENT_KEY =
  /(^|_)(content|contents|text|string|str|old|new|description|explanation|prompt|query|pattern|code)$/;
/** Patches name the files they change in lines of their own. */
const PATCH_LINE =
  /^[ \t]*(?:\*\*\* (?:Add|Update|Delete) File: |\*\*\* Move to: |\*\*\* (?!Begin |End )|Index: |\+\+\+ |--- |rename (?:from|to) |copy (?:from|to) )(.+)$/gm;
/** For a file that only changes its mode, or that is not text, there is no other line. */
const GIT_LINE = /^[ \t]*diff --git (.+)$/gm;

/** The paths that a tool's input names, and in words what about them cannot be read. */
export interface InputPaths {
  readonly paths: readonly string[];
  readonly doubts: readonly string[];
}

/** Every path a tool's input names. One too many only means that the user is asked; what is not read is a doubt. */
export function pathsInInput(input: Json): InputPaths {
  const found: Found = { paths: [], doubts: new Set() };
  readValue("", input, 0, found);
  return { paths: found.paths, doubts: [...found.doubts] };
}

interface Found {
  readonly paths: string[];
  readonly doubts: Set<string>;
}

function readValue(key: string, value: Json, level: number, found: Found): void {
  if (typeof value === "string") readText(key, value, found);
  else if (typeof value !== "object" || value === null) return;
  else if (level > LEVELS_MAX) found.doubts.add("what it is given is nested too deeply to be read");
  else if (Array.isArray(value)) for (const item of value) readValue(key, item, level + 1, found);
  else
    for (const [name, inside] of Object.entries(value)) {
      // Some agents list changes by the file they change.
      if (/[/\\]|^[.~]/.test(name)) addPath(name, found);
      readValue(snakeCase(name), inside, level + 1, found);
    }
}

function readText(key: string, text: string, found: Found): void {
  if (PLACE_KEY.test(key)) {
    addPath(text, found);
    return;
  }
  const named = [
    ...[...text.matchAll(PATCH_LINE)].map(([, path = ""]) => path),
    ...[...text.matchAll(GIT_LINE)].flatMap(([, both = ""]) => both.split(/\s+/)),
  ];
  for (const path of named.flatMap(patchPaths)) addPath(path, found);
  if (named.length > 0) return;
  const looksLikeOne = /^(\/|~|\.\.?\/)/.test(text) || text.includes("/../");
  if (looksLikeOne && !CONTENT_KEY.test(key) && !text.includes("\n")) addPath(text, found);
}

function addPath(path: string, found: Found): void {
  if (path.length > PATH_CHARS_MAX) found.doubts.add("a path is too long to be read");
  else found.paths.push(path);
}

/** Unified diffs may put a letter before the path, and a time after it: `a/x` is `x` or really `a/x`, so both count. */
function patchPaths(named: string): readonly string[] {
  const [place = ""] = named.split("\t");
  // A name in quotes means the name without them.
  const path = place.trim().replace(/^"(.*)"$/, "$1");
  if (path === "" || path === "/dev/null") return [];
  return [...new Set([path, path.replace(/^[a-z]\//, "")])];
}

function snakeCase(key: string): string {
  return key
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll("-", "_")
    .toLowerCase();
}
