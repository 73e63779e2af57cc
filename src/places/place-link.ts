import { DistantProcess } from "../agents/holder/distant-process.ts";
import type { HostedProcess, ProcessHost, ProcessSpec, SurvivingProcess } from "../agents/process/process-host.ts";
import type { FlowGate } from "../lib/flow-gate.ts";
import { ignore } from "../lib/ignore.ts";
import { parseJson } from "../lib/parse-json.ts";
import { type Refusal, RefusalError } from "../protocol/errors.ts";
import { MAIN_POD } from "../protocol/place-path.ts";
import type { PlaceStanding } from "../protocol/places.ts";
import {
  ANSWERS,
  type AnswerTo,
  type Ask,
  FromRunner,
  type FromServer,
  type Start,
  versionOfPart,
  WORKSPACE_VERSION,
  type Workspace,
  type WorkspaceEvent,
} from "./contract.ts";
import { BrokenFrameError, CONTROL, encodeFrame, FrameReader, NOISE_BYTES_MAX, OPENING, piecesOf } from "./frames.ts";
import { type Place, placeCommand, placeFailure } from "./place.ts";
import { PlaceError } from "./place-error.ts";
import { type ServeTools, ToolCalls } from "./tool-calls.ts";
import { byCommand, type OpenWay, type Way, type WayEnd } from "./way.ts";

const ANSWER_MS_MAX = 30_000;
/** Hooks of a commit may run tests. A dead connection is noticed long before. */
const WORK_MS_MAX = 60 * 60 * 1_000;
/** SSH to a machine that is far away and busy. */
const WELCOME_MS_MAX = 30_000;
const RETRY_MS_FIRST = 250;
const RETRY_MS_MAX = 10_000;
/** After the agents of an unreachable place have ended there by themselves, they count as ended here, too. */
const GIVE_UP_MARGIN_MS = 30_000;
const unheard = ignore("no session continues with this process");

export type Welcome = Extract<FromRunner, { type: "welcome" }>;

interface PlaceLinkOptions {
  readonly place: Place;
  readonly env: Readonly<Record<string, string>>;
  /** Which server this is, and how often it has started. */
  readonly server: { readonly id: string; readonly epoch: number };
  readonly release: string;
  readonly versions: readonly number[];
  readonly limits: Pick<Start, "holdMs" | "checkpointBytes" | "journalBytesMax">;
  /** While it is closed, nothing is read from the place. */
  readonly flow: FlowGate;
  /** The connection was lost while agents run there (a sentence), or is back (null). */
  readonly onCut: (reason: string | null) => void;
  readonly onStanding: (standing: PlaceStanding) => void;
  /** Null: no agent there gets our tools. */
  readonly serveTools: ServeTools | null;
  /** The runner that has dialled in as this place. Rejects with a PlaceError if there is none. */
  readonly dialled: (place: string) => Promise<OpenWay>;
  readonly onError: (error: unknown) => void;
}

/** The server's part of the workspace at a place. */
export interface LinkedWorkspace {
  /** Sent to each new runner before any request. */
  readonly begin: () => Workspace;
  /** Sent to it after that. */
  readonly watched: () => Extract<FromServer, { type: "watched" }>["places"];
  /** A lost connection is opened again, also when no agent runs there. */
  readonly isWanted: () => boolean;
  readonly onEvent: (event: WorkspaceEvent) => void;
  /** Connected, for the first time or again. */
  readonly onConnected: () => void;
  readonly onLost: () => void;
  /** The pod is gone, and everything in it. */
  readonly onGone: () => void;
}

interface Channel {
  readonly id: string;
  readonly start: Start | null;
  readonly distant: DistantProcess;
}

interface Pending {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: PlaceError | RefusalError) => void;
}

/**
 * The server's side of one place: one connection for any number of agents. A lost one is opened again while agents run
 * there; nothing of theirs is lost or doubled meanwhile.
 */
export class PlaceLink implements ProcessHost {
  readonly #options: PlaceLinkOptions;
  readonly #channels = new Map<number, Channel>();
  readonly #pending = new Map<number, Pending>();
  #connection: Connection | null = null;
  /** The one that is being made. */
  #attempt: Connection | null = null;
  #connecting: Promise<Connection> | null = null;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #retryMs = RETRY_MS_FIRST;
  #giveUp: ReturnType<typeof setTimeout> | undefined;
  #place: Place;
  #standing: PlaceStanding = { state: "idle" };
  #isCut = false;
  #isEnded = false;
  /** It is known what an earlier start of this server left there. */
  #hasLooked = false;
  #channelCount = 0;
  #askCount = 0;
  #workspace: LinkedWorkspace | null = null;
  #usedAtMs = performance.now();
  /** Agents that wait for the pod. */
  #starting = 0;
  /** How often its pod was taken away. */
  #retired = 0;

