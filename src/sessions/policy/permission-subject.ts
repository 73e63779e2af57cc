import type { Json } from "../../protocol/json.ts";
import { FILE_KINDS } from "../../protocol/permission-policy.ts";
import type { PermissionToolCall } from "../../protocol/session-parts.ts";
import { type McpTool, mcpToolOf } from "./mcp-tool.ts";

/** What a request is about, collected from all the fields that agents use. */
export interface PermissionSubject {
  readonly kind: string;
  readonly name: string;
  /** The exact command: a line for a shell, or arguments that are passed to the program unchanged. */
  readonly command: string | readonly string[] | null;
  /** A tool of an MCP server; then it is not a command, whatever kind the agent gives it. */
  readonly tool: McpTool | null;
  /** The session's directory. */
  readonly root: string;
  /** Where it would run. */
  readonly cwd: string;
  /** Every path it names, absolute, with `..` and links unchanged. */
  readonly paths: readonly string[];
  /** What cannot be judged about it, as text. */
  readonly doubts: readonly string[];
}

/** A command with one of these is not everything that would run. */
const MORE_THAN_THE_COMMAND = [
  "args",
  "arguments",
  "argv",
  "env",
  "environment",
  "stdin",
  "shell",
  "dangerouslyDisableSandbox",
];
const INPUT_LEVELS_MAX = 6;
const KEY_CHARS_MAX = 100;
/** Keys, letters only, that name the working directory of any tool. */
const WORKING_DIRECTORY = /^(cwd|pwd|chdir|(current|initial|start|starting)?work(ing)?(dir|directory|folder|path))$/;
/** The same for a command, which has no other use for a directory. */
const RUN_DIRECTORY =
  /^((absolute|base|chdir|command|current|cwd|exec|execution|initial|process|project|repo|repository|root|run|shell|start|starting|target|work|working|workspace)*(cwd|pwd|chdir|dir|directory|folder|root|path|dirpath|directorypath|folderpath|location)|repo|workspace)$/;
/** Editing tools also name their action a command. */
const EDITOR_COMMAND = /^(view|create|read|write|edit|str_replace|insert|undo_edit)$/;

/** Reads what a tool call is about; relative paths start from `cwd`. */
export function describeRequest(toolCall: PermissionToolCall, cwd: string): PermissionSubject {
  const { name, kind = "other", parts = [], locations = [] } = toolCall;
  const input = isRecord(toolCall.input) ? toolCall.input : {};
  const tool = mcpToolOf(toolCall);
  const { command, doubts } = tool ? { command: null, doubts: [] } : commandIn(input, kind);
  const places = directoriesIn(input, command !== null);
  const own = places.directories[0] ?? "";
  const ranIn = own === "" ? cwd : absolute(own, cwd);
  const read = command === null ? pathsInInput(toolCall.input ?? null) : { paths: [], doubts: [] };
  const named = [
    ...locations.map(({ path }) => path),
    ...parts.flatMap((part) => (part.type === "diff" ? [part.path] : [])),
    ...read.paths,
  ];
  // Whether a tool starts from its own directory or from the session's is unknown, so both count.
  const paths = [
    ...new Set(named.filter((path) => path !== "").flatMap((path) => [ranIn, cwd].map((from) => absolute(path, from)))),
  ];
  return {
    kind,
    name,
    command,
    tool,
    root: cwd,
    cwd: ranIn,
    paths,
    doubts: [...new Set([...doubts, ...places.doubts, ...read.doubts, ...[own, ...named].flatMap(pathDoubt)])],
  };
}

/** What the request is about, in one line. */
export function subjectWords({ command, paths, name }: PermissionSubject): string {
  if (command !== null) return typeof command === "string" ? command : command.join(" ");
  return paths.length > 0 ? paths.join(", ") : name;
}

interface InputDirectories {
  readonly directories: readonly string[];
  readonly doubts: readonly string[];
}

