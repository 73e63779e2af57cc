import { createHash } from "node:crypto";
import { z } from "zod";
import type { TaskQueue } from "../lib/task-queue.ts";
import { isoTime, type World } from "../ports/world.ts";
import { CheckpointId, CheckpointInfo } from "../protocol/changes.ts";
import type { SessionId, TurnId } from "../protocol/ids.ts";
import { dropCheckpoint, readCheckpoint, readNotes, storeCheckpoint } from "./vault/checkpoint.ts";
import { WorkdirChangedError } from "./vault/move.ts";
import { type Scan, scan } from "./vault/scan.ts";
import type { Vault } from "./vault/vault.ts";

const StoredNote = z.object({
  sessionId: CheckpointInfo.shape.sessionId,
  turnId: CheckpointInfo.shape.turnId,
  phase: CheckpointInfo.shape.phase,
  late: CheckpointInfo.shape.late,
});

const ID_CHARS = 10;
const BASE = 36;

export interface Retention {
  /** Every checkpoint stays this long. */
  readonly allMs: number;
  /** Then the newest ones of each session stay. */
  readonly perSession: number;
  /** States before a restore or a discard stay this long. */
  readonly safetyMs: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;
export const RETENTION: Retention = { allMs: 30 * DAY_MS, perSession: 50, safetyMs: 14 * DAY_MS };

/** The checkpoints before and after one turn. */
export interface TurnPair {
  readonly turnId: TurnId;
  readonly before: CheckpointInfo | null;
  readonly after: CheckpointInfo | null;
}

/**
 * A directory that sessions work in, with its vault and its checkpoints. Whatever scans it or writes files runs in its
 * queue, one at a time.
 */
export class Workdir {
  readonly vault: Vault;
  readonly queue: TaskQueue;
  /** Of the last scan; empty before the first. */
  version = "";
  /** How often what was shown has been forgotten. */
  forgotten = 0;
  /** How long the last scan took. */
  scanMs = 0;
  /** States that were shown, by their versions: a decision is about what the user saw. */
  readonly #shown = new Map<string, Scan>();
  readonly #world: World;
  /** Oldest first. */
  readonly #checkpoints: Map<CheckpointId, CheckpointInfo>;

  static async load(vault: Vault, world: World, queue: TaskQueue): Promise<Workdir> {
    const checkpoints = [...(await readNotes(vault))].flatMap(([id, note]) => infoOf(id, note) ?? []);
    checkpoints.sort((a, b) => a.at.localeCompare(b.at));
    return new Workdir(vault, world, queue, new Map(checkpoints.map((info) => [info.checkpointId, info])));
  }

  private constructor(vault: Vault, world: World, queue: TaskQueue, checkpoints: Map<CheckpointId, CheckpointInfo>) {
    this.vault = vault;
    this.queue = queue;
    this.#world = world;
    this.#checkpoints = checkpoints;
  }

