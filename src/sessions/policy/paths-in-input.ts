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
  /^(?:\*\*\* (?:Add|Update|Delete) File: |\*\*\* Move to: |Index: |\+\+\+ |--- |rename (?:from|to) |copy (?:from|to) )(.+)$/gm;

/** Every path a tool's input names. One too many only means that the user is asked. */
export function pathsInInput(input: Json, level = 0): string[] {
  if (level > LEVELS_MAX || typeof input !== "object" || input === null) return [];
  if (Array.isArray(input)) return input.flatMap((item) => pathsInInput(item, level + 1));
  return Object.entries(input).flatMap(([key, value]) => [
    // Some agents list changes by the file they change.
    ...(key.startsWith("/") ? [key] : []),
    ...pathsInValue(snakeCase(key), value, level),
  ]);
}

function pathsInValue(key: string, value: Json, level: number): string[] {
  if (typeof value === "string") return pathsInText(key, value);
  if (Array.isArray(value)) return value.flatMap((item) => pathsInValue(key, item, level + 1));
  return pathsInInput(value, level + 1);
}

function pathsInText(key: string, text: string): string[] {
  if (PLACE_KEY.test(key)) return [text.slice(0, PATH_CHARS_MAX)];
  const named = [...text.matchAll(PATCH_LINE)].map(([, path = ""]) => patchPath(path));
  if (named.length > 0) return named.filter((path) => path !== "/dev/null");
  const looksLikeOne = /^(\/|~|\.\.?\/)/.test(text) || text.includes("/../");
  return looksLikeOne && !CONTENT_KEY.test(key) && !text.includes("\n") ? [text.slice(0, PATH_CHARS_MAX)] : [];
}

/** Unified diffs put a letter before the path and a time after it. */
function patchPath(path: string): string {
  const [place = ""] = path.split("\t");
  return place.trim().replace(/^[ab]\//, "");
}

function snakeCase(key: string): string {
  return key
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll("-", "_")
    .toLowerCase();
}
