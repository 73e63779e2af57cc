import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { Socket } from "bun";
import { z } from "zod/mini";
import type { TerminalOutput } from "../ports/terminals.ts";
import {
  BrokenFrameError,
  encodeFrame,
  encodeOffset,
  encodeSize,
  FRAME,
  FrameReader,
  outputOf,
  type Size,
  TERMINAL_HOLDER_VERSION,
} from "./holder/frames.ts";

/** A running holder answers at once; one that is stopped or stuck never does. */
const ANSWER_MS_MAX = 10_000;

const End = z.object({ exitCode: z.nullable(z.int()), agoMs: z.int() });
type End = z.infer<typeof End>;

const Hello = z.object({
  version: z.literal(TERMINAL_HOLDER_VERSION),
  terminalId: z.string(),
  pid: z.int(),
  programPid: z.int(),
  programStarted: z.nullable(z.string()),
  end: z.nullable(End),
  columns: z.int(),
  rows: z.int(),
});
export type Hello = z.infer<typeof Hello>;

const Attached = z.object({
  offset: z.int(),
  skipped: z.int(),
  prelude: z.string(),
  columns: z.int(),
  rows: z.int(),
});
type Attached = z.infer<typeof Attached>;

interface Listener {
  onFrame(kind: number, content: Uint8Array): void;
  /** The holder has ended, or sends invalid data. */
  onClosed(): void;
}

/** A connection to the holder of one terminal. */
export class TerminalLink {
  readonly #socket: Socket<unknown>;
  readonly #unsent: Uint8Array[];

  private constructor(socket: Socket<unknown>, unsent: Uint8Array[]) {
    this.#socket = socket;
    this.#unsent = unsent;
  }

  /** The connection that decides whether the terminal has a server. */
  static async control(
    dir: string,
    listener: { onEnded(end: End): void; onClosed(): void },
  ): Promise<{ link: TerminalLink; hello: Hello }> {
    const { link, first } = await TerminalLink.#open(dir, encodeFrame(FRAME.control), FRAME.hello, {
      onFrame: (kind, content) => {
        if (kind === FRAME.ended) listener.onEnded(readJson(End, content));
      },
      onClosed: listener.onClosed,
    });
    return { link, hello: readJson(Hello, first) };
  }

  /** One that gets the output. */
  static async read(
    dir: string,
    after: number | null,
    listener: { onOutput(output: TerminalOutput): void; onEnd(exitCode: number | null): void },
  ): Promise<{ link: TerminalLink; attached: Attached }> {
    let hasEnded = false;
    const ended = (exitCode: number | null) => {
      if (!hasEnded) listener.onEnd(exitCode);
      hasEnded = true;
    };
    const { link, first } = await TerminalLink.#open(dir, encodeOffset(FRAME.read, after), FRAME.attached, {
      onFrame: (kind, content) => {
        if (kind === FRAME.ended) ended(readJson(End, content).exitCode);
        if (kind === FRAME.output) listener.onOutput(outputOf(content));
      },
      onClosed: () => ended(null),
    });
    return { link, attached: readJson(Attached, first) };
  }

  /** Frames after the first one wait until the caller had the first one. */
  static async #open(
    dir: string,
    request: Uint8Array,
    answer: number,
    listener: Listener,
  ): Promise<{ link: TerminalLink; first: Uint8Array }> {
    const path = join(dir, "socket");
    checkOwner(dir, "isDirectory");
    checkOwner(path, "isSocket");
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    const unsent: Uint8Array[] = [];
    let isAnswered = false;
    let isOver = false;
    let early: (() => void)[] | null = [];
    const later = (task: () => void) => {
      if (early) early.push(task);
      else task();
    };
    const over = () => {
      reject(new Error("the terminal's holder process is gone"));
      if (!isOver) later(listener.onClosed);
      isOver = true;
    };
    const frames = new FrameReader((kind, content) => {
      if (isAnswered) {
        const kept = early ? content.slice() : content;
        later(() => listener.onFrame(kind, kept));
      } else if (kind === answer) {
        isAnswered = true;
        resolve(content.slice());
      }
    });
    const socket = await Bun.connect({
      unix: path,
      socket: {
        data: (from, bytes) => {
          try {
            frames.push(bytes);
          } catch (error) {
            if (!(error instanceof BrokenFrameError)) throw error;
            from.end();
          }
        },
        drain: (to) => flush(to, unsent),
        close: over,
        error: over,
      },
    });
    const link = new TerminalLink(socket, unsent);
    link.#send(request);
    const timer = setTimeout(() => reject(new Error("the terminal's holder process does not answer")), ANSWER_MS_MAX);
    try {
      const first = await promise;
      // After the caller's own continuation.
      setTimeout(() => {
        const tasks = early ?? [];
        early = null;
        for (const task of tasks) task();
      }, 0);
      return { link, first };
    } catch (error) {
      socket.end();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  input(data: string): void {
    this.#send(encodeFrame(FRAME.input, data));
  }

  resize(size: Size): void {
    this.#send(encodeSize(size));
  }

  acknowledge(offset: number): void {
    this.#send(encodeOffset(FRAME.acknowledge, offset));
  }

  close(): void {
    this.#send(encodeFrame(FRAME.close));
  }

  end(): void {
    this.#socket.end();
  }

  #send(frame: Uint8Array): void {
    this.#unsent.push(frame);
    flush(this.#socket, this.#unsent);
  }
}

/** Another user's directory or socket must not be used. */
function checkOwner(path: string, kind: "isDirectory" | "isSocket"): void {
  const stat = lstatSync(path);
  if (!stat[kind]() || (process.getuid && stat.uid !== process.getuid()))
    throw new Error(`${path} was not made by this program`);
}

function readJson<Schema extends z.ZodMiniType>(schema: Schema, content: Uint8Array): z.infer<Schema> {
  return schema.parse(JSON.parse(new TextDecoder().decode(content)));
}

function flush(socket: Socket<unknown>, unsent: Uint8Array[]): void {
  for (let next = unsent.shift(); next; next = unsent.shift()) {
    const sent = Math.max(0, socket.write(next));
    if (sent === next.byteLength) continue;
    unsent.unshift(next.subarray(sent));
    return;
  }
}
