import { chmodSync, rmSync } from "node:fs";
import type { Socket } from "bun";
import { AgentProcess, StderrTail } from "../process/agent-process.ts";
import { Lifeline } from "../process/lifeline.ts";
import { NotStartableError } from "../process/process-host.ts";
import { RUN_VARIABLE } from "../process/sweep-leftovers.ts";
import { HOLDER_VERSION, type HolderOrders, socketOf } from "./holder-orders.ts";
import type { Exit, Hello } from "./holder-words.ts";
import { Journal, type JournalPosition } from "./journal.ts";
import {
  BrokenRecordError,
  encodeRecord,
  type JournalRecord,
  KIND,
  type RecordKind,
  RecordReader,
} from "./journal-record.ts";

const APPEND_RETRY_MS = 500;
/** The server that started us is still busy: it gets this long to attach, however short `holdMs` is. */
const FIRST_SERVER_MS = 30_000;

type Attachment = { server: AttachedServer | null };
type Waiting = { readonly add: () => Uint8Array; readonly isNews: boolean; readonly done: () => void };

/**
 * Owns one agent's pipes, so that the agent outlives the server. It journals the data in both directions and passes it
 * to the one attached server, without interpreting it.
 */
export class Holder {
  readonly #orders: HolderOrders;
  readonly #exit: () => void;
  readonly #journal: Journal;
  readonly #lifeline: Lifeline;
  readonly #tail = new StderrTail();
  #agent: AgentProcess | null = null;
  #server: AttachedServer | null = null;
  #alone: ReturnType<typeof setTimeout> | undefined;
  #isStopping = false;
  #hasEnded = false;
  #takenCount = 0;
  /** Records that are not written to disk yet, in order. */
  #waiting: Waiting[] = [];
  #onRoom: () => void = () => undefined;

  constructor(orders: HolderOrders, exit: () => void) {
    this.#orders = orders;
    this.#exit = exit;
    this.#journal = new Journal(orders.dir, orders.segmentBytesMax);
    this.#lifeline = new Lifeline(orders.id, orders.env);
  }

  run(): void {
    this.#listen();
    this.#waitForServer(Math.max(this.#orders.holdMs, FIRST_SERVER_MS));
    this.#start();
  }

  /** Requested from outside: ends the agent and keeps nothing. */
  async leave(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#alone);
    await this.#agent?.stop();
    this.#go();
  }

  #listen(): void {
    const path = socketOf(this.#orders.dir);
    Bun.listen<Attachment>({
      unix: path,
      data: { server: null },
      socket: {
        open: (socket) => this.#attach(socket),
        data: (socket, bytes) => this.#received(socket, bytes),
        drain: ({ data }) => data.server?.drained(),
        close: ({ data }) => this.#detached(data.server),
        error: ({ data }) => this.#detached(data.server),
      },
    });
    chmodSync(path, 0o600);
  }

