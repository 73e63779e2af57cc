import type { AgentHistories, HistoryReader, ListedSession } from "../../ports/agent-history.ts";
import type { Agents } from "../../ports/agents.ts";
import type { ProjectStore } from "../../ports/project-store.ts";
import type { RealPaths } from "../../ports/real-path.ts";
import type { SessionWriter, SessionWriters } from "../../ports/session-writers.ts";
import type { TransferStore } from "../../ports/transfer-store.ts";
import type { World } from "../../ports/world.ts";
import type { ClientMessage } from "../../protocol/client-messages.ts";
import { REFUSE, type Refusal, RefusalError } from "../../protocol/errors.ts";
import type { ProjectId } from "../../protocol/ids.ts";
import type { PlainServerMessage, Project } from "../../protocol/server-messages.ts";
import type { Answer } from "../answer.ts";
import type { PolicyService } from "../policy/policy-service.ts";
import { ImportRun } from "./import-run.ts";

const IMPORTS_RUNNING_MAX = 4;
/** How many sessions, newest first, are checked for other programs that have them open: old ones are hardly used. */
const LOOKED_AT_MAX = 200;

export type ImportMessage = Extract<ClientMessage, { type: `import:${string}` }>;
type Of<Type extends ImportMessage["type"]> = Extract<ImportMessage, { type: Type }>;

interface ImportServiceDeps {
  readonly world: World;
  readonly store: TransferStore;
  readonly projects: ProjectStore;
  readonly agents: Agents;
  readonly histories: AgentHistories;
  readonly writers: SessionWriters;
  readonly policy: PolicyService;
  readonly paths: RealPaths;
  readonly publish: (message: PlainServerMessage) => void;
  readonly onError: (error: unknown) => void;
}

/** Sessions that agents created elsewhere: lists them, and imports the chosen ones. */
export class ImportService {
  readonly #deps: ImportServiceDeps;
  readonly #underWay = new Set<string>();
  readonly #runs = new Map<
    string,
    { readonly run: ImportRun; readonly ended: Promise<void>; readonly projectId: ProjectId }
  >();

  constructor(deps: ImportServiceDeps) {
    this.#deps = deps;
  }

  async answer(message: ImportMessage): Promise<Answer> {
    switch (message.type) {
      case "import:list":
        return this.#list(message);
      case "import:start":
        return this.#start(message);
      case "import:cancel":
        return this.#cancel(message);
      default:
        return message satisfies never;
    }
  }

  /** Aborts running imports; what they imported stays. */
  async stop(): Promise<void> {
    const runs = [...this.#runs.values()];
    await Promise.all(runs.map(({ run }) => run.cancel()));
    await Promise.all(runs.map(({ ended }) => ended));
  }

  async #list({ projectId, cliType }: Of<"import:list">): Promise<Answer> {
    const found = await this.#find(projectId, cliType);
    if ("code" in found) return { kind: "refused", refusal: found };
    try {
      await using reader = await this.#deps.histories.openHistory(cliType);
      const { sessions, isCut } = await this.#listed(reader, found.project);
      const known = await this.#deps.store.knownAgentSessions(cliType);
      const forgotten = await this.#deps.store.forgottenAgentSessions(cliType);
      const unknown = sessions.filter(({ agentSessionId }) => !known.has(agentSessionId));
      const message: PlainServerMessage = {
        type: "import:found",
        ...{ projectId, cliType, brings: reader.brings, isCut, known: sessions.length - unknown.length },
        sessions: openFirst(
          unknown.map(({ agentSessionId, cwd, title, updatedAt }, index) => {
            const conversation = { cliType, agentSessionId, cwd };
            const { state, ...writer }: SessionWriter =
              index < LOOKED_AT_MAX ? this.#deps.writers.writerOf(conversation, null) : { state: "unknown" };
            return {
              agentSessionId,
              ...(title !== null && { title }),
              ...(updatedAt !== null && { updatedAt }),
              ...(forgotten.has(agentSessionId) && { deletedHere: true }),
              ...(state === "held" && { writer }),
            };
          }),
        ),
      };
      return { kind: "message", message, published: false };
    } catch (error) {
      if (!(error instanceof RefusalError)) throw error;
      return { kind: "refused", refusal: error.refusal };
    }
  }

  async #start({ projectId, cliType, agentSessionIds }: Of<"import:start">): Promise<Answer> {
    const found = await this.#find(projectId, cliType);
    if ("code" in found) return { kind: "refused", refusal: found };
    if (this.#runs.size >= IMPORTS_RUNNING_MAX)
      return { kind: "refused", refusal: REFUSE.limitExceeded("imports at once", IMPORTS_RUNNING_MAX) };
    const { world, store, histories, policy, writers, publish, onError } = this.#deps;
    const importId = world.newId();
    const run = new ImportRun({
      ...{ importId, cliType, agentSessionIds, world, histories, store, writers, publish, onError, ...found },
      underWay: this.#underWay,
      listOf: async (reader) => (await this.#listed(reader, found.project)).sessions,
      onAdopted: ({ id }) => policy.start(id, undefined),
    });
    const ended = run.run().finally(() => this.#runs.delete(importId));
    ended.catch(onError);
    this.#runs.set(importId, { run, ended, projectId });
    const message = { type: "import:started", importId, projectId, cliType, total: run.total } as const;
    return { kind: "message", message, published: false };
  }

  /** Null: it has ended, or never was. */
  projectOf(importId: string): ProjectId | null {
    return this.#runs.get(importId)?.projectId ?? null;
  }

  async #cancel({ importId }: Of<"import:cancel">): Promise<Answer> {
    const running = this.#runs.get(importId);
    if (!running) return { kind: "refused", refusal: REFUSE.notPending("the import has ended") };
    await running.run.cancel();
    return { kind: "ok" };
  }

  async #find(
    projectId: Of<"import:list">["projectId"],
    cliType: Of<"import:list">["cliType"],
  ): Promise<{ readonly project: Project; readonly agentName: string } | Refusal> {
    const project = await this.#deps.projects.get(projectId);
    if (!project) return REFUSE.projectNotFound();
    const agent = this.#deps.agents.find(cliType);
    return agent ? { project, agentName: agent.name } : REFUSE.agentUnknown(cliType);
  }

  /** Agents may name the directory by another path, and some ignore the requested one. */
  async #listed(
    reader: HistoryReader,
    { path }: Project,
  ): Promise<{ readonly sessions: readonly ListedSession[]; readonly isCut: boolean }> {
    const { sessions, isCut } = await reader.list(path);
    const own = new Map<string, boolean>([[path, true]]);
    for (const { cwd } of sessions) {
      if (!own.has(cwd)) own.set(cwd, (await this.#deps.paths.placesOf(cwd))?.includes(path) === true);
    }
    return { sessions: sessions.filter(({ cwd }) => own.get(cwd)), isCut };
  }
}

/** Those that another program has open now come first. */
function openFirst<Found extends { readonly writer?: unknown }>(found: readonly Found[]): Found[] {
  return [...found.filter(({ writer }) => writer !== undefined), ...found.filter(({ writer }) => writer === undefined)];
}
