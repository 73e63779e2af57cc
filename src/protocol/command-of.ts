import type { Json } from "./json.ts";

/** Words that a shell reads unchanged. */
const PLAIN_WORD = /^[\w@%+=:,./-]+$/;
const SHELL = /^(?:.*\/)?(?:ba|z|da|k)?sh$/;
const SHELL_RUNS_LINE = /^-[a-z]*c$/;

/** The exact command line in a tool's input, if there is one. */
export function commandOf(input: Json | undefined): string | null {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return null;
  const command = input["command"] ?? input["cmd"];
  if (typeof command === "string") return command === "" ? null : command;
  if (!Array.isArray(command) || command.length === 0) return null;
  const words = command.map((word) => (typeof word === "string" ? word : JSON.stringify(word)));
  const [program = "", option = "", line] = words;
  // Agents that pass an argument list often wrap the line in a shell; the inner line is what the user knows.
  if (words.length === 3 && line !== undefined && SHELL.test(program) && SHELL_RUNS_LINE.test(option)) return line;
  return words.map(quoted).join(" ");
}

/** Quoted so that one argument is readable as one argument. */
function quoted(word: string): string {
  return PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
