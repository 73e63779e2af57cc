import type { AbsenceWatch } from "../lib/absence-watch.ts";
import type { QuestionDesk } from "../ports/agents.ts";
import type { QuestionResponse } from "../protocol/client-messages.ts";
import { REFUSE, type Refusal } from "../protocol/errors.ts";
import type { ElicitationId } from "../protocol/ids.ts";
import type { AgentQuestion, QuestionAction, QuestionAnswer } from "../protocol/question.ts";
import { advanceRegister, EMPTY_REGISTER, endOfRequest } from "./rules/open-requests.ts";
import { validateAnswer } from "./rules/validate-answer.ts";

const OPEN_QUESTIONS_MAX = 20;

interface AgentQuestionsOptions {
  readonly absence: AbsenceWatch;
  readonly onAsked: (question: AgentQuestion) => void;
  readonly onResolved: (elicitationId: ElicitationId, action: QuestionAction) => void;
}

interface OpenQuestion {
  readonly question: AgentQuestion;
  readonly answer: (answer: QuestionAnswer) => void;
}

/** Questions of agents outside any session: asked during sign-in, or before there is a session. */
export class AgentQuestions implements QuestionDesk {
  readonly #options: AgentQuestionsOptions;
  readonly #open = new Map<ElicitationId, OpenQuestion>();
  #requests = EMPTY_REGISTER;

  constructor(options: AgentQuestionsOptions) {
    this.#options = options;
  }

  /** Oldest first. */
  list(): readonly AgentQuestion[] {
    return [...this.#open.values()].map(({ question }) => question);
  }

  ask(question: AgentQuestion, answer: (answer: QuestionAnswer) => void): void {
    if (this.#open.size >= OPEN_QUESTIONS_MAX) {
      answer({ action: "decline" });
      return;
    }
    const { elicitationId } = question;
    this.#open.set(elicitationId, { question, answer });
    this.#options.absence.watch(elicitationId, () => this.#end(elicitationId, { action: "decline" }));
    this.#options.onAsked(question);
  }

  /** The agent no longer needs an answer. */
  withdraw(elicitationId: ElicitationId): void {
    if (this.#close(elicitationId, "cancel")) this.#options.onResolved(elicitationId, "cancel");
  }

  /** Null if it was accepted, which is broadcast. */
  respond(response: QuestionResponse): Refusal | null {
    const { elicitationId } = response;
    const open = this.#open.get(elicitationId);
    if (!open) return REFUSE.notPending(endOfRequest(this.#requests, elicitationId));
    const validated = validateAnswer(open.question, response);
    if (!validated.ok) return validated.refusal;
    this.#end(elicitationId, validated.answer);
    return null;
  }

  #end(elicitationId: ElicitationId, answer: QuestionAnswer): void {
    const open = this.#close(elicitationId, answer.action);
    if (!open) return;
    open.answer(answer);
    this.#options.onResolved(elicitationId, answer.action);
  }

  #close(elicitationId: ElicitationId, action: QuestionAction): OpenQuestion | undefined {
    const open = this.#open.get(elicitationId);
    if (!open) return undefined;
    this.#open.delete(elicitationId);
    this.#options.absence.forget(elicitationId);
    const resolved = { type: "elicitation:resolved", elicitationId, action } as const;
    this.#requests = advanceRegister(this.#requests, { pending: [], facts: [resolved], effects: [] });
    return open;
  }
}
