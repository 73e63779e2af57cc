import type { AgentEvent } from "../../ports/agents.ts";
import type { PermissionId, TurnId } from "../../protocol/ids.ts";
import { isPermission } from "../../protocol/pending-request.ts";
import type { PendingPermission, PermissionToolCall } from "../../protocol/session-parts.ts";
import type { SessionState } from "../../protocol/session-schema.ts";
import type { Verdict } from "./policy.ts";
import type { Consideration, JudgedSession, PolicyService } from "./policy-service.ts";

/** A question that the policy is asked before the user is. */
export interface JudgedQuestion {
  readonly question: PendingPermission;
  /** The turn it was asked in. */
  readonly turnId: TurnId | null;
  /** The user already sees it, and the policy has changed. */
  readonly isOpen: boolean;
}

/** What the policy says to a question, on its way to the session. */
export type PermissionJudged = JudgedQuestion & {
  readonly type: "permission-judged";
  readonly verdict: Verdict;
  /** Which try this is: of two on the same question, the later one counts. */
  readonly nth: number;
};

/** All that a session hears: its agent, and its policy. */
export type Observed = AgentEvent | PermissionJudged;

interface PermissionJudgeDeps {
  readonly policy: PolicyService;
  readonly session: () => JudgedSession;
  readonly post: (judged: PermissionJudged) => void;
  readonly onError: (error: unknown) => void;
}

const NOT_STARTED = 0;

/** Questions of one session that wait for the policy's word; the disk may take a moment to say where a path leads. */
export class PermissionJudge {
  readonly #deps: PermissionJudgeDeps;
  /** By question, the try whose verdict counts. */
  readonly #waiting = new Map<PermissionId, number>();
  #tries = 0;

  constructor(deps: PermissionJudgeDeps) {
    this.#deps = deps;
  }

  /** Rules that cannot be read must not keep the agent waiting: then the user is asked. */
  readonly consider = (toolCall: PermissionToolCall): Consideration => {
    try {
      return this.#deps.policy.consider(this.#deps.session(), toolCall);
    } catch (error) {
      this.#deps.onError(error);
      return { decides: false };
    }
  };

  /** What is to be judged once the facts are stored; it may be taken back before that. */
  expect(effects: readonly { readonly type: string; readonly question?: PendingPermission }[]): void {
    for (const { question } of effects) if (question) this.#waiting.set(question.permissionId, NOT_STARTED);
  }

  start(asked: JudgedQuestion): void {
    const { policy, session, post, onError } = this.#deps;
    const { permissionId, toolCall } = asked.question;
    if (!asked.isOpen && !this.#waiting.has(permissionId)) return;
    this.#tries += 1;
    const nth = this.#tries;
    this.#waiting.set(permissionId, nth);
    const { question, turnId, isOpen } = asked;
    const say = (verdict: Verdict) => post({ type: "permission-judged", question, turnId, isOpen, verdict, nth });
    policy.judge(session(), toolCall).then(say, (error) => {
      onError(error);
      say({ answer: "ask", why: "The rules could not be applied." });
    });
  }

  /** The policy has changed: it may now have an answer to what waits for the user. */
  startAgain({ pending, turn }: SessionState): void {
    for (const question of pending.filter(isPermission))
      this.start({ question, turnId: turn.turnId ?? null, isOpen: true });
  }

  /**
   * To be asked about everything the session hears, in order. False for a verdict on a question that no longer waits
   * for it: taken back, asked by a process that is gone, or judged anew since.
   */
  lets(event: Observed): boolean {
    if (event.type === "permission-withdrawn") this.#waiting.delete(event.permissionId);
    else if (event.type === "lost") this.#waiting.clear();
    if (event.type !== "permission-judged") return true;
    const { permissionId } = event.question;
    return this.#waiting.get(permissionId) === event.nth && this.#waiting.delete(permissionId);
  }
}
