import { existsSync, realpathSync } from "node:fs";
import { lstat, readFile } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { listFiles } from "../../src/workspace/list-files.ts";
import { ToolCall, textContent } from "../turn/tool-call.ts";
import type { Turn } from "../turn/turn.ts";
import { FILE_BYTES_MAX, isUnreadable, resolveInside } from "./file-access.ts";

const LIST_LIMITS = { filesMax: 100_000, durationMsMax: 10_000 };
const FOUND_FILES_MAX = 500;
const MATCHES_MAX = 200;
const SEARCH_MS_MAX = 20_000;
const LINE_CHARACTERS_MAX = 300;
const CONTEXT_LINES_MAX = 10;
/** Lines of minified code: only their start is searched, so that one file cannot hold up all sessions. */
const SEARCHED_LINE_CHARACTERS_MAX = 10_000;

/** A result as text, or why there is none. */
type Search = { readonly ok: boolean; readonly text: string };

/** Files whose path matches a glob, as Git sees the project: ignored files are not found. */
export async function findByName(turn: Turn, pattern: string, directory: string): Promise<Search> {
  const rawInput = { pattern, path: directory };
  const tool = new ToolCall(turn, { title: `Find ${pattern}`, name: "find", kind: "search", rawInput });
  const files = await filesBelow(turn, tool, directory);
  if (!files.ok) return files;
  const matches = matcherOf(pattern);
  const found = files.paths.filter(matches);
  const shown = found.slice(0, FOUND_FILES_MAX);
  const isCut = found.length > shown.length || files.isPartial;
  const text = [...shown, ...(isCut ? [`… there is more; give a narrower pattern`] : [])].join("\n") || "No file.";
  tool.complete({ content: [textContent(text)], rawOutput: { files: shown.length, truncated: isCut } });
  return { ok: true, text };
}

/** What to look for in the text of files. */
type TextSearch = {
  readonly pattern: string;
  readonly path: string;
  readonly glob: string | undefined;
  readonly isLiteral: boolean;
  readonly ignoresCase: boolean;
  readonly contextLines: number;
};

/** Lines that match a regular expression, in linear time, in the files that Git lists. */
export async function searchText(turn: Turn, search: TextSearch): Promise<Search> {
  const title = `Search for ${search.isLiteral ? `"${search.pattern}"` : `/${search.pattern}/`}`;
  const tool = new ToolCall(turn, { title, name: "search", kind: "search", rawInput: search });
  const isMatch = await lineMatcher(search);
  if (typeof isMatch === "string") {
    tool.fail(isMatch);
    return { ok: false, text: isMatch };
  }
  const files = await filesBelow(turn, tool, search.path);
  if (!files.ok) return files;
  const deadline = AbortSignal.timeout(SEARCH_MS_MAX);
  const paths = search.glob === undefined ? files.paths : files.paths.filter(matcherOf(search.glob));
  const lines: string[] = [];
  const locations: { path: string; line: number }[] = [];
  let isCut = files.isPartial;
  for (const path of paths) {
    turn.signal.throwIfAborted();
    isCut ||= deadline.aborted;
    if (deadline.aborted || locations.length >= MATCHES_MAX) break;
    const whole = join(files.root, path);
    const found = matchesIn(await readSearchable(whole), isMatch, MATCHES_MAX - locations.length);
    if (found.at.length === 0) continue;
    locations.push(...found.at.map((line) => ({ path: whole, line: line + 1 })));
    lines.push(...shownLines(path, found.lines, found.at, Math.min(search.contextLines, CONTEXT_LINES_MAX)));
  }
  isCut ||= locations.length >= MATCHES_MAX;
  if (isCut) lines.push("… there may be more: search in a narrower place");
  const text = lines.join("\n") || "No match.";
  tool.complete({
    content: [textContent(text)],
    locations,
    rawOutput: { matches: locations.length, truncated: isCut },
  });
  return { ok: true, text };
}

