import { lstat, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { World } from "../ports/world.ts";
import type { CheckpointInfo } from "../protocol/changes.ts";
import type { SessionId } from "../protocol/ids.ts";
import { GitError } from "./git/run-git.ts";
import { forgetBases } from "./vault/base.ts";
import type { Vault } from "./vault/vault.ts";
import { exists } from "./vault/vault-files.ts";
import type { Workdir } from "./workdir.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const IDLE_MS = MINUTE_MS;
/** A vault in use is tidied this often at most, another one more rarely. */
const OPEN_EVERY_MS = HOUR_MS;
const CLOSED_EVERY_MS = DAY_MS;
const MEASURE_EVERY_MS = 10 * MINUTE_MS;
const DEADLINE_MS = 5 * MINUTE_MS;
/** More packs of ours than this become one. */
const OWN_PACKS_MAX = 20;
/** While the vaults are too large, half of the checkpoints that may go are dropped in each round. */
const ROUNDS_MAX = 10;
const VAULT_FILES_MAX = 2_000_000;
const BLOCK_BYTES = 512;
const STAMP = "tidied";
/** Keep what the indexes name: their objects would otherwise belong to nothing. */
const INDEX_REFS = "refs/index/";
const TEMPORARY = /^(?:tmp_(?:pack|idx|rev|obj|mtimes)_|\.tmp-)/;

interface HousekeepingDeps {
  readonly world: World;
  readonly root: string;
  /** Of all vaults together. */
  readonly bytesMax: number;
  /** No turn runs. */
  readonly isIdle: () => boolean;
  /** Runs with the working directory of a vault, when nothing else works on the vault. */
  readonly withWorkdir: <Result>(vaultPath: string, task: (workdir: Workdir) => Promise<Result>) => Promise<Result>;
  readonly isOpen: (vaultPath: string) => boolean;
  readonly onError: (error: unknown) => void;
  /** So long after a turn nothing else has begun. */
  readonly idleMs?: number;
}

/**
 * Keeps the vaults small while no turn runs: drops checkpoints that are old enough, packs what is left, and holds the
 * limit of all vaults together. A turn that starts interrupts it.
 */
export class Housekeeping {
  readonly #deps: HousekeepingDeps;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #lastMs = Number.NEGATIVE_INFINITY;
  #running: { readonly abort: AbortController; readonly ended: Promise<void> } | null = null;
  #size: VaultsSize | null = null;
  #measuredMs = Number.NEGATIVE_INFINITY;

  constructor(deps: HousekeepingDeps) {
    this.#deps = deps;
  }

  /** A turn has ended. */
  later(): void {
    if (this.#timer !== null) return;
    const { idleMs = IDLE_MS } = this.#deps;
    const waitMs = Math.max(idleMs, this.#lastMs + OPEN_EVERY_MS - this.#deps.world.now());
    this.#timer = setTimeout(() => {
      this.#timer = null;
      if (this.#deps.isIdle()) this.run().catch(this.#deps.onError);
    }, waitMs).unref();
  }

  /** Resolves when nothing of it runs any more. */
  async interrupt(): Promise<void> {
    this.#running?.abort.abort();
    await this.#running?.ended;
  }

  async stop(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    await this.interrupt();
  }

  /** As it was measured last; a new measurement begins when that was long ago. */
  get size(): VaultsSize | null {
    const now = this.#deps.world.now();
    if (now - this.#measuredMs >= MEASURE_EVERY_MS) {
      this.#measuredMs = now;
      measureVaults(this.#deps.root).then((size) => {
        this.#size = size;
      }, this.#deps.onError);
    }
    return this.#size;
  }

  async run(): Promise<void> {
    if (this.#running !== null) return this.#running.ended;
    const abort = new AbortController();
    const ended = this.#tidyAll(abort.signal)
      .then(() => {
        this.#lastMs = this.#deps.world.now();
      })
      .catch((error) => {
        if (!abort.signal.aborted) this.#deps.onError(error);
      })
      .finally(() => {
        this.#running = null;
      });
    this.#running = { abort, ended };
    return ended;
  }

  async #tidyAll(signal: AbortSignal): Promise<void> {
    const { root, world, withWorkdir, isOpen, onError } = this.#deps;
    for (const path of await vaultsIn(root)) {
      signal.throwIfAborted();
      const stamped = await stat(join(path, STAMP)).catch(() => null);
      const everyMs = isOpen(path) ? OPEN_EVERY_MS : CLOSED_EVERY_MS;
      if (stamped !== null && world.now() - stamped.mtimeMs < everyMs) continue;
      const tidy = async (workdir: Workdir) => {
        const dropped = await workdir.trim();
        await tidyVault(workdir, { isThorough: dropped > 0, expire: "1.day.ago", nowMs: world.now(), signal });
        await writeFile(join(path, STAMP), "", { mode: 0o600 });
      };
      await withWorkdir(path, tidy).catch((error) => {
        signal.throwIfAborted();
        onError(error);
      });
    }
    await this.#holdLimit(signal);
  }

  async #holdLimit(signal: AbortSignal): Promise<void> {
    const { root, bytesMax, withWorkdir, world } = this.#deps;
    const measure = async () => {
      this.#size = await measureVaults(root);
      this.#measuredMs = world.now();
      return this.#size.bytes;
    };
    for (let round = 0; (await measure()) > bytesMax; round += 1) {
      const paths = await vaultsIn(root);
      const listed: Droppable[] = [];
      for (const path of paths)
        await withWorkdir(path, async ({ checkpoints }) => void listed.push({ path, checkpoints }));
      const dropped = nextToDrop(listed);
      if (dropped.length === 0 || round === ROUNDS_MAX)
        throw new GitError(
          `Checkpoints take ${this.#size?.bytes ?? 0} bytes, more than vaultBytesMax (${bytesMax}), though only the newest of each session is left. Raise vaultBytesMax in config.json.`,
        );
      for (const path of new Set(dropped.map((one) => one.path))) {
        signal.throwIfAborted();
        await withWorkdir(path, async (workdir) => {
          for (const one of dropped) if (one.path === path) await workdir.drop(one.checkpoint.checkpointId);
          await tidyVault(workdir, { isThorough: true, expire: "now", nowMs: world.now(), signal });
        });
      }
    }
  }
}

interface Droppable {
  readonly path: string;
  readonly checkpoints: readonly CheckpointInfo[];
}

/** The older half of all checkpoints, without the newest one of each session: that one stays. */
export function nextToDrop(
  vaults: readonly Droppable[],
): readonly { readonly path: string; readonly checkpoint: CheckpointInfo }[] {
  const candidates = vaults.flatMap(({ path, checkpoints }) => {
    const newest = new Map<SessionId | undefined, CheckpointInfo>(checkpoints.map((one) => [one.sessionId, one]));
    return checkpoints.filter((one) => newest.get(one.sessionId) !== one).map((checkpoint) => ({ path, checkpoint }));
  });
  candidates.sort((a, b) => a.checkpoint.at.localeCompare(b.checkpoint.at));
  return candidates.slice(0, Math.ceil(candidates.length / 2));
}

interface TidyOptions {
  /** Also objects in packs of ours that no checkpoint needs any more go. */
  readonly isThorough: boolean;
  /** What belongs to nothing goes when it is older. */
  readonly expire: string;
  readonly nowMs: number;
  readonly signal?: AbortSignal;
}

/**
 * Packs the objects of a vault, and removes those that belong to nothing. Packs that the user's repository has too
 * cost no space: they are kept as they are. Runs in the queue of the working directory.
 */
export async function tidyVault(workdir: Workdir, { isThorough, expire, nowMs, signal }: TidyOptions): Promise<void> {
  const { vault } = workdir;
  // A move that was cut off needs objects that no ref names.
  if (await exists(join(vault.path, "intent.json"))) return;
  await removeTemporaries(vault, nowMs);
  await keepIndexes(vault);
  // States that were shown belong to nothing either. Who decides about one is told to look again.
  workdir.forgetShown();
  forgetBases(vault);
  const options = { isLowPriority: true, timeoutMs: DEADLINE_MS, signal };
  const ownPacks = await markPacks(vault);
  const all = isThorough || ownPacks > OWN_PACKS_MAX ? ["-a"] : [];
  const settings = ["-c", "pack.threads=1", "-c", "pack.windowMemory=64m", "-c", "repack.writeBitmaps=false"];
  await vault.git([...settings, "repack", ...all, "-d", "-l", "-q"], options);
  await vault.git(["prune", `--expire=${expire}`], options);
}

/** Left behind by a Git that was killed. */
async function removeTemporaries(vault: Vault, nowMs: number): Promise<void> {
  const objects = join(vault.path, "objects");
  for (const folder of await readdir(objects)) {
    for (const name of await readdir(join(objects, folder)).catch(() => [])) {
      if (!TEMPORARY.test(name)) continue;
      const path = join(objects, folder, name);
      const changedMs = (await lstat(path).catch(() => null))?.mtimeMs ?? nowMs;
      if (nowMs - changedMs > DAY_MS) await rm(path, { force: true });
    }
  }
}

/** The next scan trusts that what the index names is there. */
async function keepIndexes(vault: Vault): Promise<void> {
  const folder = join(vault.path, "indexes");
  const names = (await readdir(folder)).filter((name) => /^[a-z0-9]+$/.test(name));
  for (const name of names) {
    const tree = (await vault.git(["write-tree"], { indexFile: join(folder, name) })).toString().trim();
    await vault.git(["update-ref", `${INDEX_REFS}${name}`, tree]);
  }
  const refs = (await vault.git(["for-each-ref", "--format=%(refname)", INDEX_REFS])).toString().split("\n");
  for (const ref of refs.filter((line) => line !== ""))
    if (!names.includes(ref.slice(INDEX_REFS.length))) await vault.git(["update-ref", "-d", ref]);
}

/** A pack that has another link is the user's, too. Git leaves packs with this mark alone. Gives the number of the others. */
async function markPacks(vault: Vault): Promise<number> {
  const folder = join(vault.path, "objects/pack");
  const packs = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".pack"));
  let own = 0;
  for (const pack of packs) {
    const mark = join(folder, pack.replace(/\.pack$/, ".keep"));
    if ((await stat(join(folder, pack))).nlink > 1) await writeFile(mark, "", { mode: 0o600 });
    else {
      await rm(mark, { force: true });
      own += 1;
    }
  }
  return own;
}

