import type { AgentEvent, AgentSink, QuestionDesk } from "../../ports/agents.ts";
import { isoTime, type World } from "../../ports/world.ts";
import { type CliType, ElicitationId } from "../../protocol/ids.ts";
import type { Question, QuestionAnswer } from "../../protocol/question.ts";
import { ClientRequestError } from "./client-requests.ts";
import type { AcpNote, Asked } from "./connection/acp-hooks.ts";
import { offsetOfRequest, requestIdAt } from "./connection/wire-message.ts";
import { asString, type JsonObject } from "./read-json.ts";
import { readQuestion } from "./translate/read-question.ts";

/** Pages whose end an agent may still tell us; the oldest is forgotten first. */
const PAGES_MAX = 200;

/** The session a question belongs to, as far as asking needs it. */
export interface AskingSession {
  readonly agentSessionId: string;
  readonly sink: AgentSink;
  /** The user has the question since an earlier server. */
  isOpen(elicitationId: ElicitationId): boolean;
  ask(event: Extract<AgentEvent, { type: "question-asked" }>): void;
  /** It repeats what it remembers: nobody is there to answer what was asked then. */
  readonly isReplaying: boolean;
}

interface AcpQuestionsOptions {
  readonly id: CliType;
  readonly name: string;
  readonly world: World;
  /** With the line a question came in, names it for ever. */
  readonly processId: string;
  readonly desk: QuestionDesk;
  readonly sessionOf: (params: JsonObject) => AskingSession | undefined;
  readonly sessionNamed: (agentSessionId: string) => AskingSession | undefined;
  readonly answer: (offset: number, answer: { readonly result: object } | { readonly error: object }) => void;
}

interface AskedQuestion {
  readonly elicitationId: ElicitationId;
  /** Undefined for a question that belongs to no session: it goes to the desk. */
  readonly session: AskingSession | undefined;
}

/** What one agent process asks the user: within its sessions, and before it has any. */
export class AcpQuestions {
  readonly #options: AcpQuestionsOptions;
  /** Who asked: the wire says it only while the request that a question belongs to is open. */
  readonly #askers = new Map<ElicitationId, AskingSession | undefined>();
  /** Pages by the agent's own name of them. */
  readonly #pages = new Map<string, AskedQuestion>();

  /** What the connection tells, in the order of the wire. */
  readonly hooks = {
    onQuestion: (asked: Asked, params: JsonObject) => this.#onAsked(asked, params),
    onQuestionWithdrawn: (offset: number) => this.#onWithdrawn(offset),
    onQuestionCompleted: (name: string) => this.#onCompleted(name),
  };

  constructor(options: AcpQuestionsOptions) {
    this.#options = options;
  }

  #onAsked({ offset, isAnswered }: Asked, params: JsonObject): void {
    const { processId, sessionOf, answer } = this.#options;
    const session = sessionOf(params);
    if (session?.isReplaying && params["requestId"] === undefined) {
      answer(offset, { result: { action: "cancel" } });
      return;
    }
    try {
      const question = readQuestion(params);
      const asked = { elicitationId: ElicitationId.parse(requestIdAt(processId, offset)), session };
      if (question.mode === "url") this.#rememberPage(asString(params["elicitationId"]), asked);
      if (isAnswered) return;
      this.#askers.set(asked.elicitationId, session);
      if (!session?.isOpen(asked.elicitationId)) this.#ask(asked, question);
    } catch (error) {
      if (!(error instanceof ClientRequestError)) throw error;
      answer(offset, { error: { code: error.code, message: error.message } });
    }
  }

  /** The agent takes a question back; it has its answer already. */
  #onWithdrawn(offset: number): void {
    const elicitationId = ElicitationId.parse(requestIdAt(this.#options.processId, offset));
    const session = this.#askers.get(elicitationId);
    this.#askers.delete(elicitationId);
    if (session) session.sink({ type: "question-withdrawn", elicitationId });
    else this.#options.desk.withdraw(elicitationId);
  }

  /** What a page was for is done; names nobody knows, or that were told before, mean nothing. */
  #onCompleted(name: string): void {
    const asked = this.#pages.get(name);
    this.#pages.delete(name);
    if (!asked) return;
    const { elicitationId, session } = asked;
    if (session) session.sink({ type: "question-completed", elicitationId });
    else this.answer(elicitationId, { action: "cancel" });
  }

  answer(elicitationId: ElicitationId, answer: QuestionAnswer): void {
    const { processId, desk } = this.#options;
    const offset = offsetOfRequest(processId, elicitationId);
    if (offset === null || !this.#askers.has(elicitationId)) return;
    const session = this.#askers.get(elicitationId);
    this.#askers.delete(elicitationId);
    this.#options.answer(offset, { result: answer });
    if (!session) desk.withdraw(elicitationId);
  }

  get pages(): AcpNote["pages"] {
    return [...this.#pages].map(([name, { elicitationId, session }]) => {
      return { name, elicitationId, agentSessionId: session?.agentSessionId ?? null };
    });
  }

  restore(pages: AcpNote["pages"]): void {
    for (const { name, elicitationId, agentSessionId } of pages) {
      const session = agentSessionId === null ? undefined : this.#options.sessionNamed(agentSessionId);
      this.#rememberPage(name, { elicitationId, session });
    }
  }

  /** The process is gone: its sessions hear of that by themselves. */
  lose(): void {
    for (const [elicitationId, session] of this.#askers) if (!session) this.#options.desk.withdraw(elicitationId);
    this.#askers.clear();
    this.#pages.clear();
  }

  #ask({ elicitationId, session }: AskedQuestion, question: Question): void {
    const { desk, id, name, world } = this.#options;
    if (session) {
      session.ask({ type: "question-asked", elicitationId, question });
      return;
    }
    const asked = { ...question, elicitationId, askedAt: isoTime(world), cliType: id, agentName: name };
    desk.ask(asked, (answer) => this.answer(elicitationId, answer));
  }

  #rememberPage(name: string | undefined, asked: AskedQuestion): void {
    if (name === undefined) return;
    this.#pages.set(name, asked);
    const oldest = this.#pages.keys().next().value;
    if (this.#pages.size > PAGES_MAX && oldest !== undefined) this.#pages.delete(oldest);
  }
}