  #start(): void {
    const { command, cwd, env, id } = this.#orders;
    try {
      this.#agent = new AgentProcess({
        command,
        cwd,
        env: { ...env, [RUN_VARIABLE]: id },
        onLine: (line) => this.#append(KIND.in, line),
        onTooLong: (bytes) => this.#append(KIND.tooLong, String(bytes)),
        onStderr: (text) => {
          this.#tail.push(text);
          this.#server?.mention(KIND.stderr, text);
        },
        room: () => this.#room(),
      });
    } catch (error) {
      if (!(error instanceof NotStartableError)) throw error;
      this.#ended({ code: null, signal: null, stderrTail: "", notStartable: error.message });
      return;
    }
    this.#lifeline.hold(this.#agent.pid);
    this.#agent.exited.then((exit) => this.#ended(exit), this.#exit);
  }

  /** The newest server wins: there is one per data directory, so an older one has ended and its close event will follow. */
  #attach(socket: Socket<Attachment>): void {
    this.#server?.end();
    clearTimeout(this.#alone);
    const server = new AttachedServer(socket, this.#journal, (record) => this.#receive(record));
    socket.data = { server };
    this.#server = server;
    const hello: Hello = {
      version: HOLDER_VERSION,
      pid: process.pid,
      agentPid: this.#agent?.pid ?? null,
      isStopping: this.#isStopping,
      stderrTail: this.#tail.lastLines(),
      takenCount: this.#takenCount,
    };
    server.greet(JSON.stringify(hello));
  }

  #received(socket: Socket<Attachment>, bytes: Uint8Array): void {
    const { server } = socket.data;
    if (server !== this.#server) return;
    try {
      server?.received(bytes);
    } catch (error) {
      if (!(error instanceof BrokenRecordError)) throw error;
      socket.end();
    }
  }

  #detached(server: AttachedServer | null): void {
    if (server === null || server !== this.#server) return;
    this.#server = null;
    this.#waitForServer(this.#orders.holdMs);
  }

  #waitForServer(ms: number): void {
    clearTimeout(this.#alone);
    this.#alone = setTimeout(() => this.leave().catch(this.#exit), ms);
  }

  #receive({ kind, offset, text }: JournalRecord): void {
    switch (kind) {
      case KIND.out:
        this.#take(text, offset);
        break;
      case KIND.note:
        this.#enqueue({ add: () => this.#journal.checkpoint(text, offset), isNews: false, done: () => undefined });
        break;
      case KIND.stop:
        this.#isStopping = true;
        this.#agent?.stop(text === "now" ? "now" : "gentle").catch(this.#exit);
        break;
      case KIND.release:
        if (this.#hasEnded) this.#go();
        break;
    }
  }

  /** A server whose channel can be cut numbers its lines, and gets a confirmation for each. */
  #take(line: string, number: number): void {
    this.#takenCount++;
    this.#append(KIND.out, line, () => {
      this.#agent?.write(line);
      if (number > 0) this.#server?.mention(KIND.taken, "", number);
    });
  }

  /** Output from before the end is kept for the next server, however long that takes to attach. */
  #ended(exit: Exit): void {
    this.#hasEnded = true;
    this.#append(KIND.exit, JSON.stringify(exit));
  }

  #append(kind: RecordKind, text: string, done: () => void = () => undefined): void {
    this.#enqueue({ add: () => this.#journal.append(kind, text), isNews: kind !== KIND.out, done });
  }

  #enqueue(waiting: Waiting): void {
    this.#waiting.push(waiting);
    if (this.#waiting.length === 1) this.#write();
  }

  /** A full disk blocks the agent and loses nothing. */
  #write(): void {
    for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
      let bytes: Uint8Array;
      try {
        bytes = next.add();
      } catch (error) {
        if (!(error instanceof Error) || !("code" in error)) throw error;
        setTimeout(() => this.#write(), APPEND_RETRY_MS);
        return;
      }
      this.#waiting.shift();
      // A failure to send must not count as a failure to write: nothing is written twice.
      this.#server?.appended(bytes, next.isNews);
      next.done();
    }
    this.#onRoom();
  }

  /** Null if the agent may continue at once; otherwise resolves when it may. */
  #room(): Promise<void> | null {
    if (this.#hasRoom) return null;
    return new Promise((resolve) => {
      this.#onRoom = () => {
        if (!this.#hasRoom) return;
        this.#onRoom = () => undefined;
        resolve();
      };
    });
  }

  get #hasRoom(): boolean {
    return this.#waiting.length === 0 && this.#journal.bytes < this.#orders.journalBytesMax;
  }

  /** The lifeline ends whatever the agent left running; the server detects our end when the socket closes. */
  #go(): void {
    clearTimeout(this.#alone);
    rmSync(this.#orders.dir, { recursive: true, force: true });
    this.#lifeline.stop().then(this.#exit, this.#exit);
  }
}

const CATCH_UP_BYTES_MAX = 256 * 1024;

/**
 * The server at the other end of the socket. It receives the journal from its start and then new records. If it
 * reads more slowly than the agent writes, the rest waits in the journal and not in memory.
 */
class AttachedServer {
  readonly #socket: Socket<unknown>;
  readonly #journal: Journal;
  readonly #reader: RecordReader;
  /** Position of the data handed to the socket or buffered in `#unsent`. */
  #position: JournalPosition;
  #unsent: Uint8Array | null = null;
  #isLive = false;
  #hasReportedLive = false;

  constructor(socket: Socket<unknown>, journal: Journal, onRecord: (record: JournalRecord) => void) {
    this.#socket = socket;
    this.#journal = journal;
    this.#reader = new RecordReader(onRecord);
    this.#position = journal.start;
  }

  /** Sends the hello, then the whole journal. */
  greet(hello: string): void {
    this.#put(encodeRecord({ kind: KIND.hello, offset: 0, text: hello }));
    this.drained();
  }

  /** Throws BrokenRecordError for bytes that our servers never send. */
  received(bytes: Uint8Array): void {
    this.#reader.push(bytes);
  }

  /** A record was just added to the journal. `isNews` is false for records that the server sent itself. */
  appended(bytes: Uint8Array, isNews: boolean): void {
    if (!this.#isLive) return;
    this.#position = this.#journal.end;
    if (isNews) this.#put(bytes);
    if (this.#unsent) this.#isLive = false;
  }

  /** Not in the journal: a server that is behind does not receive it. */
  mention(kind: RecordKind, text: string, offset = 0): void {
    if (this.#isLive) this.#put(encodeRecord({ kind, offset, text }));
    if (this.#unsent) this.#isLive = false;
  }

  drained(): void {
    const unsent = this.#unsent;
    this.#unsent = null;
    if (unsent) this.#put(unsent);
    while (!this.#unsent) {
      const piece = this.#journal.read(this.#position, CATCH_UP_BYTES_MAX);
      if (!piece) break;
      this.#position = piece.next;
      this.#put(piece.bytes);
    }
    if (this.#unsent) return;
    this.#isLive = true;
    if (this.#hasReportedLive) return;
    this.#hasReportedLive = true;
    this.mention(KIND.live, "");
  }

  end(): void {
    this.#socket.end();
  }

  #put(bytes: Uint8Array): void {
    const sent = Math.max(0, this.#socket.write(bytes));
    if (sent < bytes.byteLength) this.#unsent = bytes.subarray(sent);
  }
}