  constructor(options: PlaceLinkOptions) {
    this.#options = options;
    this.#place = options.place;
  }

  get standing(): PlaceStanding {
    return this.#standing;
  }

  /** New settings apply at once: agents that run there are reached the new way. */
  use(place: Place): void {
    const isSame = Bun.deepEquals(placeCommand(place), placeCommand(this.#place));
    // A new template is for new pods. The one that is being reached was asked for with the old one.
    if (isSame && Bun.deepEquals(place, this.#place)) return;
    this.#place = place;
    if (isSame) return;
    this.#connecting = null;
    this.#attempt?.end();
    this.#attempt = null;
    this.#retryMs = RETRY_MS_FIRST;
    const connection = this.#connection;
    if (!connection) {
      this.#stand({ state: "idle" });
      return;
    }
    connection.end();
    this.#lost(connection, new PlaceError(`The settings of ${place.name} have changed.`));
  }

  /** Rejects with a PlaceError that says how to fix it. */
  async check(): Promise<Welcome> {
    return (await this.#connected()).welcome;
  }

  /**
   * An agent is about to start there: its pod is made, if there is none. The time that an agent may take for its start
   * must not run meanwhile. Rejects with a PlaceError.
   */
  async makeReady(): Promise<void> {
    if (this.#place.kind !== "kubernetes") return;
    this.#starting++;
    try {
      await this.#connectedFor(true);
    } finally {
      this.#starting--;
    }
  }

  /** A runner has dialled in: it is not waited for any longer. */
  async dialled(): Promise<void> {
    clearTimeout(this.#retry);
    this.#retryMs = RETRY_MS_FIRST;
    try {
      // One that was being made when the runner came may be to the one before it.
      await this.#connecting?.catch(ignore("it is made again"));
      await this.#connected();
    } catch (error) {
      this.#notConnected(error);
    }
  }

  /** No runner can dial in, or one was refused. */
  refused(problem: string): void {
    if (this.#connection || this.#isEnded) return;
    this.#stand({ state: "unreachable", problem });
    if (this.#isCut) this.#options.onCut(problem);
  }

  /** Before the first connection. */
  attend(workspace: LinkedWorkspace): void {
    this.#workspace = workspace;
  }

  /** Rejects with a RefusalError for what the workspace there refuses, else with a PlaceError. */
  async call(part: Extract<Ask, { type: "workspace:call" }>["part"], call: string, args: unknown[]): Promise<unknown> {
    const { version, release } = await this.check();
    if (version < versionOfPart(part)) {
      const lacks = version < WORKSPACE_VERSION ? "runs agents only" : "has neither worktrees nor services";
      throw this.#error(
        `has release ${release} of Liminal Builder, which ${lacks}. Install the server's release there.`,
        { isFinal: true },
      );
    }
    return (await this.ask({ type: "workspace:call", part, call, args }, WORK_MS_MAX)).result;
  }

  get isConnected(): boolean {
    return this.#connection !== null;
  }

  /** Whose changes someone looks at has changed. Nothing is told to a place that is not connected. */
  tellWatched(): void {
    if (this.#connection && this.#workspace) this.#tellWatched(this.#connection, this.#workspace);
  }

  async ask<Type extends Ask["type"]>(
    ask: Extract<Ask, { type: Type }>,
    msMax = ANSWER_MS_MAX,
  ): Promise<AnswerTo<Type>> {
    const connection = await this.#connected();
    const id = ++this.#askCount;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#pending.set(id, { resolve, reject });
    const timer = setTimeout(() => reject(this.#error("did not answer in time. Try again.")), msMax);
    try {
      connection.send({ type: "ask", id, ask });
      const schema: { safeParse(value: unknown): { data?: unknown; success: boolean } } = ANSWERS[ask.type];
      const answer = schema.safeParse(await promise);
      if (!answer.success)
        throw this.#error("sent an answer that is not in the contract. Update Liminal Builder there.");
      return answer.data as AnswerTo<Type>;
    } finally {
      clearTimeout(timer);
      this.#pending.delete(id);
      this.#usedAtMs = performance.now();
    }
  }

  start({ held, command, cwd, env, ...listener }: ProcessSpec): HostedProcess {
    if (!held) throw new Error("a process at a place needs a name");
    const { limits } = this.#options;
    // An empty command is the built-in agent of the release that is installed there.
    const start: Start = {
      label: held.label,
      command: command.length === 0 ? null : [...command],
      cwd,
      env: { ...env },
      ...limits,
    };
    const distant = this.#follow(held.id, start);
    distant.process.listen(listener);
    distant.process.takePast();
    return distant.process;
  }

  /** Processes of an earlier start of this server. Those that are found later are not resumed: they are ended. */
  async survivors(msMax: number): Promise<readonly SurvivingProcess[]> {
    const found = this.#lookForSurvivors();
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(this.#error("did not answer in time.")), msMax);
    try {
      return await Promise.race([found, late]);
    } catch (error) {
      found
        .then((all) => Promise.all(all.map((one) => one.abandon())))
        .catch((failure: unknown) => {
          if (!(failure instanceof PlaceError)) this.#options.onError(failure);
        });
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  async #lookForSurvivors(): Promise<readonly SurvivingProcess[]> {
    this.#hasLooked = true;
    try {
      const { processes } = await this.ask({ type: "processes:list" });
      return await Promise.all(processes.map(({ id, label }) => this.#survivor(id, label)));
    } catch (error) {
      // They are looked for again, and ended, when the place can be reached.
      this.#hasLooked = false;
      throw error;
    }
  }

  async #survivor(id: string, label: string): Promise<SurvivingProcess> {
    const { process } = this.#follow(id, null);
    await process.caughtUp;
    return {
      id,
      label,
      place: this.#place.name,
      isAlive: process.isHeld && !process.hasEnded,
      start: (spec) => {
        process.listen(spec);
        return process;
      },
      abandon: async () => {
        process.listen({ onLine: unheard, onStderr: unheard, onTooLong: unheard });
        process.takePast();
        await process.stop();
        await process.release();
      },
    };
  }

  /** They were not resumed when the server started: their place could not be reached then. */
  async #endUnknown(): Promise<void> {
    if (this.#hasLooked) return;
    this.#hasLooked = true;
    const { processes } = await this.ask({ type: "processes:list" });
    const known = new Set([...this.#channels.values()].map(({ id }) => id));
    const unknown = processes.filter(({ id }) => !known.has(id));
    await Promise.all(unknown.map(async ({ id, label }) => (await this.#survivor(id, label)).abandon()));
  }

  /** Something runs there, or is asked of it. */
  get isInUse(): boolean {
    return this.#isWanted() || this.#pending.size > 0 || this.#connecting !== null;
  }

  /** By the clock of this process: when it was used last. */
  get usedAtMs(): number {
    return this.isInUse ? performance.now() : this.#usedAtMs;
  }

  /** What ran there is over, since the pod goes. It can be used again, and has another pod then. */
  retire(reason: string): void {
    this.#retired++;
    clearTimeout(this.#giveUp);
    this.#giveUp = undefined;
    this.#connecting = null;
    this.#attempt?.end();
    this.#attempt = null;
    const connection = this.#connection;
    this.#connection = null;
    for (const { reject } of this.#pending.values()) reject(new PlaceError(reason, { isFinal: true, isLost: true }));
    connection?.end();
    this.#workspace?.onGone();
    this.#isCut = false;
    this.#abandon(reason);
    this.#stand({ state: "idle" });
  }

  /** Leaves everything that runs there to the next server. */
  end(): void {
    this.#isEnded = true;
    clearTimeout(this.#retry);
    clearTimeout(this.#giveUp);
    this.#attempt?.end();
    this.#connection?.end();
  }

  #follow(id: string, start: Start | null): DistantProcess {
    const number = ++this.#channelCount;
    const distant = new DistantProcess({
      checkpointBytes: this.#options.limits.checkpointBytes,
      kill: () => this.#connection?.send({ type: "kill", process: id }) ?? false,
      removeFiles: () => void this.#connection?.send({ type: "remove", process: id }),
      leave: () => {
        this.#channels.delete(number);
        this.#usedAtMs = performance.now();
        this.#connection?.send({ type: "close", channel: number });
      },
    });
    const channel = { id, start, distant };
    this.#channels.set(number, channel);
    this.#usedAtMs = performance.now();
    if (this.#connection) this.#open(this.#connection, number, channel);
    else
      this.#connectedFor(start !== null).catch((error: unknown) => {
        // Before the first connection there is no agent yet; later ones are tried again.
        if (!distant.isKnown && this.#channels.delete(number)) distant.gone(errorText(error));
      });
    return distant;
  }

  /** A new agent has its pod made. An attempt that was under way already may have found none, and made none. */
  async #connectedFor(isNew: boolean): Promise<Connection> {
    try {
      return await this.#connected();
    } catch (error) {
      if (!isNew || !(error instanceof PlaceError) || !error.isGone) throw error;
      return this.#connected();
    }
  }

  /** One connection at a time, shared by all who wait for it. */
  #connected(): Promise<Connection> {
    if (this.#isEnded) return Promise.reject(this.#error("is not used any more: the server stops.", { isFinal: true }));
    if (this.#connection) return Promise.resolve(this.#connection);
    if (this.#connecting) return this.#connecting;
    const connecting = this.#connect()
      .catch((error: unknown) => {
        const isNewest = this.#connecting === connecting;
        if (isNewest && error instanceof PlaceError) this.#stand({ state: "unreachable", problem: error.message });
        throw error;
      })
      .finally(() => {
        if (this.#connecting === connecting) this.#connecting = null;
      });
    this.#connecting = connecting;
    return connecting;
  }

  async #connect(): Promise<Connection> {
    // While it is tried again, the reason stays to be seen.
    if (this.#standing.state !== "unreachable") this.#stand({ state: "connecting" });
    const open = await this.#way();
    const { serveTools, onError } = this.#options;
    const tools =
      serveTools && new ToolCalls({ serve: serveTools, send: (answer) => void connection.send(answer), onError });
    const connection: Connection = new Connection(
      { ...this.#options, place: this.#place, open },
      {
        onBytes: (number, bytes) => {
          const channel = this.#channels.get(number);
          if (channel) this.#heard(connection, channel, bytes);
        },
        onMessage: (message) => {
          if (message.type === "tools:call" || message.type === "tools:cancel") tools?.received(message);
          else this.#received(message);
        },
        onEnd: (reason) => {
          tools?.cut();
          this.#lost(connection, reason);
        },
      },
    );
    this.#attempt = connection;
    await connection.ready;
    if (this.#attempt !== connection) throw this.#error("has new settings. Try again.");
    this.#attempt = null;
    this.#connection = connection;
    // Not before: should this attempt have failed, the next one is still to come.
    clearTimeout(this.#retry);
    this.#retryMs = RETRY_MS_FIRST;
    const { release, platform } = connection.welcome;
    this.#stand({ state: "connected", release, platform });
    clearTimeout(this.#giveUp);
    this.#giveUp = undefined;
    if (this.#workspace && connection.welcome.version >= WORKSPACE_VERSION) {
      connection.send({ type: "workspace", workspace: this.#workspace.begin() });
      this.#tellWatched(connection, this.#workspace);
    }
    for (const [number, channel] of this.#channels) this.#open(connection, number, channel);
    if (connection.welcome.version >= WORKSPACE_VERSION) this.#workspace?.onConnected();
    if (this.#isCut) this.#options.onCut(null);
    this.#isCut = false;
    this.#endUnknown().catch((error: unknown) => {
      if (!(error instanceof PlaceError)) this.#options.onError(error);
    });
    return connection;
  }

  /** What leads to the runner. A pod is made ready first; a runner that dials in has to be there. */
  async #way(): Promise<OpenWay> {
    const place = this.#place;
    const { env, dialled } = this.#options;
    if (place.kind === "dial-in") {
      const open = await dialled(place.name);
      this.#refuseOld(place);
      return open;
    }
    if (place.kind !== "kubernetes" || place.pod === null) return byCommand(placeCommand(place), env);
    const { pod } = place;
    const { Cluster } = await import("./pods.ts");
    const cluster = new Cluster({ ...place, pod }, env);
    const retired = this.#retired;
    const command = await cluster.reach(pod, () => this.#mayMakePod(pod.id));
    if (this.#retired !== retired) throw this.#error("has removed the pod.", { isFinal: true });
    this.#refuseOld(place);
    return byCommand(command, env);
  }

  /** Something has changed while the way was being made. */
  #refuseOld(place: Place): void {
    if (this.#place !== place) throw this.#error("has new settings. Try again.");
    if (this.#isEnded) throw this.#error("is not used any more: the server stops.", { isFinal: true });
  }

  /** That of a session is made for its agent alone: whoever only looks at files would otherwise bring it back empty. */
  #mayMakePod(id: string): boolean {
    if (id === MAIN_POD || this.#starting > 0) return true;
    return [...this.#channels.values()].some(({ start, distant }) => start !== null && !distant.isKnown);
  }

  #tellWatched(connection: Connection, workspace: LinkedWorkspace): void {
    if (connection.welcome.version < WORKSPACE_VERSION) return;
    connection.send({ type: "watched", places: workspace.watched() });
  }

  #open(connection: Connection, number: number, { id, start, distant }: Channel): void {
    distant.opened((bytes) => connection.write(number, bytes));
    // Once its holder was reached, it is never started again.
    connection.send({ type: "open", channel: number, process: id, start: distant.isKnown ? null : start });
  }

  /** A holder with a damaged journal is ended, as on this machine; the others at the place do not notice. */
  #heard(connection: Connection, { id, distant }: Channel, bytes: Uint8Array): void {
    if (!distant.receive(bytes)) connection.send({ type: "kill", process: id });
  }

  #received(message: Exclude<FromRunner, { type: "tools:call" | "tools:cancel" }>): void {
    switch (message.type) {
      case "gone": {
        const channel = this.#channels.get(message.channel);
        this.#channels.delete(message.channel);
        channel?.distant.gone(message.reason);
        return;
      }
      case "answer":
        this.#pending.get(message.id)?.resolve(message.result);
        return;
      case "failed":
        this.#pending.get(message.id)?.reject(failureOf(message));
        return;
      case "event":
        this.#workspace?.onEvent(message.event);
        return;
      case "welcome":
      case "refused":
        // Handled by the connection.
        return;
      default:
        message satisfies never;
    }
  }

  #lost(connection: Connection, reason: PlaceError): void {
    if (this.#connection !== connection) return;
    for (const { reject } of this.#pending.values()) reject(reason);
    this.#connection = null;
    this.#workspace?.onLost();
    for (const { distant } of this.#channels.values()) distant.cut();
    if (this.#isEnded) return;
    // What dials in comes back by itself, wanted or not.
    const isAwaited = this.#isWanted() || this.#place.kind === "dial-in";
    this.#stand(isAwaited ? { state: "unreachable", problem: reason.message } : { state: "idle" });
    if (this.#channels.size === 0) {
      this.#tryAgain();
      return;
    }
    this.#isCut = true;
    this.#options.onCut(reason.message);
    const { holdMs } = this.#options.limits;
    this.#giveUp ??= setTimeout(() => this.#abandon(reason.message), holdMs + GIVE_UP_MARGIN_MS);
    this.#tryAgain();
  }

  #tryAgain(): void {
    if (this.#isEnded || !this.#isWanted()) return;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => {
      this.#connected().catch((error: unknown) => this.#notConnected(error));
    }, this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MS_MAX);
  }

  #notConnected(error: unknown): void {
    if (!(error instanceof PlaceError)) this.#options.onError(error);
    // No server can serve these agents any more.
    else if (error.isFinal) this.#abandon(error.message);
    else {
      if (this.#isCut) this.#options.onCut(error.message);
      this.#tryAgain();
    }
  }

  #isWanted(): boolean {
    return this.#channels.size > 0 || (this.#workspace?.isWanted() ?? false);
  }

  #abandon(reason: string): void {
    clearTimeout(this.#retry);
    for (const [number, { distant }] of this.#channels) {
      this.#channels.delete(number);
      distant.gone(reason);
    }
  }

  #stand(standing: PlaceStanding): void {
    if (Bun.deepEquals(standing, this.#standing)) return;
    this.#standing = standing;
    this.#options.onStanding(standing);
  }

  #error(words: string, kind: { readonly isFinal?: boolean } = {}): PlaceError {
    return new PlaceError(`The place ${this.#place.name} ${words}`, kind);
  }
}

interface ConnectionListener {
  onBytes(channel: number, bytes: Uint8Array): void;
  onMessage(message: FromRunner): void;
  /** After `ready` has resolved: the connection is over. */
  onEnd(reason: PlaceError): void;
}

/** One way to the runner, and the contract on it. */
class Connection {
  readonly ready: Promise<void>;
  readonly #ready = Promise.withResolvers<void>();
  readonly #way: Way;
  readonly #options: PlaceLinkOptions;
  readonly #listener: ConnectionListener;
  readonly #frames: FrameReader;
  #noise: Uint8Array | null = new Uint8Array();
  #welcome: Welcome | null = null;
  #refused: PlaceError | null = null;
  #isOver = false;

  constructor(options: PlaceLinkOptions & { readonly open: OpenWay }, listener: ConnectionListener) {
    this.#options = options;
    this.#listener = listener;
    this.ready = this.#ready.promise;
    this.#frames = new FrameReader(({ channel, bytes }) => this.#received(channel, bytes));
    try {
      this.#way = options.open({
        onBytes: (chunk) => {
          this.#read(chunk);
          return options.flow.room();
        },
        onEnd: (end) => this.#ended(end),
        onError: options.onError,
      });
    } catch (error) {
      throw placeFailure(options.place, { notStartable: errorText(error) });
    }
    const { server, release, versions, serveTools } = options;
    const tools = serveTools === null ? {} : { tools: true };
    this.send({ type: "hello", versions: [...versions], server: server.id, epoch: server.epoch, release, ...tools });
    const late = setTimeout(() => {
      this.#refused = placeFailure(options.place, { isSilent: true, stderr: this.#way.said });
      this.end();
    }, WELCOME_MS_MAX);
    this.ready.catch(ignore("the caller gets the error")).finally(() => clearTimeout(late));
  }

  get welcome(): Welcome {
    if (!this.#welcome) throw new Error("the runner has not answered yet");
    return this.#welcome;
  }

  /** False if the connection is over. */
  send(message: FromServer): boolean {
    return this.#put(encodeFrame({ channel: CONTROL, bytes: new TextEncoder().encode(JSON.stringify(message)) }));
  }

  write(channel: number, bytes: Uint8Array): void {
    for (const piece of piecesOf(channel, bytes)) this.#put(piece);
  }

  end(): void {
    this.#isOver = true;
    this.#way.end();
  }

  #put(bytes: Uint8Array): boolean {
    return !this.#isOver && this.#way.write(bytes);
  }

  #ended(end: WayEnd): void {
    this.#isOver = true;
    const reason = this.#refused ?? this.#whyEnded(end);
    this.#ready.reject(reason);
    this.#listener.onEnd(reason);
  }

  #whyEnded(end: WayEnd): PlaceError {
    const wasConnected = this.#welcome !== null;
    const { place } = this.#options;
    if ("words" in end)
      return new PlaceError(end.words ?? `The connection to ${place.name} was lost.`, { isLost: wasConnected });
    const noise = this.#noise === null ? "" : new TextDecoder().decode(this.#noise);
    return placeFailure(place, { ...end, noise, wasConnected });
  }

  #read(chunk: Uint8Array): void {
    if (this.#isOver) return;
    try {
      if (this.#noise === null) {
        this.#frames.push(chunk);
        return;
      }
      this.#noise = Buffer.concat([this.#noise, chunk]);
      const at = Buffer.from(this.#noise).indexOf(OPENING);
      if (at !== -1) {
        const rest = this.#noise.subarray(at + OPENING.length);
        this.#noise = null;
        this.#frames.push(rest);
      } else if (this.#noise.byteLength > NOISE_BYTES_MAX) this.end();
    } catch (error) {
      if (!(error instanceof BrokenFrameError)) throw error;
      this.#refused = new PlaceError(`The connection to ${this.#options.place.name} was damaged: ${error.message}.`);
      this.end();
    }
  }

  #received(channel: number, bytes: Uint8Array): void {
    if (channel !== CONTROL) {
      this.#listener.onBytes(channel, bytes);
      return;
    }
    const message = FromRunner.safeParse(parseJson(new TextDecoder().decode(bytes)));
    if (!message.success) throw new BrokenFrameError("a message is not in the contract");
    if (message.data.type === "welcome") {
      this.#welcome = message.data;
      this.#way.ready();
      this.#ready.resolve();
    } else if (message.data.type === "refused") {
      const { code, message: words } = message.data;
      this.#refused = new PlaceError(`${this.#options.place.name}: ${words}`, {
        isFinal: code === "EPOCH" || code === "VERSION",
      });
    } else this.#listener.onMessage(message.data);
  }
}

function failureOf({ message, refusal }: Extract<FromRunner, { type: "failed" }>): PlaceError | RefusalError {
  // Missing fields of the message are missing here, too.
  return refusal ? new RefusalError(refusal as Refusal) : new PlaceError(message);
}

function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
