import type { Agents } from "../../ports/agents.ts";
import type { BranchStore } from "../../ports/branch-store.ts";
import type { ProjectStore } from "../../ports/project-store.ts";
import { NO_AGENT_SESSION, type SessionLog } from "../../ports/session-log.ts";
import { isoTime, type World } from "../../ports/world.ts";
import type { ClientMessage } from "../../protocol/client-messages.ts";
import type { SessionOrigin } from "../../protocol/conversations.ts";
import type { Entry } from "../../protocol/entry.ts";
import { REFUSE, RefusalError } from "../../protocol/errors.ts";
import { type EntryId, SessionId } from "../../protocol/ids.ts";
import { configuredName, splitPlace } from "../../protocol/place-path.ts";
import type { PlainServerMessage, Project, SessionPack } from "../../protocol/server-messages.ts";
import { EMPTY_CONFIG } from "../../protocol/session-parts.ts";
import {
  isTurnActive,
  newSessionRow,
  type SessionRow,
  type SessionState,
  stateFromRow,
  UNTITLED,
} from "../../protocol/session-schema.ts";
import { type Answer, writeAnswer } from "../answer.ts";
import { NewPlace, type NewPlaceDeps } from "../new-place.ts";
import type { PolicyService } from "../policy/policy-service.ts";
import { refuseAttachments } from "../rules/refuse-attachments.ts";
import { optionValues, type Session } from "../session.ts";
import type { ConversationPacks } from "./conversation-packs.ts";

interface BrancherDeps extends NewPlaceDeps {
  readonly world: World;
  readonly log: SessionLog;
  readonly branches: BranchStore;
  readonly packs: ConversationPacks;
  readonly projects: ProjectStore;
  readonly agents: Pick<Agents, "find" | "fork">;
  readonly policy: Pick<PolicyService, "copy">;
  readonly load: (sessionId: SessionId) => Promise<Session | null>;
}

export type Branch = Extract<ClientMessage, { type: "session:branch" }>;
type PackQuery = Extract<ClientMessage, { type: "session:pack" }>;
type Point = Pick<Branch, "at" | "before">;

/** Where a branch leaves its source. */
interface FoundPoint {
  /** The position of the last entry that both have; 0: none. */
  readonly until: number;
  readonly entryId: EntryId | null;
}

interface Source {
  readonly session: Session;
  readonly row: SessionRow;
  readonly project: Project;
}

interface NewBranchParts {
  readonly id: SessionId;
  readonly point: FoundPoint;
  readonly place: NewPlace;
  /** The copy of the agent's own memory; null: it gets a context pack. */
  readonly forked: string | null;
}

const SECOND_MS = 1_000;
/** A turn with more entries after its last words has no anchor. */
const ANCHOR_ENTRIES_READ_MAX = 200;

/**
 * Creates sessions that start with another one's conversation: branches, edits of a message, hand-overs to another
 * agent.
 */
export class SessionBrancher {
  readonly #deps: BrancherDeps;

  constructor(deps: BrancherDeps) {
    this.#deps = deps;
  }

  /** It is stored; the caller publishes it. */
  async make(command: Branch): Promise<Answer> {
    try {
      return await this.#make(command);
    } catch (error) {
      if (!(error instanceof RefusalError)) throw error;
      return { kind: "refused", refusal: error.refusal };
    }
  }

  /** The context pack of an agent, sent or as a preview. */
  async pack({ sessionId, entryId, cliType, ...point }: PackQuery): Promise<SessionPack> {
    const { log, packs } = this.#deps;
    const source = await this.#source(sessionId);
    if (entryId !== undefined) {
      const content = await log.pack(sessionId, entryId);
      const entry =
        source.session.state.open.find((one) => one.entryId === entryId) ??
        (await log.settledEntry(sessionId, entryId));
      const context = entry?.type === "user" ? entry.context : undefined;
      if (content === null || !context)
        throw new RefusalError(REFUSE.invalidMessage("entryId: nothing was told with this message"));
      return { type: "session:pack", sessionId, entryId, content, context };
    }
    const { until } = await this.#point(source, point);
    const made = await packs.make({ sessionId, until, reader: sessionId, cliType: cliType ?? source.row.cliType });
    const { content, context } = made ?? { content: "", context: { chars: 0, turns: 0, omitted: 0 } };
    return { type: "session:pack", sessionId, content, context };
  }

