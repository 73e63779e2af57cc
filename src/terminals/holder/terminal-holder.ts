import { chmodSync, readdirSync, readlinkSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Socket } from "bun";
import { endSession, foregroundOf, type Leader, startOf, TERMINAL_VARIABLE } from "./end-session.ts";
import {
  BrokenFrameError,
  encodeFrame,
  encodeOutput,
  FRAME,
  FrameReader,
  offsetOf,
  type Size,
  sizeOf,
  spaceForOutput,
  TERMINAL_HOLDER_VERSION,
} from "./frames.ts";
import { OutputRing } from "./output-ring.ts";
import { wholeCharacters } from "./screen-state.ts";

/** Sent to a holder on its standard input at its start, because arguments are visible to everyone. */
export interface TerminalOrders {
  readonly dir: string;
  readonly terminalId: string;
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly columns: number;
  readonly rows: number;
  /** Without a server for this long, everything in the terminal is ended. */
  readonly holdMs: number;
  readonly keptBytesMax: number;
  /** Sent to a reader beyond what it has acknowledged. */
  readonly creditBytes: number;
  readonly withDaemons: boolean;
}

/** The server that started us is still busy: it gets this long to connect, however short `holdMs` is. */
const FIRST_SERVER_MS = 30_000;
/** A reader that acknowledges nothing for this long no longer stops the program. */
const STALLED_MS = 5_000;
/** Programs that a user left running may hold the terminal open. */
const DRAIN_MS_MAX = 300;
const PIECE_BYTES_MAX = 64 * 1024;
/** Of input that the program has not read yet. More is dropped, as a terminal does. */
const INPUT_BYTES_MAX = 1024 * 1024;
/** After this much output that came although it was stopped, it is stopped again: Ctrl-C starts it. */
const LEAK_BYTES_MAX = 256 * 1024;
/** A program that draws the whole screen does so again after a change of the size. */
const REPAINT_MS = 60;

/** A reader that is this far behind stops the program: a full socket alone does not, as it empties in a moment. */
const BEHIND_BYTES_MAX = 64 * 1024;

const IXON = process.platform === "darwin" ? 0x200 : 0o2000;
const STOP = 0x13;
const START = 0x11;
const INTERRUPT = 0x03;
const QUIT = 0x1c;

interface Connection {
  readonly socket: Socket<{ connection: Connection | null }>;
  readonly frames: FrameReader;
  unsent: Uint8Array[];
  isControl: boolean;
  reader: Reader | null;
}

interface Reader {
  /** Of the frame that is being sent: there is one at a time. */
  readonly space: Uint8Array;
  offset: number;
  acknowledged: number;
  /** Since when it is too far behind. */
  starvedAtMs: number | null;
  hasEnded: boolean;
  /** Sent with the next output. */
  size: Size | null;
}

interface End {
  readonly exitCode: number | null;
  readonly atMs: number;
}

/**
 * Owns one terminal, so that it outlives the server: keeps the newest output, sends it to each reader as fast as that one
 * takes it, and ends everything in the terminal when it is closed or no server comes for a long time.
 */
export class TerminalHolder {
  readonly #orders: TerminalOrders;
  readonly #exit: () => void;
  readonly #ring: OutputRing;
  readonly #connections = new Set<Connection>();
  #leader: Leader | null = null;
  #terminal: Bun.Terminal | null = null;
  /** For our side of the terminal; null if the system does not report it. */
  #fd: number | null = null;
  #size: Size;
  #end: End | null = null;
  #alone: ReturnType<typeof setTimeout> | undefined;
  #isClosing = false;
  /** We stopped the output, or the user did. */
  #isStopped = false;
  #isStoppedByUser = false;
  #leakedBytes = 0;
  #stalled: ReturnType<typeof setTimeout> | undefined;
  #inputBytes = 0;

  constructor(orders: TerminalOrders, exit: () => void) {
    this.#orders = orders;
    this.#exit = exit;
    this.#size = { columns: orders.columns, rows: orders.rows };
    this.#ring = new OutputRing(orders.keptBytesMax, this.#size);
  }

  /** Throws if the program cannot be started. */
  run(): void {
    this.#start();
    this.#listen();
    this.#waitForServer(Math.max(this.#orders.holdMs, FIRST_SERVER_MS));
  }

