import { createHash } from "node:crypto";
import { z } from "zod/mini";
import { agentEnvironment } from "../agents/process/agent-environment.ts";
import type { SurvivingProcess } from "../agents/process/process-host.ts";
import { parseJson } from "../lib/parse-json.ts";
import { configuredName, MAIN_POD, podName } from "../protocol/place-path.ts";
import type { PlaceStanding } from "../protocol/places.ts";
import { CONTRACT_VERSIONS } from "./contract.ts";
import type { DialIns } from "./dial-ins.ts";
import type { Place, PodPlace } from "./place.ts";
import { PlaceError } from "./place-error.ts";
import { PlaceLink } from "./place-link.ts";
import { PlaceWorkspace } from "./place-workspace.ts";
import type { PlacesParts } from "./places-parts.ts";
import { podIdentity } from "./pod.ts";
import type { PodCare } from "./pod-care.ts";
import type { Cluster } from "./pods.ts";

const ID_CHARS = 8;
/** A lost connection needs this long to come back, also where agents otherwise end with the server. */
const HOLD_MS_MIN = 60_000;
const UNATTENDED_BYTES_MAX = 64 * 1024 * 1024;
/** A place that is away must not hold up the start of the server, unless a turn would be lost. */
const SURVIVORS_MS_MAX = 5_000;
const TURNS_MS_MAX = 30_000;

/** The identity of this server for the runners of places, how often it has started, and where it had agents. */
const Identity = z.object({ server: z.string(), epoch: z.int(), places: z.array(z.string()) });
type Identity = z.infer<typeof Identity>;

/**
 * The identity of this server for the runners of a place. Two places may lead to one machine: they must not end each
 * other's connection and agents.
 */
export function serverAt(server: string, place: string): string {
  return createHash("sha256").update(`${server} ${place}`).digest("hex").slice(0, ID_CHARS);
}

/** The connections to places, each made when it is first used. */
export class PlaceLinks {
  readonly #parts: PlacesParts;
  readonly #links = new Map<string, { readonly link: PlaceLink; readonly workspace: PlaceWorkspace }>();
  #identity: Identity;
  #podCare: Promise<PodCare> | null = null;
  #dialIns: Promise<DialIns> | null = null;
  #dialInsNow: DialIns | null = null;

  /** Each start of the server counts one more, so that runners tell it from an earlier one. */
  constructor(parts: PlacesParts) {
    this.#parts = parts;
    const before = Identity.safeParse(parseJson(parts.identity.read() ?? "")).data;
    // Without a readable file it is another server: it must not take the agents of one that may still run.
    const server = before?.server ?? parts.newId().replaceAll("-", "").slice(0, ID_CHARS);
    this.#identity = { server, epoch: (before?.epoch ?? 0) + 1, places: before?.places ?? [] };
    this.#write();
  }

  /** With the settings of now. Throws a PlaceError for a place that is not in config.json. */
  link(name: string): PlaceLink {
    return this.#linked(name).link;
  }

  /** Throws a PlaceError for a place that is not in config.json. */
  workspace(name: string): PlaceWorkspace {
    return this.#linked(name).workspace;
  }