  async #make(command: Branch): Promise<Answer> {
    const { world, agents, onError } = this.#deps;
    const source = await this.#source(command.sessionId);
    const cliType = command.cliType ?? source.row.cliType;
    const known = agents.find(cliType);
    if (!known) throw new RefusalError(REFUSE.agentUnknown(cliType));
    if (known.availability === "needs-install")
      throw new RefusalError(REFUSE.agentNotInstalled(known.name, known.hint));
    const refusal = refuseAttachments(command.attachments ?? [], undefined);
    if (refusal) throw new RefusalError(refusal);
    const point = await this.#point(source, command);
    const id = SessionId.parse(`${cliType}:${world.newId()}`);
    const place = new NewPlace(this.#deps, source.project, directoryOf(source));
    try {
      await place.find(this.#wantedPlace(command, source.row));
      const forked = cliType === source.row.cliType ? await this.#fork(source, point) : null;
      const answer = await this.#store(command, source, { id, point, place, forked });
      if (cliType !== source.row.cliType)
        source.session.observe({
          type: "notice",
          severity: "info",
          content: `Goes on with ${known.name}.`,
          branch: { sessionId: id },
        });
      return answer;
    } catch (error) {
      await place.giveBack().catch(onError);
      throw error;
    }
  }

  async #source(sessionId: SessionId): Promise<Source> {
    const session = await this.#deps.load(sessionId);
    await session?.flush();
    const row = await this.#deps.log.row(sessionId);
    if (!session || !row) throw new RefusalError(REFUSE.sessionNotFound());
    const project = await this.#deps.projects.get(row.projectId);
    if (!project) throw new RefusalError(REFUSE.projectNotFound());
    return { session, row, project };
  }

