import type { UsedLater } from "../lib/first-use.ts";
import type { PlaceTerminals } from "../places/place-terminals.ts";
import type { NewTerminal, ProjectTerminals } from "../ports/terminals.ts";
import { REFUSE, RefusalError } from "../protocol/errors.ts";
import { splitPlace } from "../protocol/place-path.ts";
import type { TerminalId, TerminalInfo } from "../protocol/terminals.ts";

interface TerminalsByPlaceParts {
  /** On this machine. */
  readonly here: UsedLater<ProjectTerminals>;
  readonly places: {
    /** Of the places that are in use. */
    terminals(): readonly PlaceTerminals[];
    /** Rejects with a RefusalError when there is no such place. */
    terminalsAt(place: string): Promise<PlaceTerminals>;
  };
}

/** Every terminal runs where its directory is: on this machine, or at the place that its path names. */
export class TerminalsByPlace implements ProjectTerminals {
  readonly #parts: TerminalsByPlaceParts;
  readonly #listeners = new Set<(terminal: TerminalInfo) => void>();

  constructor(parts: TerminalsByPlaceParts) {
    this.#parts = parts;
    parts.here.onBuilt((terminals) => {
      terminals.onChanged((terminal) => this.changed(terminal));
    });
  }

  list(): readonly TerminalInfo[] {
    return this.#all()
      .flatMap((one) => one.list())
      .sort((one, other) => one.startedAt.localeCompare(other.startedAt));
  }

  async open(terminal: NewTerminal): Promise<TerminalInfo> {
    const at = splitPlace(terminal.cwd);
    if (!at) return this.#parts.here.use().open(terminal);
    return (await this.#parts.places.terminalsAt(at.place)).open({ ...terminal, cwd: at.path });
  }

  input(terminalId: TerminalId, data: string): boolean {
    return this.#holder(terminalId)?.input(terminalId, data) ?? false;
  }

  resize(terminalId: TerminalId, columns: number, rows: number): boolean {
    return this.#holder(terminalId)?.resize(terminalId, columns, rows) ?? false;
  }

  async close(terminalId: TerminalId): Promise<boolean> {
    return (await this.#holder(terminalId)?.close(terminalId)) ?? false;
  }

  async attach(
    terminalId: TerminalId,
    after: number | null,
    listener: Parameters<ProjectTerminals["attach"]>[2],
  ): ReturnType<ProjectTerminals["attach"]> {
    const holder = this.#holder(terminalId);
    if (!holder) throw new RefusalError(REFUSE.terminalNotFound());
    return holder.attach(terminalId, after, listener);
  }

  onChanged(listener: (terminal: TerminalInfo) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** One at any place has changed. */
  changed(terminal: TerminalInfo): void {
    for (const listener of this.#listeners) listener(terminal);
  }

  /** Of the machines where terminals were opened or found. */
  #all(): (ProjectTerminals | PlaceTerminals)[] {
    const { here, places } = this.#parts;
    return [...(here.built === null ? [] : [here.built]), ...places.terminals()];
  }

  /** The owner of this terminal. */
  #holder(terminalId: TerminalId): ProjectTerminals | PlaceTerminals | undefined {
    return this.#all().find((one) => one.list().some((known) => known.terminalId === terminalId));
  }
}
