import type { AgentChoices, Choices } from "../ports/agent-choices.ts";
import type { AgentSession, Agents } from "../ports/agents.ts";
import type { Delegation } from "../ports/delegation-store.ts";
import type { ProjectStore } from "../ports/project-store.ts";
import { type AgentBinding, NO_AGENT_SESSION, type SessionLog } from "../ports/session-log.ts";
import { isoTime, type World } from "../ports/world.ts";
import type { ClientMessage } from "../protocol/client-messages.ts";
import type { Budget, Delegator } from "../protocol/delegation.ts";
import { REFUSE, RefusalError } from "../protocol/errors.ts";
import { SessionId } from "../protocol/ids.ts";
import type { PlainServerMessage } from "../protocol/server-messages.ts";
import { newSessionRow, type SessionRow } from "../protocol/session-schema.ts";
import { applyChoices } from "./agent/apply-choices.ts";
import { EarlyEvents } from "./agent/early-events.ts";
import { type Answer, writeAnswer } from "./answer.ts";
import { type Delegations, isRefusal } from "./delegation/delegations.ts";
import type { PolicyService } from "./policy/policy-service.ts";
import { refuseStart } from "./policy/read-command.ts";
import type { Session } from "./session.ts";

interface SessionMakerDeps {
  readonly world: World;
  readonly log: SessionLog;
  readonly projects: ProjectStore;
  readonly agents: Agents;
  readonly policy: PolicyService;
  readonly choices: AgentChoices;
  readonly delegations: Delegations;
  readonly publish: (message: PlainServerMessage) => void;
  readonly onError: (error: unknown) => void;
  readonly load: (sessionId: SessionId) => Promise<Session | null>;
  readonly onCreated?: (sessionId: SessionId) => void;
  /** The session has been published, or could not be made. */
  readonly onMade: (sessionId: SessionId) => void;
}

type Create = Extract<ClientMessage, { type: "session:create" }>;

/**
 * Makes sessions: the agent first, then all of it is stored, or nothing is. For whoever does not wait for the agent the
 * session is stored first, and the agent starts behind it.
 */
export class SessionMaker {
  readonly #deps: SessionMakerDeps;
  readonly #making = new Set<SessionId>();

  constructor(deps: SessionMakerDeps) {
    this.#deps = deps;
  }

  isMaking(sessionId: SessionId): boolean {
    return this.#making.has(sessionId);
  }

  async make(command: Create, createdFor: CreatedFor | undefined): Promise<Answer> {
    const { projects, agents, world, choices, delegations } = this.#deps;
    const { projectId, cliType } = command;
    const project = projects.get(projectId);
    if (!project) return { kind: "refused", refusal: REFUSE.projectNotFound() };
    const known = agents.find(cliType);
    if (!known) return { kind: "refused", refusal: REFUSE.agentUnknown(cliType) };
    const refusal = refuseStart(command.options?.["policy"]);
    if (refusal) return { kind: "refused", refusal };
    const sessionId = SessionId.parse(`${cliType}:${world.newId()}`);
    const early = new EarlyEvents();
    const admitted = createdFor && delegations.admitChild(createdFor.by, createdFor.budget);
    if (admitted && isRefusal(admitted)) return { kind: "refused", refusal: admitted };
    const cwd = project.path;
    const delegation = admitted?.delegation;
    this.#making.add(sessionId);
    try {
      if (command.waitForAgent === false) {
        // Nothing can start: there is no reason to find that out behind an open session.
        if (known.availability === "needs-install")
          return { kind: "refused", refusal: REFUSE.agentNotInstalled(known.name, known.hint) };
        return await this.#store({ command, id: sessionId, cwd, agent: null, delegation });
      }
      // Of a session that was made and is gone nothing is left to store.
      const tryFlush = async () => {
        const stored = await this.#deps.load(sessionId);
        return stored ? stored.tryFlush() : early.isLost || !this.isMaking(sessionId);
      };
      const listeners = { sink: early.sink, tryFlush };
      const { signal } = new AbortController();
      const session = await agents.attach({ sessionId, projectId, cliType, cwd, restore: null, ...listeners, signal });
      // What the user lets an agent do elsewhere is not for another agent to hand on.
      const chosen: Choices = delegation?.parentId ? new Map() : choices.of(cliType);
      await applyChoices(session, async () => early.options, chosen, this.#deps.onError);
      return await this.#store({ command, id: sessionId, cwd, agent: { session, early }, delegation });
    } catch (error) {
      // A process of its own has no session to serve.
      agents.end(sessionId).catch(this.#deps.onError);
      if (!(error instanceof RefusalError)) throw error;
      return { kind: "refused", refusal: error.refusal };
    } finally {
      this.#making.delete(sessionId);
      this.#deps.onMade(sessionId);
      admitted?.[Symbol.dispose]();
    }
  }

  /** The row and the receipt are one transaction: sent again after a crash, the command makes no second session. */
  async #store(made: MadeSession): Promise<Answer> {
    const { command, agent } = made;
    const { log, world, policy, publish, load } = this.#deps;
    const { row, binding, message, answer } = describeNew(made, isoTime(world));
    const { commandId } = command;
    const receipt = commandId === undefined ? null : { commandId, answer: writeAnswer(answer), at: row.createdAt };
    await log.create(row, binding, receipt, made.delegation);
    await policy.start(row.id, command.options?.["policy"]);
    const session = await load(row.id);
    if (agent) await session?.adopt(agent.session, agent.early, command.title);
    else await session?.begin(command.title);
    // Last: whoever asked must have the answer before the published message comes back to it.
    publish(message);
    this.#deps.onCreated?.(row.id);
    return answer;
  }
}

/** For whom a session is started, and what it may spend. */
export interface CreatedFor {
  readonly by: Delegator;
  readonly budget: Budget;
}

/** A new session that is not stored yet. */
interface MadeSession {
  readonly command: Extract<ClientMessage, { type: "session:create" }>;
  readonly id: SessionId;
  readonly cwd: string;
  /** Null: it starts when the session is stored. */
  readonly agent: { readonly session: AgentSession; readonly early: EarlyEvents } | null;
  readonly delegation: Delegation | undefined;
}

/** What is stored of it, and what everyone is told. */
function describeNew({ command, id, cwd, agent, delegation }: MadeSession, createdAt: string) {
  const { projectId, cliType, title } = command;
  const parentId = delegation?.parentId ?? null;
  const row = newSessionRow({
    id,
    projectId,
    cliType,
    createdAt,
    ...(title !== undefined && { title }),
    ...(parentId !== null && { parentId }),
  });
  const agentSessionId = agent?.session.agentSessionId ?? NO_AGENT_SESSION;
  const binding: AgentBinding = { agentSessionId, createdAt, cwd, state: agent ? "active" : "idle", since: createdAt };
  const session: SessionRow = agent ? row : { ...row, start: { state: "starting" } };
  const message: PlainServerMessage = { type: "session:created", sessionId: id, projectId, session };
  const answer: Answer = { kind: "message", message, published: true };
  return { row, binding, message, answer };
}
