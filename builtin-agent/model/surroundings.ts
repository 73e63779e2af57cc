import { existsSync, realpathSync } from "node:fs";
import { open } from "node:fs/promises";
import { arch, platform, release } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import { readGit } from "../../src/workspace/git/run-git.ts";
import { isUnreadable } from "../tools/file-access.ts";

const INSTRUCTION_FILES = ["AGENTS.md", "CLAUDE.md"];
/** The user's own, for all projects, below the home directory. */
const USER_FILES = [".config/liminal/AGENTS.md", ".codex/AGENTS.md", ".claude/CLAUDE.md"];
const INSTRUCTION_FILE_BYTES_MAX = 32 * 1024;
const INSTRUCTION_BYTES_MAX = 96 * 1024;
const PARENT_DIRECTORIES_MAX = 20;
const GIT_STATE_MS_MAX = 3_000;

/** What a model should know before it starts: when and where it works, and the user's instructions for agents. */
export async function describeSurroundings(place: {
  readonly cwd: string;
  readonly home: string;
  readonly now: number;
}): Promise<string> {
  const { cwd, home, now } = place;
  const root = repositoryRoot(cwd);
  const [git, instructions] = await Promise.all([gitState(cwd), readInstructions(cwd, root ?? cwd, home)]);
  const day = new Date(now).toLocaleDateString("en-GB", { weekday: "long", timeZone: "UTC" });
  return [
    `Today is ${day}, ${new Date(now).toISOString().slice(0, "yyyy-mm-dd".length)}.`,
    `System: ${platform()} ${release()}, ${arch()}. Commands run in /bin/sh.`,
    git ?? (root === undefined ? "This is not a Git repository." : "This is a Git repository."),
    ...instructions,
  ].join("\n");
}

/** The nearest directory above with a repository. */
function repositoryRoot(cwd: string): string | undefined {
  let directory = realpathSync(cwd);
  for (let depth = 0; depth < PARENT_DIRECTORIES_MAX; depth += 1) {
    if (existsSync(join(directory, ".git"))) return directory;
    if (dirname(directory) === directory) return undefined;
    directory = dirname(directory);
  }
  return undefined;
}

/** Branch and counts, as they are when the session is opened; undefined outside a repository, and if Git is too slow. */
async function gitState(cwd: string): Promise<string | undefined> {
  const timer = Promise.withResolvers<null>();
  const timeout = setTimeout(() => timer.resolve(null), GIT_STATE_MS_MAX);
  const told = await Promise.race([
    readGit(cwd, ["status", "--porcelain", "--branch", "--ignore-submodules=all"]),
    timer.promise,
  ]);
  clearTimeout(timeout);
  if (told === null) return undefined;
  const [head = "", ...files] = told.split("\n").filter((line) => line !== "");
  const branch = head.replace(/^## (?:No commits yet on )?/, "").replace("...", ", which follows ");
  const untracked = files.filter((line) => line.startsWith("??")).length;
  const changed = files.length - untracked;
  const state = files.length === 0 ? "nothing is changed" : `${changed} changed and ${untracked} new files`;
  return `Git when this session was opened: branch ${branch}; ${state}.`;
}

/** From the user's own to the nearest one, which comes last and so has priority. */
async function readInstructions(cwd: string, root: string, home: string): Promise<string[]> {
  const own = USER_FILES.map((name) => ({ path: join(home, name), within: undefined }));
  const project = directoriesBetween(root, realpathSync(cwd)).flatMap((directory) =>
    INSTRUCTION_FILES.map((name) => ({ path: join(directory, name), within: root })),
  );
  const texts = new Set<string>();
  const sections: string[] = [];
  let bytesLeft = INSTRUCTION_BYTES_MAX;
  for (const { path, within } of [...own, ...project]) {
    const text = await readStart(path, within, Math.min(bytesLeft, INSTRUCTION_FILE_BYTES_MAX));
    // Many projects have one file under both names.
    if (text === undefined || text.trim() === "" || texts.has(text)) continue;
    texts.add(text);
    bytesLeft -= Buffer.byteLength(text);
    sections.push(`\n--- ${path}\n${text.trim()}`);
  }
  if (sections.length === 0) return [];
  const heading =
    "\nThe user and the project have left these instructions for agents. Follow them unless the user says otherwise; the later one has priority.";
  return [heading, ...sections, "--- end of the instructions"];
}

function directoriesBetween(root: string, cwd: string): string[] {
  const steps = relative(root, cwd).split(sep).filter(Boolean);
  return [root, ...steps.map((_, at) => join(root, ...steps.slice(0, at + 1)))];
}

/** A project's file must not lead out of it by a link: its text goes to the endpoint. */
async function readStart(path: string, within: string | undefined, bytesMax: number): Promise<string | undefined> {
  if (bytesMax <= 0) return undefined;
  try {
    if (within !== undefined && !realpathSync(path).startsWith(within + sep)) return undefined;
    await using file = await open(path, "r");
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytesMax), 0, bytesMax, 0);
    // Cut inside a character: the decoder leaves a replacement mark, which is removed.
    const text = buffer
      .subarray(0, bytesRead)
      .toString("utf8")
      .replace(/\uFFFD+$/, "");
    return size > bytesMax ? `${text}\n[${size - bytesMax} bytes left out: read the file]` : text;
  } catch (error) {
    if (isUnreadable(error) || (error instanceof Error && "code" in error && error.code === "EISDIR")) return undefined;
    throw error;
  }
}
