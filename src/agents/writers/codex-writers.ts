import { readdirSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { quietRead } from "../process/process-ledger.ts";
import { type Holder, programOf, quietly, type WriterTable, wordsOf } from "./writer-table.ts";

/**
 * Codex holds a lock for every open conversation, until 60 s after it was closed. The kernel lists all locks by the
 * inode of their files; testing a lock would acquire it.
 */
export const CODEX: WriterTable = {
  home: { variable: "CODEX_HOME", folder: ".codex" },
  command: (id) => ["codex", "resume", id],
  holders: (home, { agentSessionId }) => {
    const locks = quietRead("/proc/locks");
    if (locks === null) return null;
    const path = join(home, "thread-writer-locks", `${agentSessionId}.lock`);
    const file = quietly(() => statSync(path, { bigint: true }));
    return file === null ? [] : locks.split("\n").flatMap((line) => holderOf(line, String(file.ino), path));
  },
};

/** `1: FLOCK  ADVISORY  WRITE 4711 08:01:131076 0 EOF`; one that only waits has an arrow before the kind. */
const HELD_LOCK = /^\d+:\s+(?:FLOCK|OFDLCK|POSIX)\s+\S+\s+\S+\s+(-?\d+)\s+\S+:(\d+)\s/;

function holderOf(line: string, inode: string, path: string): readonly Holder[] {
  const [, owner, locked] = HELD_LOCK.exec(line) ?? [];
  if (locked !== inode) return [];
  const pid = Number(owner);
  // A process outside of this container has no number in it.
  if (pid <= 0) return [{ program: "Another program" }];
  const program = programOf(pid);
  if (program === null || hasOpen(pid, path) === false) return [];
  return [isBackground(pid) ? { pid, program: "Codex's background server", background: true } : { pid, program }];
}

/**
 * `codex` in a terminal starts one server for all terminals, which keeps running, and opens its conversations there. It
 * closes one 60 s after the last terminal that shows it was closed and its turn has ended.
 */
function isBackground(pid: number): boolean {
  const words = wordsOf(pid);
  return words.includes("app-server") && words.includes("--managed-daemon");
}

/** Two disks can have the same inode. Null when the open files of the process are not visible. */
function hasOpen(pid: number, path: string): boolean | null {
  const folder = `/proc/${pid}/fd`;
  const descriptors = quietly(() => readdirSync(folder));
  if (descriptors === null) return null;
  const real = quietly(() => realpathSync(path)) ?? path;
  return descriptors.some((name) => quietly(() => readlinkSync(join(folder, name))) === real);
}
