import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { invariant } from "../../lib/assert.ts";
import { isoTime, type World } from "../../ports/world.ts";
import { replaceFile } from "../install/replace-file.ts";

const REFRESH_AFTER_MS = 24 * 60 * 60 * 1_000;
const TRY_AGAIN_AFTER_MS = 60 * 60 * 1_000;

const Snapshot = z.object({ version: z.string(), takenAt: z.string(), agents: z.array(z.unknown()) });
const Fetched = z.object({ fetchedAt: z.string(), agents: z.array(z.unknown()) });

interface AgentRegistryOptions {
  readonly world: World;
  readonly cacheFile: string;
  /** Null: no network requests. */
  readonly url: string | null;
  readonly info: (text: string) => void;
}

interface Known<Entry extends RegistryEntry = KnownEntry> {
  readonly entries: readonly Entry[];
  /** When the list was last fetched; before 1971 if never. */
  readonly fetchedAt: number;
}

/** The public registry: bundled, or a newer copy if one was fetched. Read on demand. */
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

  /** Fetches the list when it is due; true if it changed. Without a network the known list stays. */
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
      if (!fetched || fetched.length === 0) throw new Error("it contains no agents in a supported format");
      mkdirSync(dirname(cacheFile), { recursive: true, mode: 0o700 });
      replaceFile(cacheFile, JSON.stringify({ fetchedAt: isoTime(world), agents: fetched }));
      this.#known = this.#load();
    } catch (error) {
      info(`Could not refresh the agent registry (${reasonOf(error)}). Using the cached list.`);
      return false;
    }
    return !Bun.deepEquals(before, this.#known.entries);
  }

  #load(): Known {
    const snapshot = Snapshot.parse(require("./registry-snapshot.json"));
    const bundled = parseRegistry(snapshot);
    invariant(bundled?.length === snapshot.agents.length, "the bundled registry has an entry that does not validate");
    const fetched = this.#readCache();
    // A newer release contains a newer list.
    if (!fetched || fetched.fetchedAt < Date.parse(snapshot.takenAt))
      return { entries: merge(bundled, []), fetchedAt: 0 };
    return { entries: merge(bundled, fetched.entries), fetchedAt: fetched.fetchedAt };
  }

  /** An unreadable cache counts as missing. */
  #readCache(): Known<RegistryEntry> | null {
    if (!existsSync(this.#options.cacheFile)) return null;
    try {
      const cached = Fetched.parse(JSON.parse(readFileSync(this.#options.cacheFile, "utf8")));
      return { entries: parseRegistry(cached) ?? [], fetchedAt: Date.parse(cached.fetchedAt) };
    } catch (error) {
      this.#options.info(`Could not read the cached agent registry (${reasonOf(error)}). Using the bundled one.`);
      return null;
    }
  }
}

/**
 * Entries that the registry dropped stay known. The commands and arguments for programs on this machine come from the
 * bundled list only, never from the network: fetched entries can only name packages, which the user installs.
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

const REGISTRY_BYTES_MAX = 4 * 1024 * 1024;
const FETCH_TIMEOUT_MS = 10_000;
const REDIRECTS_MAX = 3;
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** The public list of agents. */
export const REGISTRY_URL = "https://cdn.agentclientprotocol.com/registry/v1/latest/registry.json";

/** The current registry; throws with the reason if it cannot be fetched within the limits of time and size. */
export async function fetchRegistry(url: string): Promise<unknown> {
  const response = await request(trusted(url), AbortSignal.timeout(FETCH_TIMEOUT_MS), REDIRECTS_MAX);
  if (!response.ok) throw new Error(`it returned ${response.status}`);
  return JSON.parse(await readBounded(response));
}

/** Redirects are followed within the same origin only: another one could be a machine that only we can reach. */
async function request(url: URL, signal: AbortSignal, redirectsLeft: number): Promise<Response> {
  const response = await fetch(url, { headers: { Accept: "application/json" }, redirect: "manual", signal });
  const location = response.headers.get("location");
  if (response.status < 300 || response.status > 399 || location === null) return response;
  await response.body?.cancel();
  if (redirectsLeft === 0) throw new Error("too many redirects");
  const next = URL.canParse(location, url) ? new URL(location, url) : null;
  if (next?.origin !== url.origin)
    throw new Error(
      `it redirects to ${next?.origin ?? "an invalid address"}, but only ${url.origin} is allowed; set LIMINAL_REGISTRY_URL to use another`,
    );
  return request(next, signal, redirectsLeft - 1);
}

/** The list decides which programs are offered, so the connection must be authenticated; loopback needs no TLS. */
function trusted(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url?.protocol === "https:" || (url?.protocol === "http:" && LOOPBACK.test(url.hostname))) return url;
  throw new Error("its address does not start with https://; check LIMINAL_REGISTRY_URL");
}

async function readBounded(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = "";
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > REGISTRY_BYTES_MAX) throw new Error(`it is larger than ${REGISTRY_BYTES_MAX} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

const TEXT_CHARS_MAX = 2_000;
const WORDS_MAX = 50;
const ENTRIES_MAX = 500;

const text = z.string().min(1).max(TEXT_CHARS_MAX);
const args = z.array(z.string().max(TEXT_CHARS_MAX)).max(WORDS_MAX).optional();
const env = z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string().max(TEXT_CHARS_MAX)).optional();

/** A program in a vendor's archive; without a known archive, only the command. */
const BinaryTarget = z.object({ cmd: text, args, env });
const PackageDistribution = z.object({ package: text, cmd: text.optional(), args, env });

/** One agent of the public ACP registry. */
const RegistryEntry = z.object({
  id: z
    .string()
    .max(64)
    .regex(/^[a-z][a-z0-9-]*$/),
  name: text,
  version: z.string().min(1).max(64),
  description: text,
  /** Our addition: names that its own installer puts on the PATH. */
  programs: z.array(text).max(WORDS_MAX).optional(),
  /** Our addition: what to look for if we cannot install it. */
  vendor: text.optional(),
  distribution: z.object({
    npx: PackageDistribution.optional(),
    uvx: PackageDistribution.optional(),
    /** By `<os>-<cpu>`; `*` matches any. */
    binary: z.record(z.string(), BinaryTarget).optional(),
  }),
});
type RegistryEntry = z.infer<typeof RegistryEntry>;

/** An entry with the bundled start data; null if only the network has the entry. */
export type KnownEntry = RegistryEntry & { readonly bundled: RegistryEntry["distribution"] | null };

const Registry = z.object({ agents: z.array(z.unknown()).max(ENTRIES_MAX) });

/** The entries that can be read, or null if this is not a registry. An invalid entry is skipped. */
export function parseRegistry(json: unknown): readonly RegistryEntry[] | null {
  const parsed = Registry.safeParse(json);
  if (!parsed.success) return null;
  return parsed.data.agents.flatMap((entry) => RegistryEntry.safeParse(entry).data ?? []);
}
