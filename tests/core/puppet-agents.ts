import type {
  AgentEvent,
  AgentSession,
  Agents,
  AttachRequest,
  ForgetRequest,
  RestoreRequest,
} from "../../src/ports/agents.ts";
import type { Part } from "../../src/protocol/entry.ts";
import { REFUSE, type Refusal, RefusalError } from "../../src/protocol/errors.ts";
import type { CliType, ElicitationId, PermissionId, TurnId } from "../../src/protocol/ids.ts";
import type { QuestionAnswer } from "../../src/protocol/question.ts";
import type { AgentInfo } from "../../src/protocol/server-messages.ts";
import type { PermissionOutcome } from "../../src/protocol/session-parts.ts";
import { BUILTIN } from "./names.ts";

const INFO: AgentInfo = { id: BUILTIN, name: "Puppet", status: "connected", availability: "ready", capabilities: {} };

/** The agents' side of the port, controlled by the test. */
export class PuppetAgents implements Agents {
  readonly attached: PuppetSession[] = [];
  readonly restores: (RestoreRequest | null)[] = [];
  readonly signals: AbortSignal[] = [];
  /** The conversations whose own copy was to be deleted. */
  readonly forgotten: string[] = [];
  refusal: Refusal | null = null;
  /** How the next conversation came about. */
  origin: AgentSession["origin"] = "new";
  /** Events of the next one before it is handed over. */
  early: readonly AgentEvent[] = [];
  /** Attaching waits for this. */
  gate: Promise<void> = Promise.resolve();
  #onAttached: () => void = () => undefined;
  readonly #expected = new Set<object>();

  async attach(request: AttachRequest): Promise<AgentSession> {
    this.restores.push(request.restore);
    this.signals.push(request.signal);
    await this.gate;
    if (request.signal.aborted) throw new RefusalError(REFUSE.agentProtocol("Given up."));
    if (this.refusal) throw new RefusalError(this.refusal);
    const session = new PuppetSession(request, `agent-session-${this.attached.length + 1}`, this.origin);
    this.attached.push(session);
    session.say(...this.early);
    // After the caller's own continuation.
    setImmediate(() => this.#onAttached());
    return session;
  }

  /** Resolves when the next conversation has been handed over. */
  nextAttached(): Promise<void> {
    const before = this.attached.length;
    return new Promise((resolve) => {
      this.#onAttached = () => this.attached.length > before && resolve();
    });
  }

  expect(): Disposable {
    const use = {};
    this.#expected.add(use);
    return { [Symbol.dispose]: () => void this.#expected.delete(use) };
  }

  /** Someone is about to use an agent. */
  get isExpected(): boolean {
    return this.#expected.size > 0;
  }

  /** Ending a process waits for this. */
  ending: Promise<void> = Promise.resolve();

  async end(): Promise<void> {
    await this.ending;
  }

  rest(): void {
    // Puppets have no processes.
  }

  async forget({ agentSessionId }: ForgetRequest): Promise<void> {
    this.forgotten.push(agentSessionId);
  }

  async fork(): Promise<null> {
    return null;
  }

  survivors(): readonly string[] {
    return [];
  }

  rejoin(): null {
    return null;
  }

  catchUp(): void {
    // Puppets have no past.
  }

  /** The conversation that was attached last. */
  get last(): PuppetSession {
    const last = this.attached.at(-1);
    if (!last) throw new Error("no agent was attached");
    return last;
  }

  list(): readonly AgentInfo[] {
    return [INFO];
  }

  find(cliType: CliType): AgentInfo | null {
    return cliType === BUILTIN ? INFO : null;
  }
}

type Call = "cancel" | `stop ${string}` | "close" | `prompt ${string}` | `answer ${string}` | `configure ${string}`;

/** One conversation with a puppet. */
export class PuppetSession implements AgentSession {
  readonly agentSessionId: string;
  readonly origin: AgentSession["origin"];
  readonly processId = null;
  readonly lastLine = 0;
  /** What was asked of it, in order. */
  readonly calls: Call[] = [];
  readonly #request: AttachRequest;
  turnId: TurnId | null = null;
  failure: Error | null = null;

  constructor(request: AttachRequest, agentSessionId: string, origin: AgentSession["origin"]) {
    this.#request = request;
    this.agentSessionId = agentSessionId;
    this.origin = origin;
  }

  say(...events: AgentEvent[]): void {
    for (const event of events) this.#request.sink(event);
  }

  text(text: string, messageId?: string): void {
    this.say({ type: "text", kind: "assistant", text, ...(messageId !== undefined && { messageId }) });
  }

  /** Answers the prompt it was given last. */
  endTurn(): void {
    if (this.turnId) this.say({ type: "turn-ended", turnId: this.turnId, stopReason: "end_turn" });
  }

  prompt(turnId: TurnId, content: string, _attachments: readonly Part[]): void {
    this.turnId = turnId;
    this.calls.push(`prompt ${content}`);
  }

  cancel(): void {
    this.calls.push("cancel");
  }

  stopSubAgent(toolCallId: string): void {
    this.calls.push(`stop ${toolCallId}`);
  }

  answerPermission(permissionId: PermissionId, outcome: PermissionOutcome): void {
    this.calls.push(`answer ${permissionId} ${outcome.outcome}`);
  }

  answerQuestion(elicitationId: ElicitationId, { action, content }: QuestionAnswer): void {
    this.calls.push(`answer ${elicitationId} ${action}${content ? ` ${JSON.stringify(content)}` : ""}`);
  }

  async configure(configId: string, value: string | boolean): Promise<void> {
    this.calls.push(`configure ${configId} ${value}`);
    if (this.failure) throw this.failure;
  }

  async close(): Promise<void> {
    this.calls.push("close");
    if (this.failure) throw this.failure;
  }
}
