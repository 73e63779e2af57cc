import type { AgentEvent, AgentSink, QuestionDesk } from "../../ports/agents.ts";
import { isoTime, type World } from "../../ports/world.ts";
import { type CliType, ElicitationId } from "../../protocol/ids.ts";
import type { Question, QuestionAnswer } from "../../protocol/question.ts";
import { ClientRequestError } from "./client-requests.ts";
import type { AcpNote, Asked } from "./connection/acp-hooks.ts";
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
  readonly answer: (key: string, answer: { readonly result: object } | { readonly error: object }) => void;
}

interface OpenQuestion {
  readonly elicitationId: ElicitationId;
  /** Undefined for a question that belongs to no session: it goes to the desk. */
  readonly session: AskingSession | undefined;
}

/** What one agent process asks the user: within its sessions, and before it has any. */
export class AcpQuestions {
  readonly #options: AcpQuestionsOptions;
  /** Open questions by the key of their request. */
  readonly #open = new Map<string, OpenQuestion>();
  /** Pages by the agent's own name of them. */
  readonly #pages = new Map<string, OpenQuestion>();

  /** What the connection tells, in the order of the wire. */
  readonly hooks = {
    onQuestion: (asked: Asked, params: JsonObject) => this.#onAsked(asked, params),
    onQuestionWithdrawn: (key: string) => this.#onWithdrawn(key),
    onQuestionCompleted: (name: string) => this.#onCompleted(name),
  };

  constructor(options: AcpQuestionsOptions) {
    this.#options = options;
  }

  #onAsked({ key, offset, isAnswered }: Asked, params: JsonObject): void {
    const { processId, sessionOf, answer } = this.#options;
    const session = sessionOf(params);
    if (session?.isReplaying && params["requestId"] === undefined) {
      answer(key, { result: { action: "cancel" } });
      return;
    }
    try {
      const question = readQuestion(params);
      const asked = { elicitationId: ElicitationId.parse(`${processId}-${offset}`), session };
      if (question.mode === "url") this.#rememberPage(asString(params["elicitationId"]), asked);
      if (isAnswered) return;
      this.#open.set(key, asked);
      if (!session?.isOpen(asked.elicitationId)) this.#ask(asked, question);
    } catch (error) {
      if (!(error instanceof ClientRequestError)) throw error;
      answer(key, { error: { code: error.code, message: error.message } });
    }
  }

  /** The agent takes a question back; it has its answer already. */
  #onWithdrawn(key: string): void {
    const asked = this.#open.get(key);
    this.#open.delete(key);
    if (!asked) return;
    const { elicitationId, session } = asked;
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
    for (const [key, asked] of this.#open) {
      if (asked.elicitationId !== elicitationId) continue;
      this.#open.delete(key);
      this.#options.answer(key, { result: answer });
      if (!asked.session) this.#options.desk.withdraw(elicitationId);
    }
  }

  has(id: string): boolean {
    return [...this.#open.values()].some(({ elicitationId }) => elicitationId === id);
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
    for (const { elicitationId, session } of this.#open.values())
      if (!session) this.#options.desk.withdraw(elicitationId);
    this.#open.clear();
    this.#pages.clear();
  }

  #ask({ elicitationId, session }: OpenQuestion, question: Question): void {
    const { desk, id, name, world } = this.#options;
    if (session) {
      session.ask({ type: "question-asked", elicitationId, question });
      return;
    }
    const asked = { ...question, elicitationId, askedAt: isoTime(world), cliType: id, agentName: name };
    desk.ask(asked, (answer) => this.answer(elicitationId, answer));
  }

  #rememberPage(name: string | undefined, asked: OpenQuestion): void {
    if (name === undefined) return;
    this.#pages.set(name, asked);
    const oldest = this.#pages.keys().next().value;
    if (this.#pages.size > PAGES_MAX && oldest !== undefined) this.#pages.delete(oldest);
  }
}