type Files =
  | { readonly ok: true; readonly root: string; readonly paths: readonly string[]; readonly isPartial: boolean }
  | { readonly ok: false; readonly text: string };

/** Paths are relative to the session's directory, as the other tools expect them. */
async function filesBelow(turn: Turn, tool: ToolCall, directory: string): Promise<Files> {
  const [root, place] = [resolveInside(turn.cwd, "."), resolveInside(turn.cwd, directory || ".")];
  if (!root.ok || !place.ok) {
    const reason = place.ok ? "The project cannot be searched." : place.reason;
    tool.fail(reason);
    return { ok: false, text: reason };
  }
  tool.run();
  const listed = await listFiles(place.path, LIST_LIMITS);
  turn.signal.throwIfAborted();
  const base = relative(root.path, place.path);
  const paths = listed.paths.map((path) => (base === "" ? path : `${base}/${path}`));
  // In a directory around it, such as the home directory, the data of the app is not part of the project.
  const own = ownData(turn);
  const inside = own === undefined ? paths : paths.filter((path) => !join(root.path, path).startsWith(own));
  return { ok: true, root: root.path, paths: inside.toSorted(), isPartial: listed.isPartial };
}

function ownData(turn: Turn): string | undefined {
  const file = turn.context.world.env["LIMINAL_MODEL_FILE"];
  return file && existsSync(dirname(file)) ? realpathSync(dirname(file)) + sep : undefined;
}

/** A pattern without a slash is for names in all directories. */
function matcherOf(pattern: string): (path: string) => boolean {
  const glob = new Bun.Glob(pattern.replace(/^\.?\//, ""));
  return pattern.includes("/") ? (path) => glob.match(path) : (path) => glob.match(basename(path));
}

async function lineMatcher({
  pattern,
  isLiteral,
  ignoresCase,
}: TextSearch): Promise<((line: string) => boolean) | string> {
  if (isLiteral && !ignoresCase) return (line) => line.includes(pattern);
  const { RE2JS, RE2JSException } = await import("re2js");
  try {
    const words = isLiteral ? RE2JS.quote(pattern) : pattern;
    const compiled = RE2JS.compile(words, ignoresCase ? RE2JS.CASE_INSENSITIVE : 0);
    return (line) => compiled.matcher(line).find();
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return `pattern: not a regular expression here (${error.message}). Lookaround and backreferences are not supported; "literal": true searches for the text as it is.`;
  }
}

function matchesIn(text: string, isMatch: (line: string) => boolean, max: number): { lines: string[]; at: number[] } {
  if (text === "" || text.includes("\0")) return { lines: [], at: [] };
  const lines = text.split(/\r?\n/);
  const at: number[] = [];
  for (const [index, line] of lines.entries()) {
    if (at.length >= max) break;
    if (isMatch(line.slice(0, SEARCHED_LINE_CHARACTERS_MAX))) at.push(index);
  }
  return { lines, at };
}

/** `path:line: text` for matches, `path-line- text` for the lines around them. */
function shownLines(path: string, lines: readonly string[], at: readonly number[], around: number): string[] {
  const matched = new Set(at);
  const shown = new Set(
    at.flatMap((line) => Array.from({ length: 2 * around + 1 }, (_, step) => line - around + step)),
  );
  return [...shown]
    .filter((line) => line >= 0 && line < lines.length)
    .toSorted((a, b) => a - b)
    .map((line) => {
      const mark = matched.has(line) ? ":" : "-";
      return `${path}${mark}${line + 1}${mark} ${(lines[line] ?? "").trimEnd().slice(0, LINE_CHARACTERS_MAX)}`;
    });
}

/** Empty for files that are too large, missing, not accessible, or no files. */
async function readSearchable(path: string): Promise<string> {
  try {
    // A link may lead out of the project.
    const found = await lstat(path);
    return found.isFile() && found.size <= FILE_BYTES_MAX ? await readFile(path, "utf8") : "";
  } catch (error) {
    if (isUnreadable(error)) return "";
    throw error;
  }
}
