import type { AgentChoices, Choices } from "../ports/agent-choices.ts";
import type { Agents } from "../ports/agents.ts";
import type { ProjectStore } from "../ports/project-store.ts";
import type { SessionLog } from "../ports/session-log.ts";
import { isoTime, type World } from "../ports/world.ts";
import type { ClientMessage } from "../protocol/client-messages.ts";
import { REFUSE, RefusalError } from "../protocol/errors.ts";
import { SessionId } from "../protocol/ids.ts";
import type { PlainServerMessage } from "../protocol/server-messages.ts";
import { applyChoices } from "./agent/apply-choices.ts";
import { EarlyEvents } from "./agent/early-events.ts";
import { type Answer, writeAnswer } from "./answer.ts";
import { type Delegations, isRefusal } from "./delegation/delegations.ts";
import { type CreatedFor, describeNew, type MadeSession } from "./made-session.ts";
import type { PolicyService } from "./policy/policy-service.ts";
import { refuseStart } from "./policy/refuse-rules.ts";
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
  readonly load: (sessionId: SessionId) => Session | null;
}

type Create = Extract<ClientMessage, { type: "session:create" }>;

/** Makes sessions: the agent first, then all of it is stored, or nothing is. */
export class SessionMaker {
  readonly #deps: SessionMakerDeps;
  readonly #making = new Set<SessionId>();
  /** What is made for a command with an id, and not stored yet. */
  readonly #cancels = new Map<string, AbortController>();

  constructor(deps: SessionMakerDeps) {
    this.#deps = deps;
  }

  isMaking(sessionId: SessionId): boolean {
    return this.#making.has(sessionId);
  }

  cancel(commandId: string): void {
    this.#cancels.get(commandId)?.abort();
  }

  async make(command: Create, createdFor: CreatedFor | undefined): Promise<Answer> {
    const { projects, agents, world, choices, delegations } = this.#deps;
    const { projectId, cliType } = command;
    const project = projects.get(projectId);
    if (!project) return { kind: "refused", refusal: REFUSE.projectNotFound() };
    if (!agents.find(cliType)) return { kind: "refused", refusal: REFUSE.agentUnknown(cliType) };
    const refusal = refuseStart(command.options?.["policy"]);
    if (refusal) return { kind: "refused", refusal };
    const sessionId = SessionId.parse(`${cliType}:${world.newId()}`);
    const early = new EarlyEvents();
    const admitted = createdFor && delegations.admitChild(createdFor.by, createdFor.budget);
    if (admitted && isRefusal(admitted)) return { kind: "refused", refusal: admitted };
    this.#making.add(sessionId);
    const cancel = new AbortController();
    const { signal } = cancel;
    if (command.commandId !== undefined) this.#cancels.set(command.commandId, cancel);
    try {
      const cwd = project.path;
      // Of a session that was made and is gone nothing is left to store.
      const isStored = () => this.#deps.load(sessionId)?.isStored() ?? (early.isLost || !this.isMaking(sessionId));
      const ears = { sink: early.sink, isStored };
      const agent = await agents.attach({ sessionId, projectId, cliType, cwd, restore: null, ...ears, signal });
      // What the user lets an agent do elsewhere is not for another agent to hand on.
      const chosen: Choices = admitted?.delegation.parentId ? new Map() : choices.of(cliType);
      await applyChoices(agent, () => early.options, chosen, this.#deps.onError);
      if (signal.aborted) throw new RefusalError(REFUSE.creationCancelled());
      return this.#store({ command, id: sessionId, cwd, agent, early, delegation: admitted?.delegation });
    } catch (error) {
      // A process of its own has no session to serve.
      agents.end(sessionId).catch(this.#deps.onError);
      if (!(error instanceof RefusalError)) throw error;
      return { kind: "refused", refusal: error.refusal };
    } finally {
      this.#making.delete(sessionId);
      if (command.commandId !== undefined) this.#cancels.delete(command.commandId);
      admitted?.[Symbol.dispose]();
    }
  }

  /** The row and the receipt are one transaction: sent again after a crash, the command makes no second session. */
  #store(made: MadeSession): Answer {
    const { command, agent, early } = made;
    const { log, world, policy, publish, load } = this.#deps;
    const { row, binding, message, answer } = describeNew(made, isoTime(world));
    const { commandId } = command;
    const receipt = commandId === undefined ? null : { commandId, answer: writeAnswer(answer), at: row.createdAt };
    log.create(row, binding, receipt, made.delegation);
    policy.start(row.id, command.options?.["policy"]);
    publish(message);
    load(row.id)?.adopt(agent, early, command.title);
    return answer;
  }
}
