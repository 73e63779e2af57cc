import { createHash } from "node:crypto";
import { TaskQueue } from "../../lib/task-queue.ts";
import { TimeSlice } from "../../lib/time-slice.ts";
import type { Agents } from "../../ports/agents.ts";
import type { ProjectStore } from "../../ports/project-store.ts";
import { NO_AGENT_SESSION, type SessionLog } from "../../ports/session-log.ts";
import type { Adoption, TransferStore } from "../../ports/transfer-store.ts";
import { isoTime, type World } from "../../ports/world.ts";
import type { Entry } from "../../protocol/entry.ts";
import { REFUSE, type Refusal } from "../../protocol/errors.ts";
import { type CliType, EntryId, type ProjectId, SessionId, TurnId } from "../../protocol/ids.ts";
import type { PlainServerMessage, Project } from "../../protocol/server-messages.ts";
import { EMPTY_CONFIG } from "../../protocol/session-parts.ts";
import { EMPTY_SESSION, newSessionRow, type SessionRow } from "../../protocol/session-schema.ts";
import type { PolicyService } from "../policy/policy-service.ts";
import { DocumentError, type ReadDocument, readDocument } from "./export-document.ts";

/** Files read at the same time: each is completely in memory. */
const READINGS_MAX = 2;

interface FileImportDeps {
  readonly world: World;
  readonly log: SessionLog;
  readonly store: TransferStore;
  readonly projects: ProjectStore;
  readonly agents: Agents;
  readonly policy: PolicyService;
  readonly publish: (message: PlainServerMessage) => void;
}

export interface FileImportRequest {
  readonly projectId: ProjectId;
  readonly text: string;
  /** Creates another session from a file that was already imported. */
  readonly copy: boolean;
  /** Instead of the agent in the file, which may be unknown here. */
  readonly cliType: CliType | null;
}

export type FileImportResult =
  | { readonly kind: "imported"; readonly session: SessionRow }
  | { readonly kind: "known"; readonly session: SessionRow }
  /** The file is invalid; the message names the position. */
  | { readonly kind: "unreadable"; readonly message: string }
  | { readonly kind: "refused"; readonly refusal: Refusal };

/**
 * Creates sessions from exported documents. No agent has them: the next message starts a new conversation, with a
 * notice.
 */
export class FileImport {
  readonly #deps: FileImportDeps;
  readonly #adoptions = new TaskQueue();
  #readings = 0;

  constructor(deps: FileImportDeps) {
    this.#deps = deps;
  }

  async import(request: FileImportRequest): Promise<FileImportResult> {
    const project = await this.#deps.projects.get(request.projectId);
    if (!project) return { kind: "refused", refusal: REFUSE.projectNotFound() };
    if (this.#readings >= READINGS_MAX)
      return { kind: "refused", refusal: REFUSE.limitExceeded("files read at once", READINGS_MAX) };
    this.#readings++;
    try {
      const document = await readDocument(request.text);
      const digest = await digestOf(document);
      // One after another: the same file twice is detected before it is imported again.
      return await this.#adoptions.run(() => this.#adopt(document, digest, project, request));
    } catch (error) {
      if (!(error instanceof DocumentError)) throw error;
      return { kind: "unreadable", message: error.message };
    } finally {
      this.#readings--;
    }
  }

  async #adopt(
    document: ReadDocument,
    digest: string,
    project: Project,
    { copy, cliType: chosen }: FileImportRequest,
  ): Promise<FileImportResult> {
    const { store, log, agents, policy, publish } = this.#deps;
    const cliType = chosen ?? document.session.cliType;
    if (!agents.find(cliType)) return { kind: "refused", refusal: REFUSE.agentUnknown(cliType) };
    const before = copy ? null : await store.importedAs(project.id, digest);
    const known = before && (await log.row(before));
    if (known) return { kind: "known", session: known };
    const adoption = this.#adoption(document, project, cliType, digest);
    await store.adopt(adoption);
    const { row } = adoption;
    await policy.start(row.id, undefined);
    publish({ type: "session:created", sessionId: row.id, projectId: row.projectId, session: row });
    return { kind: "imported", session: row };
  }

  #adoption({ session, entries }: ReadDocument, { id, path }: Project, cliType: CliType, digest: string): Adoption {
    const { world } = this.#deps;
    const { title, titleSource, createdAt, lastActiveAt, usage } = session;
    const sessionId = SessionId.parse(`${cliType}:${world.newId()}`);
    return {
      row: newSessionRow({ id: sessionId, projectId: id, cliType, title, createdAt, lastActiveAt }),
      binding: { agentSessionId: NO_AGENT_SESSION, createdAt, cwd: path, state: "idle", since: isoTime(world) },
      // A seq of its own: a reader without a cursor must not count as up to date.
      state: { ...EMPTY_SESSION, seq: 1, title, titleSource, config: { ...EMPTY_CONFIG, usage } },
      entries: renamed(entries, world.newId),
      digest,
    };
  }
}

/** Creates new ids consistently; a call that was running at the export has ended. */
function renamed(entries: readonly Entry[], newId: () => string): Entry[] {
  const turns = new Map<string, TurnId>();
  const turnOf = (turnId: TurnId): TurnId => {
    const known = turns.get(turnId) ?? TurnId.parse(newId());
    turns.set(turnId, known);
    return known;
  };
  return entries.map((entry) => {
    const own = {
      ...entry,
      entryId: EntryId.parse(newId()),
      ...(entry.turnId !== undefined && { turnId: turnOf(entry.turnId) }),
    };
    if (own.type === "user") delete own.commandId;
    return own.type === "tool-call" && own.status === "running" ? { ...own, status: "cancelled" } : own;
  });
}

/** The same for every export of the same content, whatever its ids and time. */
async function digestOf({ session, entries }: ReadDocument): Promise<string> {
  const hash = createHash("sha256").update(JSON.stringify(session));
  const turns = new Map<string, number>();
  const slice = new TimeSlice();
  for (const { entryId: _, turnId, ...entry } of entries) {
    if (turnId !== undefined && !turns.has(turnId)) turns.set(turnId, turns.size);
    const { commandId: __, ...words } = "commandId" in entry ? entry : { ...entry, commandId: undefined };
    hash.update(JSON.stringify([turnId === undefined ? null : turns.get(turnId), words]));
    await slice.yieldIfDue();
  }
  return hash.digest("hex");
}