  /** Without a choice it works where the source does. */
  #wantedPlace({ options, commandId }: Branch, row: SessionRow): Parameters<NewPlace["find"]>[0] {
    const own = row.worktree ? { worktreeId: row.worktree.worktreeId } : undefined;
    const worktree = options?.worktree ?? own;
    return {
      title: options?.title ?? row.title,
      ...(worktree !== undefined && { worktree }),
      ...(commandId !== undefined && { commandId }),
    };
  }

  /** Every ended turn is a point, and so is every message of the user. */
  async #point({ session, row }: Source, { at, before = false }: Point): Promise<FoundPoint> {
    const { branches } = this.#deps;
    if (at === undefined) return this.#pointAt(row.id, await branches.lastPosition(row.id));
    const open = session.state.open.find(({ entryId }) => entryId === at);
    if (open) return this.#openPoint(session, open, before);
    const found = await branches.find(row.id, at);
    if (!found)
      throw new RefusalError(
        REFUSE.branchPoint("This entry is not part of the conversation. Choose a message or an answer of it."),
      );
    const { entry, position } = found;
    if (before) {
      if (!isOwnMessage(entry))
        throw new RefusalError(
          REFUSE.branchPoint("Only a message of yours can be edited. To go on after this turn, branch from here."),
        );
      return this.#pointAt(row.id, position - 1);
    }
    const end = entry.turnId === undefined ? position : await branches.endOfTurn(row.id, position, entry.turnId);
    return this.#pointAt(row.id, end);
  }

  /** Of the running turn only the beginning is a point. */
  async #openPoint(session: Session, entry: Entry, before: boolean): Promise<FoundPoint> {
    const isFirst = session.state.open.find(isOwnMessage)?.entryId === entry.entryId;
    if (!before || !isFirst)
      throw new RefusalError(
        REFUSE.branchPoint("Its turn has not ended. Branch from an earlier message, or stop the turn first."),
      );
    return this.#pointAt(session.id, await this.#deps.branches.lastPosition(session.id));
  }

  async #pointAt(sessionId: SessionId, until: number): Promise<FoundPoint> {
    const [last] = until === 0 ? [] : await this.#deps.branches.entriesUpTo(sessionId, until, 1);
    return { until, entryId: last?.entryId ?? null };
  }

  /**
   * A copy of the agent's own memory up to the point, by its id there. Null where the agent gets a context pack
   * instead: it lacks the messages before this session began or was moved, or it cannot copy its memory up to the
   * point.
   */
  async #fork({ session, row }: Source, { until }: FoundPoint): Promise<string | null> {
    const { agents, branches } = this.#deps;
    const { state, binding } = session;
    if (until === 0 || state.primer?.context) return null;
    const isWhole = !isTurnActive(state.turn) && until === (await branches.lastPosition(row.id));
    const anchor = isWhole ? null : await this.#anchor(row.id, until);
    if (!isWhole && anchor === null) return null;
    return agents.fork({ cliType: row.cliType, cwd: binding.cwd, agentSessionId: binding.agentSessionId, anchor });
  }

  /** The agent's id of its last message in the turn that ends there. */
  async #anchor(sessionId: SessionId, until: number): Promise<string | null> {
    const entries = await this.#deps.branches.entriesUpTo(sessionId, until, ANCHOR_ENTRIES_READ_MAX);
    const turnId = entries.at(-1)?.turnId;
    const said = entries.findLast(
      (entry) => entry.type === "assistant" && entry.turnId === turnId && entry.parentToolCallId === undefined,
    );
    return said?.type === "assistant" ? (said.messageId ?? null) : null;
  }

  async #store(
    command: Branch,
    { session, row: source }: Source,
    { id, point, place, forked }: NewBranchParts,
  ): Promise<Answer> {
    const { world, branches, packs, policy } = this.#deps;
    const cliType = command.cliType ?? source.cliType;
    const isSameAgent = cliType === source.cliType;
    const pack =
      forked === null ? await packs.make({ sessionId: source.id, until: point.until, reader: id, cliType }) : null;
    const now = isoTime(world);
    const { worktree } = place;
    // It has no messages of the source, so its first message names it, unless the user has.
    const isUnnamed = point.until === 0 && session.state.titleSource !== "user";
    const row = newSessionRow({
      id,
      projectId: source.projectId,
      cliType,
      createdAt: now,
      title: command.options?.title ?? (isUnnamed ? UNTITLED : source.title),
      origin: originOf(command, source, point, forked === null ? "primed" : "native"),
      ...(worktree && { worktree: { worktreeId: worktree.worktreeId, name: worktree.name, branch: worktree.branch } }),
    });
    const { config } = session.state;
    const state: SessionState = {
      ...stateFromRow(row),
      // A reader without data must not take its state for complete.
      seq: 1,
      titleSource: command.options?.title !== undefined ? "user" : isUnnamed ? "none" : session.state.titleSource,
      config: isSameAgent ? { ...config, usage: null } : EMPTY_CONFIG,
      primer: { context: pack?.context ?? null, options: isSameAgent ? optionValues(config) : {} },
    };
    const message: PlainServerMessage = {
      type: "session:created",
      sessionId: id,
      projectId: row.projectId,
      session: row,
    };
    const answer: Answer = { kind: "message", message, published: true };
    const { commandId } = command;
    await branches.create({
      ...{ row, state, source: source.id, until: point.until, pack: pack?.content ?? null },
      // The copy is not known elsewhere yet, and agents report its time in whole seconds.
      agentSeenAt: forked === null ? null : new Date(world.now() + SECOND_MS).toISOString(),
      binding: {
        agentSessionId: forked ?? NO_AGENT_SESSION,
        createdAt: now,
        cwd: place.cwd,
        state: "idle",
        since: now,
      },
      receipt: commandId === undefined ? null : { commandId, answer: writeAnswer(answer), at: now },
    });
    place.keep();
    if (isSameAgent) await policy.copy(source.id, id);
    return answer;
  }
}

/** In the pod of its source: the conversation that it goes on with is there. */
function directoryOf({ session, project }: Source): string {
  const { cwd } = session.binding;
  const at = splitPlace(cwd)?.place;
  return at !== undefined && at !== configuredName(at) ? cwd : project.path;
}

function originOf(
  { cliType }: Branch,
  source: SessionRow,
  { entryId }: FoundPoint,
  how: SessionOrigin["how"],
): SessionOrigin {
  return {
    kind: (cliType ?? source.cliType) === source.cliType ? "branch" : "handover",
    sessionId: source.id,
    ...(entryId !== null && { entryId }),
    how,
  };
}

function isOwnMessage(entry: Entry): boolean {
  return entry.type === "user" && entry.parentToolCallId === undefined;
}
