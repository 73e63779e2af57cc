import type { AgentChoices, Choices } from "../ports/agent-choices.ts";
import type { AgentSession, Agents } from "../ports/agents.ts";
import type { Delegation } from "../ports/delegation-store.ts";
import type { ProjectStore } from "../ports/project-store.ts";
import { type AgentBinding, NO_AGENT_SESSION, type SessionLog } from "../ports/session-log.ts";
import type { WorktreePlace } from "../ports/worktrees.ts";
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
import { NewPlace, type NewPlaceDeps } from "./new-place.ts";
import type { PolicyService } from "./policy/policy-service.ts";
import type * as PolicyCommands from "./policy/read-command.ts";
import type { Session } from "./session.ts";

/** Loaded with the first session that is made, in that step (decision 149). */
const LATER = {
  policyCommands: (): typeof PolicyCommands => require("./policy/read-command.ts"),
};

interface SessionMakerDeps extends NewPlaceDeps {
  readonly world: World;
  readonly log: SessionLog;
  readonly projects: ProjectStore;
  readonly agents: Agents;
  readonly policy: PolicyService;
  readonly choices: AgentChoices;
  readonly delegations: Delegations;
  readonly publish: (message: PlainServerMessage) => void;
  readonly load: (sessionId: SessionId) => Promise<Session | null>;
  readonly onCreated?: (sessionId: SessionId) => void;
  /** The session has been published, or could not be created. */
  readonly onMade: (sessionId: SessionId) => void;
}

type Create = Extract<ClientMessage, { type: "session:create" }>;

/**
 * Creates sessions: its worktree and the agent first, then everything is stored, or nothing. If the caller does not wait
 * for the agent, the session is stored first, and the agent starts in the background. The worktree is always waited for:
 * all that a session does needs its directory.
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

  async make(command: Create, createdFor: CreatedFor | undefined, isRemembered: boolean): Promise<Answer> {
    const { projects, agents, world, choices, delegations } = this.#deps;
    const { projectId, cliType } = command;
    const project = await projects.get(projectId);
    if (!project) return { kind: "refused", refusal: REFUSE.projectNotFound() };
    const known = agents.find(cliType);
    if (!known) return { kind: "refused", refusal: REFUSE.agentUnknown(cliType) };
    const refusal = LATER.policyCommands().refuseStart(command.options?.["policy"]);
    if (refusal) return { kind: "refused", refusal };
    const sessionId = SessionId.parse(`${cliType}:${world.newId()}`);
    const early = new EarlyEvents();
    const admitted = createdFor && (await delegations.admitChild(createdFor.by, createdFor.budget, sessionId));
    if (admitted && isRefusal(admitted)) return { kind: "refused", refusal: admitted };
    const delegation = admitted?.delegation;
    const found = new NewPlace(this.#deps, project, this.#deps.directoryFor(project.path, sessionId));
    this.#making.add(sessionId);
    try {
      // Nothing can start: refuse now instead of in an open session.
      if (command.waitForAgent === false && known.availability === "needs-install")
        return { kind: "refused", refusal: REFUSE.agentNotInstalled(known.name, known.hint) };
      await found.find(command);
      // An agent's choice is not the user's choice, and an existing worktree is no preference for the next session.
      if (isRemembered && (command.worktree === false || found.isNew))
        await projects.rememberPlace(projectId, found.isNew ? "worktree" : "project");
      const { worktree: place, cwd } = found;
      const made = { command, id: sessionId, cwd, place, delegation, onStored: () => found.keep() };
      if (command.waitForAgent === false) return await this.#store({ ...made, agent: null });
      // A session that was created and deleted has nothing to store.
      const tryFlush = async () => {
        const stored = await this.#deps.load(sessionId);
        return stored ? stored.tryFlush() : early.isLost || !this.isMaking(sessionId);
      };
      const listeners = { sink: early.sink, tryFlush };
      const { signal } = new AbortController();
      // Until the session is stored, and a loss of its agent is an event of it.
      using _ = agents.expect({ cliType, sessionId });
      const session = await agents.attach({ sessionId, projectId, cliType, cwd, restore: null, ...listeners, signal });
      // The user's permissions for other agents must not be passed on by an agent.
      const chosen: Choices = delegation?.parentId ? new Map() : await choices.of(cliType);
      await applyChoices(session, async () => early.options, chosen, this.#deps.onError);
      return await this.#store({ ...made, agent: { session, early } });
    } catch (error) {
      // Its own process has no session to serve.
      await agents.end(sessionId).catch(this.#deps.onError);
      await found.giveBack();
      if (!(error instanceof RefusalError)) throw error;
      return { kind: "refused", refusal: error.refusal };
    } finally {
      this.#making.delete(sessionId);
      this.#deps.onMade(sessionId);
      admitted?.[Symbol.dispose]();
    }
  }

  /** The row and the receipt are one transaction: repeated after a crash, the command creates no second session. */
  async #store(made: MadeSession): Promise<Answer> {
    const { command, agent } = made;
    const { log, world, policy, publish, load } = this.#deps;
    const { row, binding, message, answer } = describeNew(made, isoTime(world));
    const { commandId } = command;
    const receipt = commandId === undefined ? null : { commandId, answer: writeAnswer(answer), at: row.createdAt };
    await log.create(row, binding, receipt, made.delegation);
    made.onStored();
    await policy.start(row.id, command.options?.["policy"]);
    const session = await load(row.id);
    if (agent) await session?.adopt(agent.session, agent.early, command.title);
    else await session?.begin(command.title);
    // Last: the sender must have the answer before it receives the published message.
    publish(message);
    this.#deps.onCreated?.(row.id);
    return answer;
  }
}

/** For whom a session is started, and its budget. */
export interface CreatedFor {
  readonly by: Delegator;
  readonly budget: Budget;
}

/** A new session that is not stored yet. */
interface MadeSession {
  readonly command: Create;
  readonly id: SessionId;
  readonly cwd: string;
  readonly place: WorktreePlace | null;
  readonly onStored: () => void;
  /** Null: it starts when the session is stored. */
  readonly agent: { readonly session: AgentSession; readonly early: EarlyEvents } | null;
  readonly delegation: Delegation | undefined;
}

/** Its stored form, and its published form. */
function describeNew({ command, id, cwd, place, agent, delegation }: MadeSession, createdAt: string) {
  const { projectId, cliType, title, attempt } = command;
  const parentId = delegation?.parentId ?? null;
  const row = newSessionRow({
    id,
    projectId,
    cliType,
    createdAt,
    ...(title !== undefined && { title }),
    ...(parentId !== null && { parentId }),
    ...(attempt && { attempt }),
    ...(place && { worktree: { worktreeId: place.worktreeId, name: place.name, branch: place.branch } }),
  });
  const agentSessionId = agent?.session.agentSessionId ?? NO_AGENT_SESSION;
  const binding: AgentBinding = { agentSessionId, createdAt, cwd, state: agent ? "active" : "idle", since: createdAt };
  const session: SessionRow = agent ? row : { ...row, start: { state: "starting" } };
  const message: PlainServerMessage = { type: "session:created", sessionId: id, projectId, session };
  const answer: Answer = { kind: "message", message, published: true };
  return { row, binding, message, answer };
}
