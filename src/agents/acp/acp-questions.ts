import type { AgentEvent, AgentSink, QuestionDesk } from "../../ports/agents.ts";
import { isoTime, type World } from "../../ports/world.ts";
import { type CliType, ElicitationId } from "../../protocol/ids.ts";
import type { Question, QuestionAnswer } from "../../protocol/question.ts";
import { ClientRequestError } from "./client-requests.ts";
import type { AcpNote, Asked } from "./connection/acp-hooks.ts";
import { offsetOfRequest, requestIdAt } from "./connection/wire-message.ts";
import { asString, type JsonObject } from "./read-json.ts";
import { readQuestion } from "./translate/read-question.ts";

/** Limit of open pages whose completion an agent may still report; the oldest is dropped first. */
const PAGES_MAX = 200;

/** The part of a session that questions need. */
export interface AskingSession {
  readonly agentSessionId: string;
  readonly sink: AgentSink;
  /** The outcome of a question that an earlier server passed on; null when it passed on none. */
  answerOf(elicitationId: ElicitationId): "open" | QuestionAnswer | null;
  ask(event: Extract<AgentEvent, { type: "question-asked" }>): void;
  /** The session is being replayed: old questions are not asked again. */
  readonly isReplaying: boolean;
}

interface AcpQuestionsOptions {
  readonly id: CliType;
  readonly name: string;
  readonly world: World;
  /** Together with the line of a question, forms its permanent id. */
  readonly processId: string;
  readonly desk: QuestionDesk;
  readonly sessionOf: (params: JsonObject) => AskingSession | undefined;
  /** The name of the sub-agent that asks; undefined when the session's own agent asks. */
  readonly subAgentOf: (params: JsonObject) => string | undefined;
  readonly sessionNamed: (agentSessionId: string) => AskingSession | undefined;
  readonly answer: (offset: number, answer: { readonly result: object } | { readonly error: object }) => void;
}

interface AskedQuestion {
  readonly elicitationId: ElicitationId;
  /** Undefined for a question outside any session, which goes to the question desk. */
  readonly session: AskingSession | undefined;
}

/** Questions of one agent process to the user, inside and outside its sessions. */
export class AcpQuestions {
  readonly #options: AcpQuestionsOptions;
  /** The session that asked. The wire names it only while the related request is open. */
  readonly #askers = new Map<ElicitationId, AskingSession | undefined>();
  /** Open pages by the agent's name for them. */
  readonly #pages = new Map<string, AskedQuestion>();

  /** Callbacks of the connection, in wire order. */
  readonly hooks = {
    onQuestion: (asked: Asked, params: JsonObject) => this.#onAsked(asked, params),
    onQuestionWithdrawn: (offset: number) => this.#onWithdrawn(offset),
    onQuestionCompleted: (name: string) => this.#onCompleted(name),
  };

  constructor(options: AcpQuestionsOptions) {
    this.#options = options;
  }

  #onAsked({ offset, isAnswered }: Asked, params: JsonObject): void {
    const { processId, sessionOf, subAgentOf, answer } = this.#options;
    const session = sessionOf(params);
    if (session?.isReplaying && params["requestId"] === undefined) {
      answer(offset, { result: { action: "cancel" } });
      return;
    }
    try {
      const subAgent = subAgentOf(params);
      const question = { ...readQuestion(params), ...(subAgent !== undefined && { subAgent }) };
      const asked = { elicitationId: ElicitationId.parse(requestIdAt(processId, offset)), session };
      if (question.mode === "url") this.#rememberPage(asString(params["elicitationId"]), asked);
      if (isAnswered) return;
      this.#askers.set(asked.elicitationId, session);
      const known = session?.answerOf(asked.elicitationId) ?? null;
      if (known === null) this.#ask(asked, question);
      // The server that stored the answer ended before the agent had it.
      else if (known !== "open") this.answer(asked.elicitationId, known);
    } catch (error) {
      if (!(error instanceof ClientRequestError)) throw error;
      answer(offset, { error: { code: error.code, message: error.message } });
    }
  }

  /** The agent withdraws a question; it is already answered on the wire. */
  #onWithdrawn(offset: number): void {
    const elicitationId = ElicitationId.parse(requestIdAt(this.#options.processId, offset));
    const session = this.#askers.get(elicitationId);
    this.#askers.delete(elicitationId);
    if (session) session.sink({ type: "question-withdrawn", elicitationId });
    else this.#options.desk.withdraw(elicitationId);
  }

  /** A page was completed. Unknown or already completed names are ignored. */
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

  /** The process has ended; its sessions are notified separately. */
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