  /** How many places are in use, and how many of them cannot be reached now. */
  counts(): { readonly used: number; readonly unreachable: number } {
    const links = [...this.#links.values()];
    return {
      used: links.length,
      unreachable: links.filter(({ link }) => link.standing.state === "unreachable").length,
    };
  }

  /** Of the places that are in use. */
  workspaces(): readonly PlaceWorkspace[] {
    return [...this.#links.values()].map(({ workspace }) => workspace);
  }

  #linked(name: string): { readonly link: PlaceLink; readonly workspace: PlaceWorkspace } {
    const place = this.#find(name);
    const linked = this.#links.get(name);
    if (linked) {
      linked.link.use(place);
      return linked;
    }
    const { env, release, limits, workspace, flow, onCut, onStanding, onTerminal, serveTools, onError } = this.#parts;
    const holdMs = Math.max(limits.holdMs, HOLD_MS_MIN);
    const { server, epoch, places } = this.#identity;
    const known = configuredName(name);
    if (!places.includes(known)) {
      this.#identity = { server, epoch, places: [...places, known] };
      this.#write();
    }
    if (place.kind === "kubernetes") this.podCare().catch(onError);
    const link = new PlaceLink({
      place,
      env: agentEnvironment(env),
      server: { id: serverAt(server, name), epoch },
      release,
      versions: CONTRACT_VERSIONS,
      limits: {
        holdMs,
        checkpointBytes: limits.checkpointBytes,
        journalBytesMax: UNATTENDED_BYTES_MAX + limits.checkpointBytes,
      },
      flow,
      onCut: (reason) => onCut(name, reason),
      onStanding: () => onStanding(known, this.standing(known) ?? { state: "idle" }),
      serveTools,
      dialled: async (place) => (await this.dialIns()).take(place),
      onError,
    });
    const { checkpoints, vaultBytesMax } = workspace;
    const options = { name, checkpoints, vaultBytesMax, holdMs, onTerminal, onError };
    const made = { link, workspace: new PlaceWorkspace(link, options) };
    this.#links.set(name, made);
    return made;
  }

  /** Of a place with many pods: that of its own one if it is used, else of any that is. */
  standing(name: string): PlaceStanding | undefined {
    const isDialIn = this.#parts.configured().some((place) => place.name === name && place.kind === "dial-in");
    const known = this.#links.get(name)?.link.standing;
    if (isDialIn && (!known || known.state === "idle")) return this.#dialInsNow?.standing(name) ?? known;
    const all = [...this.#links].filter(([key]) => configuredName(key) === name).map(([, { link }]) => link.standing);
    const own = this.#links.get(name)?.link.standing;
    if (own && own.state !== "idle") return own;
    return all.find(({ state }) => state !== "idle") ?? own;
  }

  /** The runners that dial in: from now on, they can. */
  dialIns(): Promise<DialIns> {
    this.#dialIns ??= import("./dial-ins.ts").then(async ({ DialIns }) => {
      this.#dialInsNow = await DialIns.open(this.#parts.dialIn, {
        onArrived: (place) => this.#ofDialIn(place, (link) => void link.dialled()),
        onRefused: (place, problem) => this.#ofDialIn(place, (link) => link.refused(problem)),
      });
      return this.#dialInsNow;
    });
    return this.#dialIns;
  }

  get listensToRunners(): boolean {
    return this.#dialIns !== null;
  }

  /** Nothing for a place that was just taken out of config.json. */
  #ofDialIn(place: string, tell: (link: PlaceLink) => void): void {
    try {
      tell(this.link(place));
    } catch (error) {
      if (!(error instanceof PlaceError)) throw error;
    }
  }

  /** Deletes pods that nobody needs. */
  podCare(): Promise<PodCare> {
    this.#podCare ??= import("./pod-care.ts").then(({ PodCare }) => new PodCare(this, this.#parts));
    return this.#podCare;
  }

  /** The place and its pods; null for a place that has none, or is not in config.json. */
  async cluster(name: string): Promise<{ readonly place: PodPlace; readonly cluster: Cluster } | null> {
    if (!this.#parts.configured().some((place) => place.name === configuredName(name))) return null;
    const place = this.#find(name);
    if (place.kind !== "kubernetes" || place.pod === null) return null;
    const { Cluster } = await import("./pods.ts");
    const ours = { ...place, pod: place.pod };
    return { place: ours, cluster: new Cluster(ours, agentEnvironment(this.#parts.env)) };
  }

  /** Of a pod, if this server has used it. */
  known(name: string): PlaceLink | undefined {
    return this.#links.get(name)?.link;
  }

  /** Agents of an earlier start, at all places that can be reached now. Longer is waited for the busy ones. */
  async survivors(busy: ReadonlySet<string>): Promise<readonly SurvivingProcess[]> {
    const known = new Set([...this.#identity.places, ...busy]);
    const isConfigured = (name: string) =>
      this.#parts.configured().some((place) => place.name === configuredName(name));
    const names = await Promise.all(
      [...known]
        .filter(isConfigured)
        .map((name) => this.#withAgents(name, busy.has(name) ? TURNS_MS_MAX : SURVIVORS_MS_MAX)),
    );
    const found = await Promise.all(
      [...new Set(names.flat())].map(async (name) => {
        try {
          return await this.link(name).survivors(busy.has(name) ? TURNS_MS_MAX : SURVIVORS_MS_MAX);
        } catch (error) {
          if (!(error instanceof PlaceError)) throw error;
          this.#parts.warn(`Agents at ${name} could not be resumed: ${error.message}`);
          return [];
        }
      }),
    );
    return found.flat();
  }

  /** Where agents may be: a place, or those pods of it that are there. Looking for them makes none. */
  async #withAgents(name: string, msMax: number): Promise<readonly string[]> {
    try {
      const pods = await this.cluster(name);
      if (pods === null) return [name];
      await this.podCare();
      const ids = await pods.cluster.ids(msMax);
      return ids.map((id) => podName(configuredName(name), id));
    } catch (error) {
      if (!(error instanceof PlaceError)) throw error;
      this.#parts.warn(`Agents at ${name} could not be resumed: ${error.message}`);
      return [];
    }
  }

  end(): void {
    this.#podCare?.then((care) => care.end()).catch(this.#parts.onError);
    for (const { link } of this.#links.values()) link.end();
    this.#dialInsNow?.end();
  }

  #find(name: string): Place {
    const places = this.#parts.configured();
    const [configured, id = MAIN_POD] = name.split(".");
    const found = places.find((place) => place.name === configured);
    if (found?.kind === "fence" && this.#parts.isShared)
      throw new PlaceError(
        `${name} is a fence on the machine of one server, and a team has several. Use a place that each of its servers reaches by SSH or a command.`,
      );
    if (found?.kind === "dial-in" && this.#parts.isShared)
      throw new PlaceError(
        `${name} dials in to one server, and a team has several. Use a place that each of its servers reaches by SSH or a command.`,
      );
    if (found?.kind === "kubernetes") {
      const pod = podIdentity(this.#identity.server, found.name, id);
      return { ...found, name, pod };
    }
    if (found && found.name === name) return found;
    const known = places.length === 0 ? "There is none yet" : `Known: ${places.map((place) => place.name).join(", ")}`;
    throw new PlaceError(`There is no place "${name}". ${known}. Add one with: liminal place add user@host`);
  }

  #write(): void {
    this.#parts.identity.write(`${JSON.stringify(this.#identity)}\n`);
  }
}
