import type { LanguageModelV3FunctionTool } from "@ai-sdk/provider";
import { type Changed, changeFile, replaceOnce } from "../tools/change-file.ts";
import { listFiles, readTextFile, searchFiles } from "../tools/find-files.ts";
import { runAsked } from "../tools/run-command.ts";
import type { Turn } from "../turn/turn.ts";
import { type JsonObject, stringAt } from "../wire/json.ts";

const READ_LINES_DEFAULT = 2_000;

/** Files and commands of the session's directory: the same tool calls, and the same permission requests, as the guide's. */
export const OWN_TOOLS: readonly ModelTool[] = [
  {
    name: "list_files",
    description: "Lists the files below a directory of this project, without .git and node_modules.",
    inputSchema: texts({ path: "The directory, relative to the project. By default the project itself." }, []),
    async run(turn, input) {
      const listed = await listFiles(turn, stringAt(input, "path") ?? "");
      return listed.ok ? done(listed.text || "There are no files.") : failed(listed.reason);
    },
  },
  {
    name: "read_file",
    description: "Reads a text file of this project.",
    inputSchema: {
      type: "object",
      properties: {
        path: { type: "string", description: "The file, relative to the project." },
        line: { type: "integer", minimum: 1, description: "The first line to give. By default 1." },
        lines: { type: "integer", minimum: 1, description: `How many. By default ${READ_LINES_DEFAULT}.` },
      },
      required: ["path"],
    },
    async run(turn, input) {
      const file = await readTextFile(turn, text(input, "path"));
      return file.ok ? done(someLines(file.text, input)) : failed(file.reason);
    },
  },
  {
    name: "search_files",
    description: "Finds a plain text, in upper or lower case, in the files of this project.",
    inputSchema: texts({ text: "What to look for." }),
    async run(turn, input) {
      const found = await searchFiles(turn, text(input, "text"));
      return found ? done(found.text) : failed("The project cannot be searched.");
    },
  },
  {
    name: "edit_file",
    description: "Replaces one exact text in a file. It must occur exactly once. The user may be asked.",
    inputSchema: texts({ path: "The file.", old: "The text to replace, exactly.", new: "The text to put there." }),
    async run(turn, input) {
      const path = text(input, "path");
      const [before, after] = [text(input, "old"), text(input, "new")];
      if (before === "") return failed("old: say which text to replace. To create a file, use write_file.");
      const rawInput = { path, old: before, new: after };
      return changeAnswer(path, await changeFile(turn, path, replaceOnce(path, before, after), rawInput));
    },
  },
  {
    name: "write_file",
    description: "Creates a file, or replaces all of its text. The user may be asked.",
    inputSchema: texts({ path: "The file.", text: "All of its text." }),
    async run(turn, input) {
      const [path, newText] = [text(input, "path"), text(input, "text")];
      return changeAnswer(path, await changeFile(turn, path, () => ({ newText }), { path, text: newText }));
    },
  },
  {
    name: "run_command",
    description: "Runs a shell command in the project's directory and waits for its end. The user may be asked.",
    inputSchema: texts({ command: "The command line, for /bin/sh." }),
    async run(turn, input) {
      const end = await runAsked(turn, text(input, "command"));
      if (end === "rejected") return failed("The user does not want this command to run.");
      if (end === "read-only") return failed("The session is read-only: commands are off.");
      const { exitCode, signal, output } = end;
      const how = signal === null ? `Exit code ${exitCode}.` : `Ended by ${signal}.`;
      return exitCode === 0 ? done(output || "No output.") : failed(`${how}\n${output}`);
    },
  },
];

/** A call without what it needs; the model reads why. */
export class InputError extends Error {
  override readonly name = "InputError";
}

function text(input: JsonObject, key: string): string {
  const found = stringAt(input, key);
  if (found === undefined) throw new InputError(`${key}: must be a string.`);
  return found;
}

function texts(properties: Readonly<Record<string, string>>, required = Object.keys(properties)) {
  const described = Object.entries(properties).map(([name, description]) => [name, { type: "string", description }]);
  return { type: "object" as const, properties: Object.fromEntries(described), required };
}

function someLines(whole: string, input: JsonObject): string {
  const first = typeof input["line"] === "number" ? Math.max(1, Math.floor(input["line"])) : 1;
  const count = typeof input["lines"] === "number" ? Math.max(1, Math.floor(input["lines"])) : READ_LINES_DEFAULT;
  const lines = whole.split("\n");
  const given = lines.slice(first - 1, first - 1 + count);
  const left = lines.length - (first - 1) - given.length;
  return left > 0
    ? `${given.join("\n")}\n[${left} more lines; go on at line ${first + given.length}]`
    : given.join("\n");
}

function changeAnswer(path: string, changed: Changed): ToolAnswer {
  switch (changed.outcome) {
    case "created":
    case "changed":
      return done(`${path} was ${changed.outcome}.`);
    case "rejected":
      return failed("The user does not want this change.");
    case "read-only":
      return failed("The session is read-only: edits are off.");
    case "moved":
      return failed(`${path} changed in the meantime. Read it again.`);
    case "refused":
      return failed(changed.reason);
    default:
      return changed satisfies never;
  }
}

/** What a call is answered with; an error is for the model to read and to do better. */
export type ToolAnswer = { readonly text: string; readonly isError: boolean };

/** Something the model can call. */
export type ModelTool = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: LanguageModelV3FunctionTool["inputSchema"];
  run(turn: Turn, input: JsonObject): Promise<ToolAnswer>;
};

/** What one call may put into the model's context. */
const ANSWER_CHARACTERS_MAX = 30_000;

/** Beginning and end of what is too long, with a word about what is missing. */
export function bounded(text: string, charactersMax = ANSWER_CHARACTERS_MAX): string {
  if (text.length <= charactersMax) return text;
  const half = Math.floor(charactersMax / 2);
  const left = text.length - 2 * half;
  return `${text.slice(0, half)}\n[${left} characters left out]\n${text.slice(-half)}`;
}

export function done(text: string): ToolAnswer {
  return { text: bounded(text), isError: false };
}

export function failed(text: string): ToolAnswer {
  return { text: bounded(text), isError: true };
}
