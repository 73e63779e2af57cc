import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { invariant } from "../../lib/assert.ts";
import { isoTime, type World } from "../../ports/world.ts";
import { replaceFile } from "../install/replace-file.ts";
import { fetchRegistry } from "./fetch-registry.ts";
import { type KnownEntry, parseRegistry, type RegistryEntry } from "./registry-entry.ts";

const REFRESH_AFTER_MS = 24 * 60 * 60 * 1_000;
const TRY_AGAIN_AFTER_MS = 60 * 60 * 1_000;
const SNAPSHOT_FILE = join(import.meta.dirname, "registry-snapshot.json");

const Snapshot = z.object({ version: z.string(), takenAt: z.string(), agents: z.array(z.unknown()) });
const Fetched = z.object({ fetchedAt: z.string(), agents: z.array(z.unknown()) });

interface AgentRegistryOptions {
  readonly world: World;
  readonly cacheFile: string;
  /** Null: the network is never asked. */
  readonly url: string | null;
  readonly info: (text: string) => void;
}

interface Known<Entry extends RegistryEntry = KnownEntry> {
  readonly entries: readonly Entry[];
  /** When the list was last had from the network; before 1971 when never. */
  readonly fetchedAt: number;
}

/** The public registry: bundled, newer where a newer one could be had, and read only when someone asks. */
export class AgentRegistry {
  readonly #options: AgentRegistryOptions;
  #known: Known | null = null;
  #refreshing: Promise<boolean> | null = null;
  #triedAt = Number.NEGATIVE_INFINITY;

  constructor(options: AgentRegistryOptions) {
    this.#options = options;
  }

  entries(): readonly KnownEntry[] {
    this.#known ??= this.#load();
    return this.#known.entries;
  }

  /** Asks the network when it is time to; true when the list changed. Without a network the known list stays. */
  refresh(): Promise<boolean> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = null;
    });
    return this.#refreshing;
  }

  async #refresh(): Promise<boolean> {
    const { url, world, info, cacheFile } = this.#options;
    const before = this.entries();
    const now = world.now();
    const isDue = now - (this.#known?.fetchedAt ?? 0) >= REFRESH_AFTER_MS;
    if (url === null || !isDue || now - this.#triedAt < TRY_AGAIN_AFTER_MS) return false;
    this.#triedAt = now;
    try {
      const fetched = parseRegistry(await fetchRegistry(url));
      if (!fetched || fetched.length === 0) throw new Error("it has no agents in a form known here");
      mkdirSync(dirname(cacheFile), { recursive: true, mode: 0o700 });
      replaceFile(cacheFile, JSON.stringify({ fetchedAt: isoTime(world), agents: fetched }));
      this.#known = this.#load();
    } catch (error) {
      info(`The agent registry was not refreshed (${reasonOf(error)}); the list known here is used.`);
      return false;
    }
    return !Bun.deepEquals(before, this.#known.entries);
  }

  #load(): Known {
    const snapshot = Snapshot.parse(JSON.parse(readFileSync(SNAPSHOT_FILE, "utf8")));
    const bundled = parseRegistry(snapshot);
    invariant(bundled?.length === snapshot.agents.length, "the bundled registry has an entry that does not validate");
    const fetched = this.#readCache();
    // A newer program brings a newer list along.
    if (!fetched || fetched.fetchedAt < Date.parse(snapshot.takenAt))
      return { entries: merge(bundled, []), fetchedAt: 0 };
    return { entries: merge(bundled, fetched.entries), fetchedAt: fetched.fetchedAt };
  }

  /** A cache that cannot be read is no cache: it is only a copy. */
  #readCache(): Known<RegistryEntry> | null {
    if (!existsSync(this.#options.cacheFile)) return null;
    try {
      const cached = Fetched.parse(JSON.parse(readFileSync(this.#options.cacheFile, "utf8")));
      return { entries: parseRegistry(cached) ?? [], fetchedAt: Date.parse(cached.fetchedAt) };
    } catch (error) {
      this.#options.info(`The kept agent registry cannot be read (${reasonOf(error)}); the bundled one is used.`);
      return null;
    }
  }
}

/**
 * What the registry left out stays known. What is started of the programs this machine has, and with which words, is
 * ours to say, never the network's: that can only name packages, which the user installs.
 */
function merge(bundled: readonly RegistryEntry[], fetched: readonly RegistryEntry[]): KnownEntry[] {
  const entries = new Map<string, KnownEntry>(
    bundled.map((entry) => [entry.id, { ...entry, bundled: entry.distribution }]),
  );
  for (const { programs: _programs, vendor: _vendor, ...entry } of fetched) {
    const ours = entries.get(entry.id);
    entries.set(entry.id, {
      ...entry,
      bundled: ours?.bundled ?? null,
      ...(ours?.programs && { programs: ours.programs }),
      ...(ours?.vendor && { vendor: ours.vendor }),
    });
  }
  return [...entries.values()];
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
