import { computed, effect, signal, untracked } from "@preact/signals";
import { z } from "zod/mini";
import { ignore } from "../../lib/ignore.ts";
import type { ProjectId } from "../../protocol/ids.ts";
import type { ServerMessage } from "../../protocol/server-messages.ts";
import type { ServiceInfo, TerminalId, TerminalInfo } from "../../protocol/terminals.ts";
import { readKept, writeKept } from "../../ui/kept-json.ts";
import type { Shell } from "../state/shell.ts";
import { canIn, isComplete } from "../state/shell-state.ts";
import type { Trouble } from "../state/trouble.ts";
import type { TerminalSize } from "./terminal-link.ts";

const DOCK_KEY = "liminal:dock";
export const DOCK_PX_MIN = 160;
const DOCK_PX_MAX = 2_000;
const DOCK_PX_DEFAULT = 320;

/** Enough for everything typed before a terminal is ready. */
const TYPED_AHEAD_CHARS_MAX = 1_000;
/** What a terminal sends for keys that have a name. */
const TYPED: Readonly<Record<string, string>> = { Enter: "\r", Backspace: "\u007f" };

const KeptDock = z.object({
  height: z.number().check(z.minimum(DOCK_PX_MIN), z.maximum(DOCK_PX_MAX)),
  shown: z.nullable(z.string()),
});

/** Where terminals and services run: a project's own directory, or one of its worktrees. */
export interface Place {
  readonly projectId: ProjectId;
  readonly worktreeId: string | null;
}

/** The services of a place, or why they could not be listed. */
export interface PlaceServices {
  readonly services: readonly ServiceInfo[];
  readonly problem?: string | undefined;
}

export function isSamePlace(a: Place, b: Place): boolean {
  return a.projectId === b.projectId && a.worktreeId === b.worktreeId;
}

/** A terminal as its tab shows it. */
export interface DockTab {
  readonly terminal: TerminalInfo;
  /** "zsh", or "zsh 2" for another one of the same place. */
  readonly title: string;
  readonly placeName: string;
  /** The first one of its place. */
  readonly startsGroup: boolean;
}

/**
 * The terminals of all projects, as the dock shows them. They run on the server: only the choice of the shown one is
 * here.
 */