export interface VaultsSize {
  readonly vaults: number;
  /** On disk, without what the users' repositories have, too. */
  readonly bytes: number;
}

/** Looks at every file of every vault: not for every request. */
export async function measureVaults(root: string): Promise<VaultsSize> {
  const paths = await vaultsIn(root);
  let bytes = 0;
  let filesLeft = VAULT_FILES_MAX;
  const folders = [...paths];
  for (let folder = folders.pop(); folder !== undefined && filesLeft > 0; folder = folders.pop()) {
    const place = folder;
    const entries = await readdir(place, { withFileTypes: true }).catch(() => []);
    folders.push(...entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(place, name)));
    const files = entries.filter((entry) => entry.isFile());
    filesLeft -= files.length;
    const sizes = await Promise.all(files.map(({ name }) => lstat(join(place, name)).catch(() => null)));
    for (const file of sizes) if (file?.nlink === 1) bytes += file.blocks * BLOCK_BYTES;
  }
  return { vaults: paths.length, bytes };
}

/** Those whose creation has ended. */
async function vaultsIn(root: string): Promise<string[]> {
  const names = (await readdir(root).catch(() => [])).filter((name) => name.endsWith(".git")).sort();
  const paths: string[] = [];
  for (const name of names) if (await exists(join(root, name, "complete"))) paths.push(join(root, name));
  return paths;
}