/** Where a tool runs, by any of the names that agents use, at any depth. */
function directoriesIn(input: Json, runsCommand: boolean): InputDirectories {
  const found = new Set<string>();
  const doubts = new Set<string>();
  const look = (value: Json, level: number) => {
    if (typeof value !== "object" || value === null) return;
    if (level > INPUT_LEVELS_MAX) {
      if (runsCommand) doubts.add("its input is nested too deeply");
      return;
    }
    for (const [key, inside] of Object.entries(value)) {
      const name = key
        .slice(0, KEY_CHARS_MAX)
        .toLowerCase()
        .replace(/[^a-z]/g, "");
      const isDirectory = (runsCommand ? RUN_DIRECTORY : WORKING_DIRECTORY).test(name);
      if (!isDirectory || inside === null || inside === "") look(inside, level + 1);
      else if (typeof inside === "string") found.add(inside);
      else doubts.add("its working directory cannot be read");
    }
  };
  look(input, 0);
  if (found.size > 1) doubts.add("it names more than one working directory");
  return { directories: [...found], doubts: [...doubts] };
}

function commandIn(input: Readonly<Record<string, Json>>, kind: string): Pick<PermissionSubject, "command" | "doubts"> {
  const given = [input["command"], input["cmd"]].filter(
    (value) => value !== undefined && value !== null && value !== "",
  );
  const [command] = given;
  if (typeof command === "string" && FILE_KINDS.has(kind) && EDITOR_COMMAND.test(command))
    return { command: null, doubts: [] };
  const doubts = [
    ...(given.length > 1 && input["command"] !== input["cmd"] ? ["it names two commands"] : []),
    ...(given.length > 0 ? MORE_THAN_THE_COMMAND.filter((key) => isGiven(input[key])) : []).map(
      (key) => `it has ${key} in addition to the command`,
    ),
  ];
  if (typeof command === "string") return { command, doubts };
  if (Array.isArray(command) && command.every((word) => typeof word === "string")) return { command, doubts };
  if (command !== undefined || kind === "execute")
    return { command: null, doubts: [...doubts, "the request does not contain the command"] };
  return { command: null, doubts };
}

/** Joined and not normalized: whoever opens the path may follow a link before it goes up. */
function absolute(path: string, cwd: string): string {
  return path.startsWith("/") ? path : `${cwd}/${path}`;
}

function pathDoubt(path: string): string[] {
  if (path.startsWith("~")) return ["a path starts with ~"];
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(path)) return ["a path is a URL"];
  if (/%(2e|2f|5c)/i.test(path)) return ["a path contains escape codes"];
  return /[\\\n]/.test(path) ? ["a path contains an invalid character"] : [];
}

function isGiven(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === false || value === "") return false;
  return typeof value !== "object" || Object.keys(value).length > 0;
}

function isRecord(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const LEVELS_MAX = 6;
const PATH_CHARS_MAX = 4_096;
/** Keys whose value is a path, whatever it looks like. */
const PLACE_KEY =
  /(^|_)(path|paths|file|files|filename|filepath|filepaths|notebook|dir|directory|directories|folder|uri|target|source|src|destination|dest|dst|from|to)$/;
/** Keys whose value is content, which may be anything. */
const CONTENT_KEY =
  /(^|_)(content|contents|text|string|str|old|new|description|explanation|prompt|query|pattern|code)$/;
/** Patches name the files they change in separate lines. */
const PATCH_LINE =
  /^[ \t]*(?:\*\*\* (?:Add|Update|Delete) File: |\*\*\* Move to: |\*\*\* (?!Begin |End )|Index: |\+\+\+ |--- |rename (?:from|to) |copy (?:from|to) )(.+)$/gm;
/** For a file that only changes its mode, or that is not text, there is no other line. */
const GIT_LINE = /^[ \t]*diff --git (.+)$/gm;

/** The paths in a tool's input, and what cannot be read about them, as text. */
interface InputPaths {
  readonly paths: readonly string[];
  readonly doubts: readonly string[];
}

/** Every path in a tool's input. One too many only means that the user is asked; anything unread is a doubt. */
function pathsInInput(input: Json): InputPaths {
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
  else if (level > LEVELS_MAX) found.doubts.add("its input is nested too deeply");
  else if (Array.isArray(value)) for (const item of value) readValue(key, item, level + 1, found);
  else
    for (const [name, inside] of Object.entries(value)) {
      // Some agents list changes by file.
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
  if (path.length > PATH_CHARS_MAX) found.doubts.add("a path is too long");
  else found.paths.push(path);
}

/** Unified diffs may put a letter before the path, and a time after it: `a/x` is `x` or really `a/x`, so both count. */
function patchPaths(named: string): readonly string[] {
  const [place = ""] = named.split("\t");
  // A quoted name means the name without quotes.
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
