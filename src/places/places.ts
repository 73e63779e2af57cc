import { createHash } from "node:crypto";
import type { AgentPlaces } from "../agents/pool/agent-pool.ts";
import { NotStartableError, type ProcessHost, type SurvivingProcess } from "../agents/process/process-host.ts";
import type { Workdirs } from "../ports/workdirs.ts";
import type { Directories } from "../protocol/directories.ts";
import { REFUSE, RefusalError } from "../protocol/errors.ts";
import type { CliType } from "../protocol/ids.ts";
import { configuredName, POD_ID_CHARS, podName, splitPlace } from "../protocol/place-path.ts";
import type { PlaceStanding } from "../protocol/places.ts";
import type { FileSearch } from "../workspace/file-search.ts";
import type { PlaceDirectories } from "../workspace/project-service.ts";
import type { ToolRelay } from "./contract.ts";
import type { DialIns } from "./dial-ins.ts";
import { PlaceError } from "./place-error.ts";
import type { PlaceLinks } from "./place-links.ts";
import type { PlaceTerminals } from "./place-terminals.ts";
import type { PlaceWorkspace } from "./place-workspace.ts";
import type { PlacesParts } from "./places-parts.ts";

/** As `pod.ts` has it, which is not loaded before a place is used. */
const podIdOf = (sessionId: string) => createHash("sha256").update(sessionId).digest("hex").slice(0, POD_ID_CHARS);

/**
 * Other machines where agents run: the one entrance for the rest of the server. What connects to them is loaded with
 * the first use of one.
 */
export class Places implements AgentPlaces, PlaceDirectories {
  readonly #parts: PlacesParts;
  #links: Promise<PlaceLinks> | null = null;
  #linksNow: PlaceLinks | null = null;

  constructor(parts: PlacesParts) {
    this.#parts = parts;
  }

  command(place: string, cliType: CliType): readonly string[] | null {
    const own = this.#parts.configured().find(({ name }) => name === configuredName(place))?.agents[cliType];
    return own ?? (cliType === "builtin" ? [] : null);
  }

