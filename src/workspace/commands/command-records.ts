import { createHash } from "node:crypto";
import { chmod, readFile, rename, writeFile } from "node:fs/promises";
import { TaskQueue } from "../../lib/task-queue.ts";
import { isoTime, type World } from "../../ports/world.ts";
import { REFUSE, RefusalError } from "../../protocol/errors.ts";
import type { ProjectId } from "../../protocol/ids.ts";
import type { CommandConsent } from "../../protocol/terminals.ts";
import type { WorktreeId } from "../../protocol/worktree-ref.ts";
import type { WorktreeSetup } from "../../protocol/worktrees.ts";
import type * as StoredRecords from "./stored-records.ts";
import type { Records, ServiceRecord } from "./stored-records.ts";

/** Loaded with a file of an earlier run, in that step (decision 149). */
const LATER = {
  stored: (): typeof StoredRecords => require("./stored-records.ts"),
};

const CONSENTS_MAX = 1_000;
const SETUPS_MAX = 1_000;
const PORTS_MAX = 1_000;
const RUNNING_MAX = 100;
/** Shown to a person who reads the file; the hash counts. */
const SHOWN_COMMAND_CHARS_MAX = 200;

export type CommandKind = "setup" | "teardown" | `service:${string}`;

const NONE: Records = { version: 1, consents: [], setups: [], ports: [], running: [] };

/** Changes with every character of the command, and differs between projects and between the uses of a command. */
export function commandHash(projectId: ProjectId, kind: string, ...texts: readonly (string | null)[]): string {
  return createHash("sha256")
    .update(JSON.stringify([1, projectId, kind, ...texts]))
    .digest("hex");
}

interface CommandRecordsDeps {
  readonly path: string;
  readonly world: World;
  readonly warn: (text: string) => void;
}

/**
 * What is stored about commands: which the user agreed to, how setups ended, the ports of services, and the services that
 * run. One file in the data directory, replaced as a whole.
 */
export class CommandRecords {
  readonly #deps: CommandRecordsDeps;
  readonly #writes = new TaskQueue();
  #records: Records;

  /** A file that cannot be used is kept aside: every command asks again. */
  static async open(deps: CommandRecordsDeps): Promise<CommandRecords> {
    const text = await readFile(deps.path, "utf8").catch((error: unknown) => {
      if (error instanceof Error && Reflect.get(error, "code") === "ENOENT") return null;
      throw error;
    });
    if (text === null) return new CommandRecords(deps, NONE);
    const records = LATER.stored().parseRecords(text);
    if (records) return new CommandRecords(deps, records);
    const aside = `${deps.path}.unreadable`;
    await rename(deps.path, aside);
    deps.warn(
      `${deps.path} could not be read and was kept as ${aside}. Commands of liminal.json ask for your consent again.`,
    );
    return new CommandRecords(deps, NONE);
  }

  private constructor(deps: CommandRecordsDeps, records: Records) {
    this.#deps = deps;
    this.#records = records;
  }

  hasAgreed(hash: string): boolean {
    return this.#records.consents.some((consent) => consent.hash === hash);
  }

  /**
   * Lets a command run that the user has agreed to, now (with the hash of what they were shown) or before. Throws a
   * `RefusalError` otherwise.
   */
  async require(projectId: ProjectId, kind: CommandKind, command: string, shownHash: string | null): Promise<void> {
    const hash = commandHash(projectId, kind, command);
    if (shownHash !== null && shownHash !== hash)
      throw new RefusalError(
        REFUSE.consentRequired(
          "The command changed since it was shown. Nothing ran. Look at it again, then agree to it.",
          command,
        ),
      );
    if (shownHash !== null) await this.agree(projectId, kind, command);
    else if (!this.hasAgreed(hash))
      throw new RefusalError(
        REFUSE.consentRequired("You have not agreed to this command yet. Read it, then agree to it.", command),
      );
  }

  /** The user agrees to exactly this command. The oldest consent is dropped at the limit: its command asks again. */
  async agree(projectId: ProjectId, kind: CommandKind, command: string): Promise<void> {
    const hash = commandHash(projectId, kind, command);
    if (this.hasAgreed(hash)) return;
    const shown = command.slice(0, SHOWN_COMMAND_CHARS_MAX);
    const consent = { projectId, hash, kind, command: shown, at: isoTime(this.#deps.world) };
    await this.#change({ consents: [...this.#records.consents, consent].slice(-CONSENTS_MAX) });
  }

  consents(projectId: ProjectId): CommandConsent[] {
    return this.#records.consents
      .filter((consent) => consent.projectId === projectId)
      .map(({ hash, kind, command, at }) => ({ hash, kind, command, at }));
  }

  /** The command asks again. */
  async revoke(projectId: ProjectId, hash: string): Promise<void> {
    const left = this.#records.consents.filter((one) => one.hash !== hash || one.projectId !== projectId);
    if (left.length < this.#records.consents.length) await this.#change({ consents: left });
  }

  setups(): Records["setups"] {
    return this.#records.setups;
  }

  setup(worktreeId: WorktreeId): WorktreeSetup {
    return this.#records.setups.find((record) => record.worktreeId === worktreeId)?.setup ?? { state: "none" };
  }

  async keepSetup(projectId: ProjectId, worktreeId: WorktreeId, setup: WorktreeSetup): Promise<void> {
    const others = this.#records.setups.filter((record) => record.worktreeId !== worktreeId);
    await this.#change({ setups: [...others, { worktreeId, projectId, setup }].slice(-SETUPS_MAX) });
  }

  /** The port that a service had the last time, and those of all others. */
  port(key: string): { readonly own: number | null; readonly others: ReadonlySet<number> } {
    const others = this.#records.ports.filter((record) => record.key !== key);
    const own = this.#records.ports.find((record) => record.key === key)?.port ?? null;
    return { own, others: new Set(others.map(({ port }) => port)) };
  }

  async keepPort(key: string, port: number): Promise<void> {
    const others = this.#records.ports.filter((record) => record.key !== key);
    await this.#change({ ports: [...others, { key, port }].slice(-PORTS_MAX) });
  }

  running(): readonly ServiceRecord[] {
    return this.#records.running;
  }

  async keepRunning(running: readonly ServiceRecord[]): Promise<void> {
    if (running.length === 0 && this.#records.running.length === 0) return;
    await this.#change({ running: running.slice(-RUNNING_MAX) });
  }

  /** Everything that was to be stored is on disk, or its failure was reported. */
  async written(): Promise<void> {
    await this.#writes.run(async () => undefined);
  }

  /** Takes effect at once; resolves when it is on disk. */
  async #change(part: Partial<Records>): Promise<void> {
    this.#records = { ...this.#records, ...part };
    const { path } = this.#deps;
    await this.#writes.run(async () => {
      const aside = `${path}.new`;
      await writeFile(aside, `${JSON.stringify(this.#records, null, 2)}\n`, { mode: 0o600, flush: true });
      await chmod(aside, 0o600);
      await rename(aside, path);
    });
  }
}
