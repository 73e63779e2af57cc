import { isPermission } from "../../src/protocol/pending-request.ts";
import type { SeededRandom } from "../support/seeded-random.ts";
import type { Request, SocketClient } from "../support/socket-client.ts";
import type { TestServer } from "../support/test-server.ts";
import { Talk } from "./talk.ts";

const PROMPTS = [
  "stream 12 words",
  "stream 40 words at 2000/s",
  "plan",
  "sleep",
  "fail",
  "all",
  "run echo out; echo put",
  'edit note.txt "" "text"',
  "scenario late-updates",
  "scenario open-tool",
  "scenario duplicate-tool-call",
  "scenario two-permissions",
  "scenario burst",
  "scenario odd-updates",
];
/** The most important ones are listed more than once. */
const STEPS = [
  ...([
    "send",
    "send",
    "send",
    "send",
    "answer",
    "answer",
    "answer",
    "cancel",
    "cancel",
    "rename",
    "leave",
    "leave",
  ] as const),
  ...([
    "return",
    "return",
    "page",
    "page",
    "reopen",
    "edit",
    "configure",
    "archive",
    "breathe",
    "breathe",
    "listen",
  ] as const),
] as const;
const OPTIONS = ["allow-once", "reject-once", "allow-always"];

type WithoutSession<Message> = Message extends unknown ? Omit<Message, "sessionId"> : never;

/** One client stays, one comes and goes; chance decides what either does next. Nothing here waits for an outcome. */
export class Interleaving {
  readonly stayed: Talk;
  readonly steps: string[] = [];
  readonly #server: TestServer;
  readonly #random: SeededRandom;
  /** The client that comes and goes, when it is there; what it knew, when it is not. */
  #visitor: Talk;
  #isHere = true;

  constructor(server: TestServer, stayed: Talk, visitor: Talk, random: SeededRandom) {
    this.#server = server;
    this.stayed = stayed;
    this.#visitor = visitor;
    this.#random = random;
  }

  get visitor(): Talk {
    return this.#visitor;
  }

  async step(): Promise<void> {
    const name = this.#random.pick(STEPS);
    this.steps.push(name);
    await this.#actions[name]();
  }

  readonly #actions: Readonly<Record<(typeof STEPS)[number], () => Promise<void> | void>> = {
    send: () => this.#command({ type: "session:send", content: this.#random.pick(PROMPTS) }),
    cancel: () => this.#command({ type: "session:cancel" }),
    rename: () => this.#command({ type: "session:rename", title: `Title ${this.#random.between(1, 1_000)}` }),
    configure: () =>
      this.#command({
        type: "session:configure",
        configId: "voice",
        value: this.#random.pick(["brief", "detailed"]),
      }),
    archive: () => this.#command({ type: this.#random.pick(["session:archive", "session:unarchive"]) }),
    edit: () => {
      const items = this.stayed.state.queue.filter(() => this.#random.between(0, 2) > 0).toReversed();
      this.#command({ type: "session:queue-edit", items });
    },
    reopen: () => {
      const { client, sessionId } = this.#visitor;
      if (this.#isHere) client.post({ type: "session:open", sessionId, limit: this.#random.between(1, 6) });
    },
    answer: () => this.#answer(),
    leave: () => this.#leave(),
    return: () => this.return(),
    page: () => this.#page(),
    listen: () => this.#listen(),
    breathe: async () => {
      await this.stayed.client.ask("agent:list", { type: "agent:list" });
    },
  };

  /** Sent by any connected client. */
  #command(command: WithoutSession<Extract<Request, { sessionId: string }>>): void {
    this.#someone.post({ ...command, sessionId: this.stayed.sessionId });
  }

  /** Comes back with the cursor it left with. */
  async return(): Promise<void> {
    if (this.#isHere) return;
    const { sessionId, projectId, state } = this.#visitor;
    const client = await this.#server.connect(this.#visitor.client.sessions.states);
    this.#visitor = new Talk(client, projectId, sessionId);
    client.post({ type: "session:open", sessionId, after: state.seq });
    this.#isHere = true;
  }

  get #someone(): SocketClient {
    return this.#isHere && this.#random.between(0, 1) === 0 ? this.#visitor.client : this.stayed.client;
  }

  #leave(): void {
    if (!this.#isHere) return;
    this.#visitor.client[Symbol.dispose]();
    this.#isHere = false;
  }

  #answer(): void {
    const { sessionId, state } = this.stayed;
    for (const { permissionId } of state.pending.filter(isPermission)) {
      if (this.#random.between(0, 3) === 0) continue;
      const optionId = this.#random.pick(OPTIONS);
      this.#someone.post({ type: "permission:respond", sessionId, permissionId, optionId });
    }
  }

  #page(): void {
    const { sessionId, state, entries, client } = this.#visitor;
    const before = entries[0]?.entryId;
    if (!this.#isHere || !state.hasMore || before === undefined) return;
    client.post({ type: "session:page", sessionId, before, limit: this.#random.between(1, 5) });
  }

  /** Lets the agent get somewhere: waits for a few more messages, as long as a turn is sure to bring them. */
  async #listen(): Promise<void> {
    const { client } = this.stayed;
    const mark = client.mark();
    const wanted = this.#random.between(1, 4);
    this.stayed.client.post({ type: "agent:list" });
    await client.until(
      "a few messages",
      () => client.mark() - mark >= wanted || client.all("agent:list", mark).length > 0,
    );
  }
}