  async host(place: string): Promise<ProcessHost> {
    try {
      const link = (await this.#loaded()).link(place);
      await link.makeReady();
      return link;
    } catch (error) {
      if (error instanceof PlaceError) throw new NotStartableError(error.message);
      throw error;
    }
  }

  /** How an agent there is led to our tools. Null if it cannot be: the runner there is too old, or does not answer. */
  async toolRelay(place: string): Promise<ToolRelay | null> {
    try {
      const { release, tools } = await (await this.#loaded()).link(place).check();
      if (tools) return tools;
      this.#parts.warn(
        `Agents at ${place} get no tools to control other agents, because release ${release} of Liminal Builder there cannot lead to them. Install the server's release there.`,
      );
    } catch (error) {
      // Whoever starts the agent is told.
      if (!(error instanceof PlaceError)) throw error;
    }
    return null;
  }

  async find(place: string, path: string) {
    try {
      if (place !== configuredName(place))
        throw new PlaceError(`${place} is the pod of one session: use ${configuredName(place)}:${path}`);
      const { path: real } = await (await this.#loaded()).link(place).ask({ type: "directory:find", path });
      return { ok: true, path: real } as const;
    } catch (error) {
      if (error instanceof PlaceError) return { ok: false, reason: error.message } as const;
      throw error;
    }
  }

  async complete(place: string, path: string): Promise<Directories> {
    try {
      return await (await this.#loaded()).link(configuredName(place)).ask({ type: "directory:complete", path });
    } catch (error) {
      if (!(error instanceof PlaceError)) throw error;
      return { path, base: path, entries: [], hasMore: false, problem: error.message };
    }
  }

  /** Each session at it has a pod of its own. */
  hasPods(place: string): boolean {
    return this.#parts.configured().some(({ name, kind }) => name === place && kind === "kubernetes");
  }

  /** Where a session of a project works that has no worktree: in its own pod, if the place has those. */
  directoryFor(projectPath: string, sessionId: string): string {
    const at = splitPlace(projectPath);
    return at && this.hasPods(at.place) ? `${podName(at.place, podIdOf(sessionId))}:${at.path}` : projectPath;
  }

  /** A session was archived or deleted: its pod goes, if no other session works in it. */
  async sessionEnded(projectPath: string, sessionId: string): Promise<void> {
    const at = splitPlace(this.directoryFor(projectPath, sessionId));
    if (at && at.place !== configuredName(at.place)) await (await (await this.#loaded()).podCare()).ended(at.place);
  }

  /** Finds files where the directory is. */
  async search(root: string, query: string, limit: number): ReturnType<FileSearch["search"]> {
    const at = splitPlace(root);
    if (!at) return this.#parts.files.use().search(root, query, limit);
    try {
      return await (await this.#loaded()).link(at.place).ask({ type: "files:search", root: at.path, query, limit });
    } catch (error) {
      if (error instanceof PlaceError) throw new RefusalError(REFUSE.placeFailed(error.message));
      throw error;
    }
  }

  /** Rejects with a RefusalError when there is no such place. */
  async workdirs(place: string): Promise<Workdirs> {
    return (await this.workspace(place)).workdirs;
  }

  /** Rejects with a RefusalError when there is no such place. */
  async terminalsAt(place: string): Promise<PlaceTerminals> {
    return (await this.workspace(place)).terminals;
  }

  /** Resolves when the place was reached and its terminals are known. */
  async terminalsKnown(place: string): Promise<void> {
    try {
      await (await this.terminalsAt(place)).known;
    } catch (error) {
      // There is no such place any more: nobody will know.
      if (!(error instanceof RefusalError)) throw error;
    }
  }

  /** Of the places that are in use. */
  terminals(): readonly PlaceTerminals[] {
    return this.#linksNow?.workspaces().map(({ terminals }) => terminals) ?? [];
  }

  /** How many places are in use, and how many of them cannot be reached now. */
  counts(): { readonly used: number; readonly unreachable: number } {
    return this.#linksNow?.counts() ?? { used: 0, unreachable: 0 };
  }

  /** Terminals there end with the server, as those on this machine do. */
  async stopTerminals(): Promise<void> {
    await Promise.all(this.terminals().map((terminals) => terminals.stop()));
  }

  /** Rejects with a RefusalError when there is no such place. */
  async workspace(place: string): Promise<PlaceWorkspace> {
    try {
      return (await this.#loaded()).workspace(place);
    } catch (error) {
      if (error instanceof PlaceError) throw new RefusalError(REFUSE.placeFailed(error.message));
      throw error;
    }
  }

  /** The known state of the connection. Does not connect. */
  async standing(place: string): Promise<PlaceStanding> {
    return (await this.#links)?.standing(place) ?? { state: "idle" };
  }

  /** Connects to the place, with its newest settings, and stays connected. The standing has the result. */
  async connect(place: string): Promise<void> {
    try {
      await (await this.#loaded()).link(place).check();
    } catch (error) {
      if (!(error instanceof PlaceError)) throw error;
    }
  }

  /** Lets runners dial in, if a place does; what is no such place any more is cut. */
  async listen(): Promise<void> {
    if (this.#parts.isShared) return;
    const hasOne = this.#parts.configured().some(({ kind }) => kind === "dial-in");
    if (!hasOne && this.#linksNow?.listensToRunners !== true) return;
    (await (await this.#loaded()).dialIns()).look();
  }

  /** A link for one machine that shall dial in. Rejects with a RefusalError. */
  async invite(place: string): Promise<{ readonly link: string; readonly expiresAtMs: number }> {
    return this.#ofDialIn(place, (dialIns) => dialIns.invite(place));
  }

  /** Cuts the runner of a place that dials in, whose certificate is refused from now on. Rejects with a RefusalError. */
  async revoke(place: string): Promise<void> {
    await this.#ofDialIn(place, (dialIns) => dialIns.revoke(place));
  }

  async #ofDialIn<Result>(place: string, ask: (dialIns: DialIns) => Result | Promise<Result>): Promise<Result> {
    try {
      const links = await this.#loaded();
      links.link(place);
      if (!this.#parts.configured().some(({ name, kind }) => name === place && kind === "dial-in"))
        throw new PlaceError(`${place} does not dial in: the server connects to it.`);
      return await ask(await links.dialIns());
    } catch (error) {
      if (error instanceof PlaceError) throw new RefusalError(REFUSE.placeFailed(error.message));
      throw error;
    }
  }

  /** Agents that an earlier server left at places; `workedIn` gives the directories in which turns were running. */
  async survivors(workedIn: () => Promise<readonly string[]>): Promise<readonly SurvivingProcess[]> {
    if (this.#parts.identity.read() === null) return [];
    const busy = (await workedIn()).flatMap((cwd) => splitPlace(cwd)?.place ?? []);
    return (await this.#loaded()).survivors(new Set(busy));
  }

  /** Agents at places live on, if they were not stopped before. */
  async end(): Promise<void> {
    (await this.#links)?.end();
  }

  #loaded(): Promise<PlaceLinks> {
    this.#links ??= import("./place-links.ts").then(({ PlaceLinks }) => {
      this.#linksNow = new PlaceLinks(this.#parts);
      return this.#linksNow;
    });
    return this.#links;
  }
}
