import type { z } from "zod/mini";
import { ignore } from "../lib/ignore.ts";
import type { NewTerminal, ProjectTerminals, TerminalOutput } from "../ports/terminals.ts";
import { REFUSE, RefusalError } from "../protocol/errors.ts";
import type { TerminalId, TerminalInfo } from "../protocol/terminals.ts";
import { askPart, asRefusal } from "./ask-part.ts";
import type { WorkspaceEvent } from "./contract.ts";
import { PlaceError } from "./place-error.ts";
import type { PlaceLink } from "./place-link.ts";
import { TERMINAL_CALLS, type TerminalCall } from "./terminal-calls.ts";

/** Terminals of a place that stays away have ended by then. */
const GIVE_UP_MARGIN_MS = 30_000;
const STOP_MS_MAX = 5_000;

type Output = Extract<WorkspaceEvent, { kind: "output" | "output-ended" }>;

interface Reading {
  readonly terminalId: TerminalId;
  readonly listener: Parameters<ProjectTerminals["attach"]>[2];
  /** How far the listener has the output; null before it is attached. */
  offset: number | null;
  /** Output that came before the caller had the result of attaching. */
  early: Output[] | null;
}

interface PlaceTerminalsOptions {
  readonly name: string;
  readonly holdMs: number;
  readonly onTerminal: (terminal: TerminalInfo) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * The terminals of a place. Their holders run there and outlive every connection; readers continue after a lost
 * connection without noticing it.
 */
export class PlaceTerminals {
  readonly #link: PlaceLink;
  readonly #options: PlaceTerminalsOptions;
  readonly #known = new Map<TerminalId, TerminalInfo>();
  readonly #readings = new Map<number, Reading>();
  #readers = 0;
  readonly #isKnown = Promise.withResolvers<void>();
  #forgetting: ReturnType<typeof setTimeout> | undefined;

  constructor(link: PlaceLink, options: PlaceTerminalsOptions) {
    this.#link = link;
    this.#options = options;
  }

  get isWanted(): boolean {
    return this.#known.size > 0;
  }

  /** Resolves when those are known that an earlier server has opened. */
  get known(): Promise<void> {
    return this.#isKnown.promise;
  }