  /** Ends everything in the terminal, then this process. */
  async close(): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    clearTimeout(this.#alone);
    clearTimeout(this.#stalled);
    if (this.#leader) await endSession(this.#leader);
    this.#terminal?.close();
    rmSync(this.#orders.dir, { recursive: true, force: true });
    this.#exit();
  }

  #start(): void {
    const { command, cwd, env, terminalId, withDaemons } = this.#orders;
    const drained = Promise.withResolvers<void>();
    const child = Bun.spawn([...command], {
      cwd,
      env: { ...env, [TERMINAL_VARIABLE]: terminalId },
      // Created with the child, which controls it and leads its own session.
      terminal: {
        cols: this.#size.columns,
        rows: this.#size.rows,
        data: (_, bytes) => {
          this.#output(bytes);
          // Given back at once: waiting for the garbage collector, they would be the largest part of a flood's memory.
          bytes.buffer.transfer(0);
        },
        drain: () => {
          this.#inputBytes = 0;
        },
        exit: () => drained.resolve(),
      },
    });
    this.#terminal = child.terminal ?? null;
    this.#fd = terminalFd();
    this.#leader = { pid: child.pid, started: startOf(child.pid), mark: terminalId, withDaemons };
    const ended = async () => {
      const exitCode = await child.exited;
      await Promise.race([drained.promise, Bun.sleep(DRAIN_MS_MAX)]);
      this.#ended(child.signalCode === null ? exitCode : null);
    };
    ended().catch(this.#exit);
  }

  #ended(exitCode: number | null): void {
    this.#end = { exitCode, atMs: performance.now() };
    for (const connection of this.#connections) {
      if (connection.isControl) this.#send(connection, encodeFrame(FRAME.ended, JSON.stringify(this.#ending)));
      this.#pump(connection);
    }
  }

  #listen(): void {
    const path = join(this.#orders.dir, "socket");
    Bun.listen<{ connection: Connection | null }>({
      unix: path,
      data: { connection: null },
      socket: {
        open: (socket) => {
          const connection: Connection = {
            socket,
            frames: new FrameReader((kind, content) => this.#receive(connection, kind, content)),
            unsent: [],
            isControl: false,
            reader: null,
          };
          socket.data = { connection };
          this.#connections.add(connection);
        },
        data: (socket, bytes) => {
          try {
            socket.data.connection?.frames.push(bytes);
          } catch (error) {
            if (!(error instanceof BrokenFrameError)) throw error;
            socket.end();
          }
        },
        drain: ({ data }) => this.#flush(data.connection),
        close: ({ data }) => this.#left(data.connection),
        error: ({ data }) => this.#left(data.connection),
      },
    });
    chmodSync(path, 0o600);
  }

  #left(connection: Connection | null): void {
    if (!connection || !this.#connections.delete(connection)) return;
    if (connection.isControl) this.#waitForServer(this.#orders.holdMs);
    this.#flow();
  }

  #waitForServer(ms: number): void {
    clearTimeout(this.#alone);
    this.#alone = setTimeout(() => this.close().catch(this.#exit), ms);
  }

  #receive(connection: Connection, kind: number, content: Uint8Array): void {
    switch (kind) {
      case FRAME.control:
        this.#control(connection);
        break;
      case FRAME.read:
        this.#read(connection, offsetOf(content));
        break;
      case FRAME.acknowledge:
        this.#acknowledged(connection, offsetOf(content) ?? 0);
        break;
      case FRAME.input:
        this.#input(content);
        break;
      case FRAME.resize:
        this.#resize(sizeOf(content));
        break;
      case FRAME.close:
        this.close().catch(this.#exit);
        break;
    }
  }

  /** The newest server wins: there is one for each data directory, so an older one has ended. */
  #control(connection: Connection): void {
    clearTimeout(this.#alone);
    for (const other of this.#connections) {
      if (!other.isControl || other === connection) continue;
      other.isControl = false;
      other.socket.end();
    }
    connection.isControl = true;
    const { pid, started } = this.#leader ?? { pid: 0, started: null };
    const hello = {
      version: TERMINAL_HOLDER_VERSION,
      terminalId: this.#orders.terminalId,
      pid: process.pid,
      programPid: pid,
      programStarted: started,
      end: this.#ending,
      ...this.#size,
    };
    this.#send(connection, encodeFrame(FRAME.hello, JSON.stringify(hello)));
  }

  #read(connection: Connection, after: number | null): void {
    const { start, end } = this.#ring;
    const continues = after !== null && after >= start && after <= end;
    const offset = continues ? after : start;
    connection.reader = {
      space: spaceForOutput(PIECE_BYTES_MAX),
      offset,
      acknowledged: offset,
      starvedAtMs: null,
      hasEnded: false,
      size: null,
    };
    const attached = {
      offset,
      skipped: continues ? 0 : Math.max(0, start - (after ?? 0)),
      prelude: continues ? "" : this.#ring.prelude(),
      ...this.#ring.sizeAt(offset),
    };
    this.#send(connection, encodeFrame(FRAME.attached, JSON.stringify(attached)));
    if (!continues && start > 0 && this.#ring.isAlternate()) this.#repaint();
    this.#pump(connection);
  }

  /** What such a program drew before the kept output is gone: it has to draw again. */
  #repaint(): void {
    const { columns, rows } = this.#size;
    if (rows < 3) return;
    this.#terminal?.resize(columns, rows - 1);
    setTimeout(() => this.#terminal?.resize(this.#size.columns, this.#size.rows), REPAINT_MS);
  }

  #acknowledged(connection: Connection, offset: number): void {
    const { reader } = connection;
    if (!reader || offset > reader.offset || offset < reader.acknowledged) return;
    reader.acknowledged = offset;
    reader.starvedAtMs = null;
    this.#pump(connection);
    this.#flow();
  }

  #input(bytes: Uint8Array): void {
    if (this.#end || !this.#terminal) return;
    if (this.#hasStopKeys) {
      const stop = bytes.lastIndexOf(STOP);
      const start = bytes.lastIndexOf(START);
      if (stop !== start) this.#isStoppedByUser = stop > start;
      // These start the output again.
      if (bytes.includes(INTERRUPT) || bytes.includes(QUIT)) this.#isStoppedByUser = false;
    }
    if (this.#inputBytes > 0 && bytes.byteLength === 1 && bytes[0] === INTERRUPT) this.#interrupt();
    if (this.#inputBytes + bytes.byteLength > INPUT_BYTES_MAX) return;
    this.#inputBytes += bytes.byteLength;
    this.#terminal.write(bytes.slice());
  }

  /** Ctrl-C would wait behind input that the program does not read. */
  #interrupt(): void {
    const group = this.#leader && foregroundOf(this.#leader.pid);
    if (group === null || group === this.#leader?.pid) return;
    try {
      process.kill(-group, "SIGINT");
    } catch (error) {
      if (!(error instanceof Error && "code" in error)) throw error;
    }
  }

  #resize(size: Size): void {
    if (size.columns < 2 || size.rows < 2) return;
    if (size.columns === this.#size.columns && size.rows === this.#size.rows) return;
    this.#size = size;
    this.#ring.resized(size);
    for (const { reader } of this.#connections) if (reader?.offset === this.#ring.end) reader.size = size;
    if (!this.#end) this.#terminal?.resize(size.columns, size.rows);
    for (const connection of this.#connections) this.#pump(connection);
  }

  #output(bytes: Uint8Array): void {
    this.#ring.append(bytes);
    for (const connection of this.#connections) this.#pump(connection);
    if (this.#isStopped) {
      this.#leakedBytes += bytes.byteLength;
      if (this.#leakedBytes > LEAK_BYTES_MAX) this.#stop();
    }
    this.#flow();
  }

  /** Sends what the reader has credit for. */
  #pump(connection: Connection): void {
    const { reader } = connection;
    if (!reader) return;
    while (connection.unsent.length === 0) {
      const credit = reader.acknowledged + this.#orders.creditBytes - reader.offset;
      let skipped = 0;
      let head = "";
      // Without credit nothing is sent, and what is skipped grows.
      if (reader.offset < this.#ring.start && credit > 0) {
        skipped = this.#ring.start - reader.offset;
        head = this.#ring.prelude();
        reader.offset += skipped;
        reader.acknowledged += skipped;
        reader.size = this.#ring.sizeAt(reader.offset);
      }
      const piece = this.#ring.read(reader.offset, Math.min(PIECE_BYTES_MAX, Math.max(0, credit)));
      const isLast = this.#end !== null && reader.offset + piece.byteLength === this.#ring.end;
      const bytes = isLast ? piece : piece.subarray(0, wholeCharacters(piece));
      if (bytes.byteLength === 0 && head === "" && reader.size === null) break;
      const offset = reader.offset + bytes.byteLength;
      const content = head === "" ? bytes : Buffer.concat([Buffer.from(head), bytes]);
      this.#send(connection, encodeOutput({ offset, skipped, size: reader.size, bytes: content }, reader.space));
      const before = this.#ring.sizeAt(reader.offset);
      reader.offset = offset;
      const after = this.#ring.sizeAt(offset);
      reader.size = after.columns === before.columns && after.rows === before.rows ? null : after;
    }
    if (this.#end && !reader.hasEnded && reader.offset === this.#ring.end && connection.unsent.length === 0) {
      reader.hasEnded = true;
      this.#send(connection, encodeFrame(FRAME.ended, JSON.stringify(this.#ending)));
    }
  }

  /** Called by the link to the server, which has the clock. */
  get #ending() {
    return this.#end && { exitCode: this.#end.exitCode, agoMs: Math.round(performance.now() - this.#end.atMs) };
  }

  get #hasStopKeys(): boolean {
    return ((this.#terminal?.inputFlags ?? 0) & IXON) !== 0;
  }

  /** Without credit at any reader, the program is stopped where the terminal allows it. Without readers it runs freely. */
  #flow(): void {
    if (this.#end || !this.#terminal) return;
    const readers = [...this.#connections].flatMap(({ reader }) => (reader ? [reader] : []));
    const isStarved = readers.length > 0 && readers.every((reader) => this.#isStarved(reader));
    if (isStarved && !this.#isStopped && this.#hasStopKeys) {
      this.#isStopped = true;
      this.#stop();
      clearTimeout(this.#stalled);
      this.#stalled = setTimeout(() => this.#flow(), STALLED_MS);
    } else if (!isStarved && this.#isStopped) {
      this.#isStopped = false;
      if (!this.#isStoppedByUser && this.#hasStopKeys) this.#writeNow(START);
    }
  }

  /** It counts as stopped until it is started by us, so that it never stays stopped unseen. */
  #stop(): void {
    this.#leakedBytes = 0;
    if (this.#hasStopKeys) this.#writeNow(STOP);
  }

  /**
   * Bun writes to a terminal only when it has read all that is there, and with a flood there is always more: megabytes
   * came after the stop, more than is kept.
   */
  #writeNow(key: number): void {
    const bytes = new Uint8Array([key]);
    try {
      if (this.#fd !== null && isTerminal(this.#fd)) {
        writeSync(this.#fd, bytes);
        return;
      }
    } catch (error) {
      // It takes no key right now, or has just ended.
      if (!(error instanceof Error && "code" in error)) throw error;
    }
    this.#terminal?.write(bytes);
  }

  /** A client that is gone without notice must not stop the program forever. */
  #isStarved(reader: Reader): boolean {
    if (this.#ring.end - reader.offset < BEHIND_BYTES_MAX) reader.starvedAtMs = null;
    else reader.starvedAtMs ??= performance.now();
    return reader.starvedAtMs !== null && performance.now() - reader.starvedAtMs < STALLED_MS;
  }

  #send(connection: Connection, frame: Uint8Array): void {
    connection.unsent.push(frame);
    this.#write(connection);
  }

  #flush(connection: Connection | null): void {
    if (!connection) return;
    this.#write(connection);
    this.#pump(connection);
    this.#flow();
  }

  #write({ socket, unsent }: Connection): void {
    for (let next = unsent.shift(); next; next = unsent.shift()) {
      const sent = Math.max(0, socket.write(next));
      if (sent === next.byteLength) continue;
      unsent.unshift(next.subarray(sent));
      return;
    }
  }
}

const FD_DIR = "/proc/self/fd";

/** Of the one terminal that this process has. */
function terminalFd(): number | null {
  if (process.platform !== "linux") return null;
  return readdirSync(FD_DIR).map(Number).find(isTerminal) ?? null;
}

/** The number may belong to something else by now. */
function isTerminal(fd: number): boolean {
  try {
    return readlinkSync(`${FD_DIR}/${fd}`).endsWith("/ptmx");
  } catch (error) {
    if (error instanceof Error && "code" in error) return false;
    throw error;
  }
}
