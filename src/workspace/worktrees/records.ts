import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { ProjectId } from "../../protocol/ids.ts";
import { WorktreeId } from "../../protocol/worktree-ref.ts";
import { writeWhole } from "../vault/vault-files.ts";

const RECORD_BYTES_MAX = 4 * 1024 * 1024;
const SUFFIX = ".json";

/**
 * What is known of a worktree of ours. `state` is written before a step that could be cut off: one that ends in "-ing"
 * at a start was, and is finished or undone.
 */
export const WorktreeRecord = z.object({
  worktreeId: WorktreeId,
  projectId: ProjectId,
  /** The top directory of the repository that the project is in: where Git runs. */
  projectPath: z.string(),
  /** The project's directory from the top of its repository; empty when it is the top. */
  prefix: z.string(),
  name: z.string(),
  /** Where sessions use it. In quarantine it is elsewhere, see `quarantinePath`. */
  path: z.string(),
  /** The repository's own directory, which has a directory with our marker for the worktree. */
  commonDir: z.string(),
  /** Of the worktree's directory, whatever its path; both are empty until it is there. */
  device: z.string(),
  inode: z.string(),
  branch: z.string(),
  /** The branch that was checked out or named when it was made. */
  base: z.nullable(z.string()),
  baseCommit: z.string(),
  state: z.enum(["making", "ready", "removing", "removed", "returning", "purging"]),
  createdAt: z.string(),
  lastUsedAt: z.nullable(z.string()),
  removedAt: z.nullable(z.string()),
  /** Files that `.worktreeinclude` brought along, by their paths in the worktree. */
  included: z.array(z.string()),
  /** The command that it was made for: repeated after a crash, it makes no second one. */
  madeFor: z.optional(z.string()),
  /** How many uncommitted files came along when it was made. */
  carriedFiles: z.optional(z.int()),
  /** Information for the user about a worktree that works. */
  note: z.nullable(z.string()),
  /** Why it could be neither finished nor undone, and what to do. */
  stuck: z.nullable(z.string()),
});
export type WorktreeRecord = z.infer<typeof WorktreeRecord>;

/** A file that is no valid record. It stays as it is. */
interface DamagedRecord {
  readonly file: string;
  readonly text: string;
}

/** One small file for each worktree. A record that is written is whole: the old one is there until the new one is. */
export class WorktreeRecords {
  readonly #directory: string;
  readonly #byId = new Map<WorktreeId, WorktreeRecord>();
  damaged: readonly DamagedRecord[] = [];

  private constructor(directory: string) {
    this.#directory = directory;
  }

  static async load(directory: string): Promise<WorktreeRecords> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const records = new WorktreeRecords(directory);
    const damaged: DamagedRecord[] = [];
    for (const file of (await readdir(directory)).filter((name) => name.endsWith(SUFFIX)).sort()) {
      const text = (await readFile(join(directory, file), "utf8")).slice(0, RECORD_BYTES_MAX);
      const record = parseRecord(text);
      if (record !== null && file === `${record.worktreeId}${SUFFIX}`) records.#byId.set(record.worktreeId, record);
      else damaged.push({ file: join(directory, file), text });
    }
    records.damaged = damaged;
    return records;
  }

  get all(): readonly WorktreeRecord[] {
    return [...this.#byId.values()];
  }

  get(worktreeId: WorktreeId): WorktreeRecord | null {
    return this.#byId.get(worktreeId) ?? null;
  }

  async save(record: WorktreeRecord): Promise<WorktreeRecord> {
    await writeWhole(join(this.#directory, `${record.worktreeId}${SUFFIX}`), JSON.stringify(record, null, 1));
    this.#byId.set(record.worktreeId, record);
    return record;
  }

  async drop(worktreeId: WorktreeId): Promise<void> {
    await rm(join(this.#directory, `${worktreeId}${SUFFIX}`), { force: true });
    this.#byId.delete(worktreeId);
  }
}

function parseRecord(text: string): WorktreeRecord | null {
  try {
    return WorktreeRecord.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