  list(): readonly TerminalInfo[] {
    return [...this.#known.values()];
  }

  async open(terminal: NewTerminal): Promise<TerminalInfo> {
    const opened = this.#here(await this.#call("open", terminal));
    // It may have ended by now, which was told in the same moment as the answer.
    const newer = this.#known.get(opened.terminalId);
    if (!newer) this.#known.set(opened.terminalId, opened);
    return newer ?? opened;
  }

  /** Input that is typed while the connection is lost is not sent later, when it is no longer expected. */
  input(terminalId: TerminalId, data: string): boolean {
    this.#requireConnection("What you typed was not sent.");
    this.#later("input", terminalId, data);
    return this.#known.has(terminalId);
  }

  resize(terminalId: TerminalId, columns: number, rows: number): boolean {
    if (this.#link.isConnected) this.#later("resize", terminalId, columns, rows);
    return this.#known.has(terminalId);
  }

  close(terminalId: TerminalId): Promise<boolean> {
    return this.#call("close", terminalId);
  }

  async attach(
    terminalId: TerminalId,
    after: number | null,
    listener: Reading["listener"],
  ): ReturnType<ProjectTerminals["attach"]> {
    const reader = ++this.#readers;
    const reading: Reading = { terminalId, listener, offset: null, early: [] };
    this.#readings.set(reader, reading);
    try {
      const { terminal, ...attached } = await this.#call("attach", terminalId, after, reader);
      reading.offset = attached.offset;
      // After the caller's own continuation.
      setTimeout(() => {
        const early = reading.early ?? [];
        reading.early = null;
        for (const output of early) this.heard(output);
      }, 0);
      return {
        terminal: this.#here(terminal),
        ...attached,
        reader: {
          acknowledged: (offset) => {
            if (this.#link.isConnected) this.#later("acknowledged", reader, offset);
          },
          [Symbol.dispose]: () => {
            this.#readings.delete(reader);
            if (this.#link.isConnected) this.#later("detach", reader);
          },
        },
      };
    } catch (error) {
      this.#readings.delete(reader);
      throw error;
    }
  }

  /** Closes every terminal there, if the place can be reached. */
  async stop(): Promise<void> {
    if (!this.#link.isConnected) return;
    const closing = [...this.#known.keys()].map((terminalId) =>
      this.close(terminalId).catch(ignore("it ends by itself without a server")),
    );
    await Promise.race([Promise.all(closing), Bun.sleep(STOP_MS_MAX)]);
  }

  connected(): void {
    clearTimeout(this.#forgetting);
    this.#forgetting = undefined;
    this.#resume().catch((error: unknown) => this.#report(error));
  }

  lost(): void {
    if (this.#known.size === 0) return;
    this.#forgetting ??= setTimeout(() => this.#list([]), this.#options.holdMs + GIVE_UP_MARGIN_MS).unref();
  }

  /** All of them have ended, with the pod that they were in. */
  gone(): void {
    clearTimeout(this.#forgetting);
    this.#forgetting = undefined;
    this.#list([]);
    for (const { listener } of this.#readings.values()) listener.onEnd(null);
    this.#readings.clear();
  }

  /** One of them has changed. */
  listed(terminals: readonly TerminalInfo[], changed: TerminalInfo): void {
    this.#known.clear();
    for (const terminal of terminals) this.#known.set(terminal.terminalId, this.#here(terminal));
    this.#options.onTerminal(this.#here(changed));
  }

  heard(output: Output): void {
    const reading = this.#readings.get(output.reader);
    if (!reading) return;
    if (reading.early) reading.early.push(output);
    else if (output.kind === "output-ended") reading.listener.onEnd(output.exitCode);
    else {
      reading.offset = output.offset;
      const { data, offset, skipped, size } = output;
      reading.listener.onOutput(outputOf({ data, offset, skipped, size }));
    }
  }

  /** What there is now, and the readers where they were. */
  async #resume(): Promise<void> {
    this.#list(await this.#ask("list"));
    this.#isKnown.resolve();
    for (const [reader, reading] of this.#readings) {
      // One that is being attached was refused with the connection.
      if (reading.offset === null) continue;
      await this.#attachAgain(reader, reading, reading.offset);
    }
  }

  async #attachAgain(reader: number, reading: Reading, after: number): Promise<void> {
    reading.early = [];
    try {
      const { offset, skipped, prelude, columns, rows } = await this.#ask("attach", reading.terminalId, after, reader);
      reading.offset = offset;
      if (prelude !== "")
        reading.listener.onOutput(outputOf({ data: prelude, offset, skipped, size: { columns, rows } }));
      const early = reading.early;
      reading.early = null;
      for (const output of early) this.heard(output);
    } catch (error) {
      reading.early = null;
      // It has ended meanwhile. A place that is away again comes back here.
      if (error instanceof RefusalError) reading.listener.onEnd(null);
      else if (!(error instanceof PlaceError)) throw error;
    }
  }

  /** Reports each that was added, removed or changed. */
  #list(terminals: readonly TerminalInfo[]): void {
    const before = new Map(this.#known);
    this.#known.clear();
    for (const terminal of terminals) this.#known.set(terminal.terminalId, this.#here(terminal));
    for (const terminal of new Map([...before, ...this.#known]).values()) {
      const now = this.#known.get(terminal.terminalId);
      if (!now || !Bun.deepEquals(now, before.get(terminal.terminalId))) this.#options.onTerminal(terminal);
    }
  }

  /** With the directory as this server names it. */
  #here(terminal: TerminalInfo): TerminalInfo {
    return { ...terminal, cwd: `${this.#options.name}:${terminal.cwd}` };
  }

  #requireConnection(words: string): void {
    const { name } = this.#options;
    if (!this.#link.isConnected)
      throw new RefusalError(REFUSE.placeFailed(`The connection to ${name} was lost. ${words}`));
  }

  async #call<Name extends TerminalCall>(name: Name, ...args: ArgsOf<Name>): Promise<AnswerOf<Name>> {
    try {
      return await this.#ask(name, ...args);
    } catch (error) {
      throw asRefusal(error, null);
    }
  }

  async #ask<Name extends TerminalCall>(name: Name, ...args: ArgsOf<Name>): Promise<AnswerOf<Name>> {
    return (await askPart(this.#link, "terminals", name, TERMINAL_CALLS[name].answer, args)) as AnswerOf<Name>;
  }

  #later<Name extends TerminalCall>(name: Name, ...args: ArgsOf<Name>): void {
    this.#ask(name, ...args).catch((error: unknown) => this.#report(error));
  }

  /** An unreachable place is not an error of the server. */
  #report(error: unknown): void {
    if (!(error instanceof PlaceError) && !(error instanceof RefusalError)) this.#options.onError(error);
  }
}

type ArgsOf<Name extends TerminalCall> = Name extends "open"
  ? [NewTerminal]
  : z.infer<(typeof TERMINAL_CALLS)[Name]["args"]>;
type AnswerOf<Name extends TerminalCall> = z.infer<(typeof TERMINAL_CALLS)[Name]["answer"]>;

function outputOf({ data, ...output }: Omit<TerminalOutput, "bytes"> & { readonly data: string }): TerminalOutput {
  return { ...output, bytes: new TextEncoder().encode(data) };
}
