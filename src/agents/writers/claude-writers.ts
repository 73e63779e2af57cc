import { closeSync, fstatSync, openSync, readdirSync, readlinkSync, readSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { OwnConversation } from "../../ports/session-writers.ts";
import type { OtherWriter } from "../../protocol/conversations.ts";
import { asNumber, asObject, asString, type JsonObject } from "../acp/read-json.ts";
import { quietRead, startTicks } from "../process/process-ledger.ts";
import { type Holder, parseOrNull, programOf, quietly, type WriterTable } from "./writer-table.ts";

const DOING: Readonly<Record<string, NonNullable<OtherWriter["doing"]>>> = {
  busy: "working",
  idle: "idle",
  waiting: "asking",
};
/** A conversation has one entry of the registry for each process that has it open; far more would be a leak there. */
const REGISTRY_FILES_MAX = 500;
const TAIL_BYTES_MAX = 65_536;

/**
 * Claude Code locks nothing: two processes write two branches into one file. Each registers itself in
 * `sessions/<pid>.json`, which stays there after a crash. `procStart` is the start time that the kernel gives for the
 * pid, so a pid that another process has got is none of its.
 */
export const CLAUDE: WriterTable = {
  home: { variable: "CLAUDE_CONFIG_DIR", folder: ".claude" },
  command: (id) => ["claude", "--resume", id],
  holders: (home, { agentSessionId }) => {
    const folder = join(home, "sessions");
    const names = quietly(() => readdirSync(folder)) ?? [];
    return names.slice(0, REGISTRY_FILES_MAX).flatMap((name) => {
      const entry = /^\d+\.json$/.test(name) ? asObject(parseOrNull(quietRead(join(folder, name)))) : null;
      return entry?.["sessionId"] === agentSessionId ? holderOf(entry) : [];
    });
  },
  saidAfter: (home, conversation, time) => {
    for (const path of transcripts(home, conversation)) {
      const tail = quietly(() => readTail(path));
      if (tail) return tail.changedAt > time && (tail.isCut || tail.lines.some((line) => isSaidAfter(line, time)));
    }
    return null;
  },
};

function holderOf(entry: JsonObject): readonly Holder[] {
  const pid = asNumber(entry["pid"]);
  if (pid === undefined || String(entry["procStart"]) !== startTicks(pid)) return [];
  // A container that shares the folder has process numbers of its own.
  const domain = asString(entry["pidDomain"]);
  if (domain !== undefined && !domain.endsWith(quietly(() => readlinkSync("/proc/self/ns/pid")) ?? "")) return [];
  const program = programOf(pid);
  if (program === null) return [];
  const doing = DOING[asString(entry["status"]) ?? ""];
  return [{ pid, program, ...(doing && { doing }) }];
}

/** By the directory as we have it, and by its real path. */
function transcripts(home: string, { agentSessionId, cwd }: OwnConversation): readonly string[] {
  const places = [...new Set([cwd, quietly(() => realpathSync(cwd)) ?? cwd])];
  return places.map((place) => join(home, "projects", place.replace(/[^a-zA-Z0-9]/g, "-"), `${agentSessionId}.jsonl`));
}

interface Tail {
  /** Of the file, in milliseconds since 1970. */
  readonly changedAt: number;
  readonly lines: readonly string[];
  /** Not even the last line is complete. */
  readonly isCut: boolean;
}

function readTail(path: string): Tail {
  const file = openSync(path, "r");
  try {
    const { size, mtimeMs } = fstatSync(file);
    const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES_MAX));
    const read = readSync(file, bytes, 0, bytes.length, size - bytes.length);
    const lines = bytes.toString("utf8", 0, read).split("\n");
    const whole = size > bytes.length ? lines.slice(1) : lines;
    return { changedAt: mtimeMs, lines: whole, isCut: size > 0 && whole.every((line) => line === "") };
  } finally {
    closeSync(file);
  }
}

/** Titles, summaries and other bookkeeping is added later, by the process that is there anyway. */
function isSaidAfter(line: string, time: number): boolean {
  const entry = asObject(parseOrNull(line));
  const type = entry?.["type"];
  return (type === "user" || type === "assistant") && Date.parse(asString(entry?.["timestamp"]) ?? "") > time;
}