  /** The files as they are now. */
  async scan(): Promise<Scan> {
    const startMs = performance.now();
    const files = await scan(this.vault);
    this.scanMs = performance.now() - startMs;
    this.version = versionOf(files);
    this.#shown.delete(this.version);
    this.#shown.set(this.version, files);
    const [oldest] = this.#shown.keys();
    if (this.#shown.size > SHOWN_MAX && oldest !== undefined) this.#shown.delete(oldest);
    return files;
  }

  /** The files as they were when they were shown with this version. */
  async seen(version: string): Promise<Scan> {
    const shown = this.#shown.get(version);
    if (shown) return shown;
    const now = await this.scan();
    if (this.version === version) return now;
    throw new WorkdirChangedError([]);
  }

  /** Oldest first. */
  get checkpoints(): readonly CheckpointInfo[] {
    return [...this.#checkpoints.values()];
  }

  find(id: CheckpointId): CheckpointInfo | null {
    return this.#checkpoints.get(id) ?? null;
  }

  /** Null when it is no longer there. */
  read(id: CheckpointId): Promise<Scan | null> {
    return readCheckpoint(this.vault, id);
  }

  /** A new id. It begins with the time, so that a checkpoint without a note still has one. */
  newId(): CheckpointId {
    const time = this.#world.now().toString(BASE).padStart(9, "0");
    return CheckpointId.parse(`${time}-${this.#world.newId().replaceAll("-", "").slice(0, ID_CHARS)}`);
  }

  now(): string {
    return isoTime(this.#world);
  }

  async store(
    files: Scan,
    about: { readonly sessionId: SessionId; readonly turnId: TurnId; readonly phase: "before" | "after" },
    isLate: boolean,
  ): Promise<CheckpointInfo> {
    const id = this.newId();
    const note = { ...about, ...(isLate && { late: true as const }) };
    await storeCheckpoint(this.vault, id, files, JSON.stringify(note));
    const info: CheckpointInfo = { checkpointId: id, at: isoTime(this.#world), ...note };
    this.#checkpoints.set(id, info);
    return info;
  }

  /** A move has stored the state before it under this id. */
  added(id: CheckpointId, sessionId: SessionId): void {
    const info: CheckpointInfo = { checkpointId: id, sessionId, phase: "safety", at: isoTime(this.#world) };
    this.#checkpoints.set(id, info);
  }

  /** The turns of a session, oldest first. */
  turnsOf(sessionId: SessionId): readonly TurnPair[] {
    const turns = new Map<TurnId, TurnPair>();
    for (const info of this.#checkpoints.values()) {
      if (info.sessionId !== sessionId || info.turnId === undefined || info.phase === "safety") continue;
      const pair = turns.get(info.turnId) ?? { turnId: info.turnId, before: null, after: null };
      turns.set(info.turnId, { ...pair, [info.phase]: info });
    }
    return [...turns.values()];
  }

  /** Drops checkpoints that are older than they are kept. */
  async trim(retention: Retention = RETENTION): Promise<number> {
    const now = this.#world.now();
    const newest = new Map<SessionId | undefined, number>();
    let dropped = 0;
    for (const info of [...this.#checkpoints.values()].reverse()) {
      const ageMs = now - Date.parse(info.at);
      const place = newest.get(info.sessionId) ?? 0;
      if (info.phase !== "safety") newest.set(info.sessionId, place + 1);
      const isKept =
        info.phase === "safety"
          ? ageMs <= retention.safetyMs
          : ageMs <= retention.allMs || place < retention.perSession;
      if (isKept) continue;
      await this.drop(info.checkpointId);
      dropped += 1;
    }
    return dropped;
  }

  async drop(id: CheckpointId): Promise<void> {
    await dropCheckpoint(this.vault, id);
    this.#checkpoints.delete(id);
  }

  /** From now on only the present state counts as shown. */
  forgetShown(): void {
    this.forgotten += 1;
    for (const version of this.#shown.keys()) if (version !== this.version) this.#shown.delete(version);
  }
}

const SHOWN_MAX = 50;
const VERSION_CHARS = 32;

function versionOf({ parts, leftOut }: Scan): string {
  return createHash("sha256")
    .update(JSON.stringify([parts, leftOut]))
    .digest("hex")
    .slice(0, VERSION_CHARS);
}

/** Null for a ref that is none of ours. */
function infoOf(id: string, note: string | null): CheckpointInfo | null {
  const checkpointId = CheckpointId.safeParse(id).data;
  const time = Number.parseInt(id.split("-", 1)[0] ?? "", BASE);
  if (checkpointId === undefined || !Number.isFinite(time)) return null;
  const at = new Date(time).toISOString();
  if (note === null) return { checkpointId, phase: "safety", at };
  const stored = StoredNote.safeParse(JSON.parse(note));
  return stored.success ? CheckpointInfo.parse({ checkpointId, at, ...stored.data }) : null;
}
