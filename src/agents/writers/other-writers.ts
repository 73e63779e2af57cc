import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { quietly, type WriterTable } from "./writer-table.ts";

/** Agents that neither lock nor register: only the modification time of their file can be used. */
export const QWEN: WriterTable = {
  home: { variable: "QWEN_HOME", folder: ".qwen" },
  command: (id) => ["qwen", "--resume", id],
  writtenAt: (home, { agentSessionId, cwd }) => {
    const folder = cwd.replace(/[^a-zA-Z0-9]/g, "-");
    return changedAt(join(home, "projects", folder, "chats", `${agentSessionId}.jsonl`));
  },
};

const ID_CHARS = 8;
const PROJECTS_MAX = 1_000;

/** Its terminal program opens a conversation by its place in a list, which changes: there is no command to print. */
export const GEMINI: WriterTable = {
  home: { variable: "GEMINI_HOME", folder: ".gemini" },
  command: null,
  writtenAt: (home, { agentSessionId }) => {
    const root = join(home, "tmp");
    const end = `-${agentSessionId.slice(0, ID_CHARS)}.jsonl`;
    const times = (quietly(() => readdirSync(root)) ?? []).slice(0, PROJECTS_MAX).flatMap((project) => {
      const chats = join(root, project, "chats");
      const names = quietly(() => readdirSync(chats)) ?? [];
      return names.filter((name) => name.endsWith(end)).map((name) => changedAt(join(chats, name)) ?? 0);
    });
    return times.length === 0 ? null : Math.max(...times);
  },
};

export const OPENCODE: WriterTable = {
  home: { variable: "XDG_DATA_HOME", folder: ".local/share" },
  command: (id) => ["opencode", "-s", id],
};

function changedAt(path: string): number | null {
  return quietly(() => statSync(path).mtimeMs);
}
