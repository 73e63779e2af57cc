import type { PlanEntry } from "@agentclientprotocol/sdk";
import type { LanguageModelV3FunctionTool } from "@ai-sdk/provider";
import type { BackgroundCommand } from "../sessions/session.ts";
import { type Changed, changeFile, replaceEach, replaceOnce } from "../tools/change-file.ts";
import { fetchPage } from "../tools/fetch-page.ts";
import { listFiles, readTextFile } from "../tools/find-files.ts";
import { COMMAND_MS_DEFAULT, COMMAND_MS_MAX, runAsked, startAsked } from "../tools/run-command.ts";
import { findByName, searchText } from "../tools/search-project.ts";
import type { Turn } from "../turn/turn.ts";
import { isObject, type JsonObject, stringAt } from "../wire/json.ts";

const READ_LINES_DEFAULT = 2_000;
const EDITS_MAX = 100;
const PLAN_STEPS_MAX = 50;
const PLAN_STATUSES = ["pending", "in_progress", "completed"] as const;
const OUTPUT_WAIT_SECONDS_MAX = 300;
const MS_PER_SECOND = 1_000;

/** Files and commands of the session's directory: the same tool calls and permission requests as the guide's. */
export const OWN_TOOLS: readonly ModelTool[] = [
  {
    name: "list_files",
    description: "Lists the files below a directory of this project, without .git and node_modules.",
    inputSchema: texts({ path: "The directory, relative to the project. By default the project itself." }, []),
    isParallel: true,
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
    isParallel: true,
    async run(turn, input) {
      const file = await readTextFile(turn, text(input, "path"));
      return file.ok ? done(someLines(file.text, input)) : failed(file.reason);
    },
  },
  {
    name: "find_files",
    description:
      "Finds files of this project by a glob such as src/**/*.ts or *.md. Files that .gitignore names are left out.",
    inputSchema: texts({ pattern: "The glob.", path: "The directory to look in. By default the project." }, [
      "pattern",
    ]),
    isParallel: true,
    async run(turn, input) {
      const found = await findByName(turn, text(input, "pattern"), stringAt(input, "path") ?? "");
      return found.ok ? done(found.text) : failed(found.text);
    },
  },
  {
    name: "search_files",
    description:
      "Finds lines in the files of this project by a regular expression (RE2: no lookaround). Files that .gitignore names are left out.",
    inputSchema: {
      type: "object",
      properties: {
        pattern: { type: "string", description: "The regular expression." },
        literal: { type: "boolean", description: "Search for the text as it is. By default false." },
        ignore_case: { type: "boolean", description: "By default false." },
        glob: { type: "string", description: "Only in files that match, such as *.ts or src/**/*.css." },
        path: { type: "string", description: "Only in this directory." },
        context_lines: { type: "integer", minimum: 0, maximum: 10, description: "Lines before and after each." },
      },
      required: ["pattern"],
    },
    isParallel: true,
    async run(turn, input) {
      const found = await searchText(turn, {
        pattern: text(input, "pattern"),
        path: stringAt(input, "path") ?? "",
        glob: stringAt(input, "glob"),
        isLiteral: input["literal"] === true,
        ignoresCase: input["ignore_case"] === true,
        contextLines: count(input, "context_lines", 0),
      });
      return found.ok ? done(found.text) : failed(found.text);
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
    name: "edit_files",
    description:
      "Makes several replacements at once, in one file or more. In each file all of them are made or none; each old text must occur exactly once when its turn comes. The user may be asked once per file.",
    inputSchema: {
      type: "object",
      properties: {
        edits: {
          type: "array",
          minItems: 1,
          maxItems: EDITS_MAX,
          items: texts({ path: "The file.", old: "The text to replace, exactly.", new: "The text to put there." }),
        },
      },
      required: ["edits"],
    },
    async run(turn, input) {
      const answers: ToolAnswer[] = [];
      for (const [path, edits] of editsByFile(input)) {
        turn.signal.throwIfAborted();
        const changed = await changeFile(turn, path, replaceEach(path, edits), { path, edits });
        answers.push(changeAnswer(path, changed));
      }
      const words = answers.map((answer) => answer.text).join("\n");
      return answers.some(({ isError }) => isError) ? failed(words) : done(words);
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
    description:
      "Runs a shell command in the project's directory and waits for its end, or starts it in the background. The user may be asked.",
    inputSchema: {
      type: "object",
      properties: {
        command: { type: "string", description: "The command line for /bin/sh." },
        timeout_seconds: {
          type: "integer",
          minimum: 1,
          maximum: COMMAND_MS_MAX / MS_PER_SECOND,
          description: `It is ended after this time. By default ${COMMAND_MS_DEFAULT / MS_PER_SECOND}.`,
        },
        background: {
          type: "boolean",
          description: "Start it and go on, for servers and watchers. It ends with the session.",
        },
      },
      required: ["command"],
    },
    async run(turn, input) {
      const command = text(input, "command");
      if (input["background"] === true) {
        const id = await startAsked(turn, command);
        if (id === "rejected" || id === "read-only") return notRun(id);
        return done(`Started as ${id}. Use command_output to read its output and stop_command to end it.`);
      }
      const limitMs = count(input, "timeout_seconds", COMMAND_MS_DEFAULT / MS_PER_SECOND) * MS_PER_SECOND;
      const end = await runAsked(turn, command, limitMs);
      if (end === "rejected" || end === "read-only") return notRun(end);
      const { exitCode, output, isLate } = end;
      const late = isLate ? `It was ended after ${limitMs / MS_PER_SECOND} s. ` : "";
      return exitCode === 0 ? done(output || "No output.") : failed(`${late}${endWords(end)}\n${output}`);
    },
  },
  {
    name: "command_output",
    description: "The newest output of a command in the background, and whether it still runs.",
    inputSchema: {
      type: "object",
      properties: {
        id: { type: "string", description: "As run_command gave it." },
        wait_seconds: {
          type: "integer",
          minimum: 0,
          maximum: OUTPUT_WAIT_SECONDS_MAX,
          description: "Wait up to this long for its end. By default 0.",
        },
      },
      required: ["id"],
    },
    async run(turn, input) {
      const command = backgroundCommand(turn, input);
      const waitSeconds = Math.min(count(input, "wait_seconds", 0), OUTPUT_WAIT_SECONDS_MAX);
      if (waitSeconds > 0) await Promise.race([command.ended, turn.pause(waitSeconds * MS_PER_SECOND)]);
      return done(`${command.end ? endWords(command.end) : "It still runs."}\n${command.output() || "No output yet."}`);
    },
  },
  {
    name: "stop_command",
    description: "Ends a command in the background.",
    inputSchema: texts({ id: "As run_command gave it." }),
    async run(turn, input) {
      const command = backgroundCommand(turn, input);
      command.stop();
      await command.ended;
      return done(`${command.end ? endWords(command.end) : "It has ended."}\n${command.output()}`);
    },
  },
  {
    name: "fetch_url",
    description: "Reads a web page or another text by its http or https address. The user may be asked.",
    inputSchema: texts({ url: "The address." }),
    async run(turn, input) {
      const fetched = await fetchPage(turn, text(input, "url"));
      return fetched.ok ? done(fetched.text) : failed(fetched.text);
    },
  },
  {
    name: "update_plan",
    description:
      "Shows the user the plan for a task of several steps, all of them each time. Mark one step in_progress, and completed as soon as it is.",
    inputSchema: {
      type: "object",
      properties: {
        steps: {
          type: "array",
          maxItems: PLAN_STEPS_MAX,
          items: {
            type: "object",
            properties: {
              step: { type: "string" },
              status: { type: "string", enum: [...PLAN_STATUSES] },
            },
            required: ["step", "status"],
          },
        },
      },
      required: ["steps"],
    },
    async run(turn, input) {
      turn.update({ sessionUpdate: "plan", entries: planSteps(input) });
      return done("The user sees the plan.");
    },
  },
];

/** A call with missing input; the model gets the reason. */
export class InputError extends Error {
  override readonly name = "InputError";
}

function text(input: JsonObject, key: string): string {
  const found = stringAt(input, key);
  if (found === undefined) throw new InputError(`${key}: must be a string.`);
  return found;
}

/** A whole number, or what holds without one. */
function count(input: JsonObject, key: string, otherwise: number): number {
  const found = input[key];
  if (found === undefined || found === null) return otherwise;
  if (typeof found !== "number" || !Number.isFinite(found) || found < 0)
    throw new InputError(`${key}: must be a number.`);
  return Math.floor(found);
}

function editsByFile(input: JsonObject): Map<string, { old: string; new: string }[]> {
  const { edits } = input;
  if (!Array.isArray(edits) || edits.length === 0) throw new InputError("edits: must be a list of path, old and new.");
  if (edits.length > EDITS_MAX) throw new InputError(`edits: at most ${EDITS_MAX} at once.`);
  const files = new Map<string, { old: string; new: string }[]>();
  for (const edit of edits) {
    if (!isObject(edit)) throw new InputError("edits: each must have path, old and new.");
    const path = text(edit, "path");
    files.set(path, [...(files.get(path) ?? []), { old: text(edit, "old"), new: text(edit, "new") }]);
  }
  return files;
}

function planSteps(input: JsonObject): PlanEntry[] {
  const { steps } = input;
  if (!Array.isArray(steps) || steps.length > PLAN_STEPS_MAX)
    throw new InputError(`steps: must be a list of at most ${PLAN_STEPS_MAX}.`);
  return steps.map((step: unknown) => {
    if (!isObject(step)) throw new InputError("steps: each must have step and status.");
    const status = PLAN_STATUSES.find((one) => one === step["status"]) ?? "pending";
    return { content: text(step, "step"), status, priority: "medium" };
  });
}

function backgroundCommand(turn: Turn, input: JsonObject): BackgroundCommand {
  const { background } = turn.context.session;
  const found = background.get(text(input, "id"));
  if (found) return found;
  throw new InputError(`id: there is no such command. There are: ${[...background.keys()].join(", ") || "none"}.`);
}

function endWords({ exitCode, signal }: { readonly exitCode: number | null; readonly signal: string | null }): string {
  return signal === null ? `Exit code ${exitCode}.` : `Ended by ${signal}.`;
}

function notRun(why: "rejected" | "read-only"): ToolAnswer {
  return failed(
    why === "rejected" ? "The user does not want this command to run." : "The session is read-only: commands are off.",
  );
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
    ? `${given.join("\n")}\n[${left} more lines; continue at line ${first + given.length}]`
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

/** The result of a call; an error is shown to the model so that it can correct it. */
export type ToolAnswer = { readonly text: string; readonly isError: boolean };

/** A tool that the model can call. */
export type ModelTool = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: LanguageModelV3FunctionTool["inputSchema"];
  /** It only reads, so calls next to each other run at the same time. */
  readonly isParallel?: boolean;
  run(turn: Turn, input: JsonObject): Promise<ToolAnswer>;
};

/** Limit of one call's result in the model's context. */
const ANSWER_CHARACTERS_MAX = 30_000;

/** Beginning and end of a long text, with a note about what is missing. */
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