export class DockState {
  readonly #shell: Shell;
  readonly #kept = readKept(DOCK_KEY, KeptDock, { height: DOCK_PX_DEFAULT, shown: null });
  /** Null until the server has listed them. */
  readonly #terminals = signal<readonly TerminalInfo[] | null>(null);
  readonly #services = signal<ReadonlyMap<string, PlaceServices>>(new Map());
  readonly #shown = signal<TerminalId | null>(this.#kept.shown);
  readonly #lastShown = new Map<string, TerminalId>();
  readonly #trouble = signal<Trouble | null>(null);
  readonly #isOpening = signal(false);
  readonly height = signal(this.#kept.height);
  /** The size of the last screen that was shown: a new terminal starts with it. */
  lastSize: TerminalSize | null = null;
  /** The user chose it and will type into it: it gets the focus as soon as its screen is ready. */
  typedNext: TerminalId | null = null;
  #typedAhead = "";

  /** Where a new terminal opens: where the session in view works, else the project at hand. */
  readonly place = computed<Place | null>(() => {
    const { sessions, projects } = this.#shell.server.value;
    const id = this.#shell.shownSession();
    const session = id === null ? undefined : sessions.get(id);
    if (session !== undefined)
      return { projectId: session.projectId, worktreeId: session.worktree?.worktreeId ?? null };
    const projectId = projects.length === 0 ? null : this.#shell.projectAtHand();
    return projectId === null ? null : { projectId, worktreeId: null };
  });

  /** False where the current place is on a machine without terminals. */
  readonly canOpen = computed<boolean>(() => {
    const place = this.place.value;
    return place !== null && canIn(this.#shell.server.value, place.projectId, "terminals");
  });

  /** Grouped by place, in the order of the projects; within a place the oldest first. */
  readonly tabs = computed<readonly DockTab[] | null>(() => {
    const terminals = this.#terminals.value;
    if (terminals === null) return null;
    const order = this.#shell.server.value.projects.map(({ id }) => id);
    const sorted = terminals.toSorted(
      (a, b) =>
        order.indexOf(a.projectId) - order.indexOf(b.projectId) ||
        compare(a.worktreeId ?? "", b.worktreeId ?? "") ||
        compare(a.startedAt, b.startedAt) ||
        compare(a.terminalId, b.terminalId),
    );
    return sorted.map((terminal, index) => {
      const before = sorted.slice(0, index).filter((one) => isSamePlace(one, terminal));
      const namesakes = before.filter(({ title }) => title === terminal.title).length;
      return {
        terminal,
        title: namesakes === 0 ? terminal.title : `${terminal.title} ${namesakes + 1}`,
        placeName: this.nameOf(terminal, terminal.cwd),
        startsGroup: before.length === 0,
      };
    });
  });

  readonly shown = computed<DockTab | null>(() => {
    const tabs = this.tabs.value ?? [];
    return tabs.find(({ terminal }) => terminal.terminalId === this.#shown.value) ?? tabs[0] ?? null;
  });

  constructor(shell: Shell) {
    this.#shell = shell;
  }

  get trouble() {
    return this.#trouble;
  }

  get isOpening() {
    return this.#isOpening;
  }

  /** Follows the server and the session in view until the returned function is called. */
  start(): () => void {
    const stopListening = this.#shell.listen((message) => this.#receive(message));
    // The server pushes the lists on each new connection.
    if (this.#shell.server.peek().protocol !== null) void this.list();
    let placeBefore: Place | null = null;
    const stopFollowing = effect(() => {
      const place = this.place.value;
      if (!isComplete(this.#shell.server.value)) return;
      const isFirst = placeBefore === null;
      const isSame = place !== null && placeBefore !== null && isSamePlace(place, placeBefore);
      placeBefore = place;
      if (place === null || isSame) return;
      untracked(() => {
        void this.#listServices(place);
        if (!isFirst) this.#showAt(place);
      });
    });
    const stopKeeping = effect(() =>
      writeKept(DOCK_KEY, { height: this.height.value, shown: this.#shown.value } satisfies z.infer<typeof KeptDock>),
    );
    return () => {
      stopListening();
      stopFollowing();
      stopKeeping();
    };
  }

  async list(): Promise<void> {
    const answer = await this.#shell.attempt({ type: "terminal:list" }, (_words, trouble) => {
      this.#trouble.value = trouble;
    });
    if (answer !== null && this.#terminals.peek() !== null) this.#trouble.value = null;
  }

  show(terminalId: TerminalId): void {
    this.#shown.value = terminalId;
    const terminal = this.#terminals.peek()?.find((one) => one.terminalId === terminalId);
    if (terminal === undefined) return;
    this.#lastShown.set(keyOf(terminal), terminalId);
    this.#lastShown.set(terminal.projectId, terminalId);
  }

  /** Shows the tab beside the shown one; wraps around. */
  step(steps: number): TerminalId | null {
    const tabs = this.tabs.peek() ?? [];
    const at = tabs.findIndex(({ terminal }) => terminal.terminalId === this.shown.peek()?.terminal.terminalId);
    const next = tabs.at((at + steps) % tabs.length)?.terminal.terminalId ?? null;
    if (next !== null) this.show(next);
    return next;
  }

  /** Opens a shell where the session in view works, or in another place; true when it is there. */
  async open(at?: Place): Promise<boolean> {
    if (this.#isOpening.peek()) return false;
    const sessionId = this.#shell.shownSession();
    const place = at ?? this.place.peek();
    if (place === null) return false;
    const isOfSession = at === undefined && sessionId !== null;
    const { projectId, worktreeId } = place;
    const where = isOfSession ? { sessionId } : { projectId, ...(worktreeId !== null && { worktreeId }) };
    this.#isOpening.value = true;
    const answer = await this.#attempt({ type: "terminal:open", ...where, ...this.lastSize });
    this.#isOpening.value = false;
    if (answer?.type !== "terminal:opened") {
      this.takeTypedAhead();
      return false;
    }
    this.typedNext = answer.terminalId;
    this.show(answer.terminalId);
    return true;
  }

  /** Buffers a key that was pressed for a terminal before its screen is ready; false for one that writes nothing. */
  typeAhead(key: string): boolean {
    const typed = TYPED[key] ?? key;
    if ([...typed].length !== 1) return false;
    if (this.#typedAhead.length < TYPED_AHEAD_CHARS_MAX) this.#typedAhead += typed;
    return true;
  }

  takeTypedAhead(): string {
    const typed = this.#typedAhead;
    this.#typedAhead = "";
    return typed;
  }

  /** Ends what runs in the terminal and removes it. */
  async close({ terminal }: DockTab): Promise<void> {
    const { terminalId, kind, end } = terminal;
    const service = kind === "service" && end === null ? this.serviceOf(terminal) : undefined;
    // If only its terminal ended, it would be started again. Stopping it also closes its terminal.
    if (service !== undefined) {
      await this.stop(service);
      return;
    }
    const shown = this.shown.peek()?.terminal;
    const at = (this.tabs.peek() ?? []).findIndex((tab) => tab.terminal.terminalId === terminalId);
    if ((await this.#attempt({ type: "terminal:close", terminalId })) === null) return;
    this.#terminals.value = (this.#terminals.peek() ?? []).filter((one) => one.terminalId !== terminalId);
    if (shown?.terminalId !== terminalId) return;
    const tabs = this.tabs.peek() ?? [];
    const next = tabs[Math.min(at, tabs.length - 1)];
    if (next !== undefined) this.show(next.terminal.terminalId);
  }

  /** A new shell, or the service again, instead of what has ended. */
  async startAgain(tab: DockTab): Promise<boolean> {
    const { terminal } = tab;
    const service = this.serviceOf(terminal);
    if (service !== undefined) {
      await this.startService(service);
      return true;
    }
    const isOpen = await this.open(terminal);
    if (isOpen) await this.close(tab);
    return isOpen;
  }

  /** The service that runs in this terminal. */
  serviceOf(terminal: TerminalInfo): ServiceInfo | undefined {
    if (terminal.kind !== "service") return undefined;
    const { services = [] } = this.#services.value.get(keyOf(terminal)) ?? {};
    return services.find(
      ({ terminalId, name }) => terminalId === terminal.terminalId || (terminalId === null && name === terminal.title),
    );
  }

  servicesOf(place: Place): PlaceServices {
    return this.#services.value.get(keyOf(place)) ?? { services: [] };
  }

  /** `hash`: the user has read the command and agrees to it. */
  async startService(service: ServiceInfo, hash?: string): Promise<void> {
    const agreed = hash === undefined ? {} : { hash };
    const answer = await this.#attempt({ type: "service:start", ...keyParts(service), ...agreed });
    if (answer === null) return;
    await this.#listServices(service);
    const { terminalId } = this.servicesOf(service).services.find(({ name }) => name === service.name) ?? service;
    if (terminalId !== null) this.show(terminalId);
  }

  async stop(service: ServiceInfo): Promise<void> {
    await this.#attempt({ type: "service:stop", ...keyParts(service) });
  }

  async restart(service: ServiceInfo): Promise<void> {
    await this.#attempt({ type: "service:restart", ...keyParts(service) });
  }

  /** The worktree's name, or the project's. */
  nameOf(place: Place, directory = ""): string {
    const { projects, sessions } = this.#shell.server.value;
    if (place.worktreeId === null) return projects.find(({ id }) => id === place.projectId)?.name ?? "";
    for (const { worktree } of sessions.values()) if (worktree?.worktreeId === place.worktreeId) return worktree.name;
    return directory.split("/").findLast((part) => part !== "") ?? "";
  }

  #receive(message: ServerMessage): void {
    if (message.type === "terminal:list") this.#listed(message.terminals);
    else if (message.type === "service:list") {
      const { services, problem } = message;
      this.#followRestart(services);
      this.#services.value = new Map(this.#services.peek()).set(keyOf(message), { services, problem });
    } else if (message.type === "hello") {
      // A new connection: the server's updates have to be requested again.
      void this.list();
      const place = this.place.peek();
      if (place !== null) void this.#listServices(place);
    }
  }

  /** A service that was started again has another terminal: it is shown instead of the one that has ended. */
  #followRestart(services: readonly ServiceInfo[]): void {
    const shown = this.shown.peek()?.terminal;
    if (shown === undefined || shown.kind !== "service" || shown.end === null) return;
    const again = services.find((one) => isSamePlace(one, shown) && one.name === shown.title)?.terminalId ?? null;
    if (again !== null) this.show(again);
  }

  #listed(terminals: readonly TerminalInfo[]): void {
    if (this.#terminals.peek() === null) this.#trouble.value = null;
    this.#terminals.value = terminals;
    const places = new Map(terminals.flatMap((one) => (one.kind === "service" ? [[keyOf(one), one]] : [])));
    for (const [key, place] of places) if (!this.#services.peek().has(key)) void this.#listServices(place);
  }

  #showAt(place: Place): void {
    const shown = this.shown.peek()?.terminal;
    if (shown !== undefined && isSamePlace(shown, place)) return;
    const terminals = this.#terminals.peek() ?? [];
    const isThere = (id: TerminalId | undefined) => terminals.some(({ terminalId }) => terminalId === id);
    const candidates = [
      this.#lastShown.get(keyOf(place)),
      terminals.find((one) => isSamePlace(one, place))?.terminalId,
      ...(shown?.projectId === place.projectId
        ? []
        : [
            this.#lastShown.get(place.projectId),
            terminals.find(({ projectId }) => projectId === place.projectId)?.terminalId,
          ]),
    ];
    const next = candidates.find(isThere);
    if (next !== undefined) this.show(next);
  }

  async #listServices({ projectId, worktreeId }: Place): Promise<void> {
    await this.#shell.attempt(
      { type: "service:list", projectId, worktreeId },
      ignore("the services of a place that is gone are not shown"),
    );
  }

  #attempt(request: Parameters<Shell["attempt"]>[0]) {
    this.#trouble.value = null;
    return this.#shell.attempt(request, (_words, trouble) => {
      this.#trouble.value = trouble;
    });
  }
}

function keyParts({ projectId, worktreeId, name }: ServiceInfo) {
  return { projectId, worktreeId, name };
}

function keyOf({ projectId, worktreeId }: Place): string {
  return `${projectId} ${worktreeId ?? ""}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
