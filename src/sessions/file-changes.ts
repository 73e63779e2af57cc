import type { ProjectStore } from "../ports/project-store.ts";
import type { DiscardedLater, Restored, SessionPlace, Workdirs } from "../ports/workdirs.ts";
import {
  CHECKPOINTS_LISTED_MAX,
  type ChangesScope,
  type CheckpointId,
  type CheckpointInfo,
  DIRECTORY_ENTRIES_MAX,
  FILE_PIECE_BYTES_MAX,
  pathFromDirectory,
} from "../protocol/changes.ts";
import type { ClientMessage } from "../protocol/client-messages.ts";
import { REFUSE, type Refusal, RefusalError } from "../protocol/errors.ts";
import type { ProjectId, SessionId } from "../protocol/ids.ts";
import type { PersonRef } from "../protocol/person-ref.ts";
import { splitPlace } from "../protocol/place-path.ts";
import type { PlainServerMessage } from "../protocol/server-messages.ts";
import type { ChangesStateMessage } from "../protocol/session-messages.ts";
import type { Answer } from "./answer.ts";
import type { SessionService } from "./session-service.ts";

export type ChangesMessage = Extract<
  ClientMessage,
  {
    type:
      | "changes:patch"
      | "changes:decide"
      | "changes:cancel"
      | "changes:undo"
      | "changes:viewed"
      | "workdir:commit"
      | `checkpoint:${string}`
      | "files:list"
      | "files:read"
      | "files:edit";
  }
>;
type Acting = MessageOf<
  "changes:decide" | "changes:cancel" | "changes:undo" | "workdir:commit" | "checkpoint:restore" | "checkpoint:settle"
>;
type MessageOf<Type extends ChangesMessage["type"]> = Extract<ChangesMessage, { type: Type }>;

interface FileChangesDeps {
  readonly workdirs: Workdirs;
  readonly sessions: Pick<
    SessionService,
    | "askedByTurn"
    | "branchAtTurn"
    | "cwdOf"
    | "directoryOf"
    | "execute"
    | "once"
    | "stopTurn"
    | "observeFiles"
    | "recount"
    | "row"
  >;
  readonly projects: Pick<ProjectStore, "get">;
  /** Where sessions of a project may work: its own directory, and its worktrees that are there. */
  readonly placesOf: (projectId: ProjectId) => Promise<readonly { readonly name: string; readonly cwd: string }[]>;
  readonly onError: (error: unknown) => void;
}

/** What clients ask about the files of a session: what changed, decisions about it, checkpoints, and the files themselves. */
export class FileChanges {
  readonly #deps: FileChangesDeps;

  constructor(deps: FileChangesDeps) {
    this.#deps = deps;
    deps.workdirs.onDiscarded((discarded) => this.#tellDiscarded(discarded).catch(deps.onError));
  }

  /** `person`: which of several people asks. */
  async answer(message: ChangesMessage, person?: PersonRef): Promise<Answer> {
    switch (message.type) {
      case "changes:decide":
      case "changes:cancel":
      case "changes:undo":
      case "workdir:commit":
      case "checkpoint:restore":
      case "checkpoint:settle":
        return this.#deps.sessions.once(message.commandId, () => this.#actAndCount(message, person));
      default:
        return refusable(async () => reply(await this.#read(message)));
    }
  }

  /** The state, and from then on a call whenever it may have changed. */
  async open(
    sessionId: SessionId,
    scope: ChangesScope,
    onChanged: () => void,
  ): Promise<Refused | { readonly kind: "open"; readonly state: ChangesStateMessage; readonly watching: Disposable }> {
    const { workdirs } = this.#deps;
    return refusable(async () => {
      const place = await this.#place(sessionId);
      const state = await this.#state(sessionId, scope);
      const watch = workdirs.watch(place);
      const listening = workdirs.onChanged((changed) => changed === sessionId && onChanged());
      const end = () => {
        watch[Symbol.dispose]();
        listening[Symbol.dispose]();
      };
      return { kind: "open", state, watching: { [Symbol.dispose]: end } };
    });
  }

  stateOf(
    sessionId: SessionId,
    scope: ChangesScope,
  ): Promise<Refused | { readonly kind: "state"; readonly message: ChangesStateMessage }> {
    return refusable(async () => ({ kind: "state", message: await this.#state(sessionId, scope) }));
  }

  async #state(sessionId: SessionId, scope: ChangesScope): Promise<ChangesStateMessage> {
    const state = await this.#deps.workdirs.changes(await this.#place(sessionId), scope);
    return { type: "changes:state", sessionId, ...state };
  }

  async #read(
    message: MessageOf<
      | "changes:patch"
      | "changes:viewed"
      | "checkpoint:list"
      | "checkpoint:preview"
      | "files:list"
      | "files:read"
      | "files:edit"
    >,
  ): Promise<PlainServerMessage> {
    const { workdirs } = this.#deps;
    switch (message.type) {
      case "changes:patch": {
        const { sessionId, scope, path, whole = false } = message;
        const found = await workdirs.patch(await this.#place(sessionId), scope, { path, whole });
        return { type: "changes:patch", sessionId, path, ...found };
      }
      case "changes:viewed": {
        const { sessionId, path, expect, viewed } = message;
        await workdirs.setViewed(await this.#place(sessionId), { path, expect, viewed });
        return { type: "ok" };
      }
      case "checkpoint:list": {
        const { sessionId } = message;
        const place = await this.#place(sessionId);
        const [here, elsewhere] = await Promise.all([workdirs.checkpoints(place), this.#elsewhere(place)]);
        const checkpoints = [...here, ...elsewhere]
          .toSorted((one, other) => other.at.localeCompare(one.at))
          .slice(0, CHECKPOINTS_LISTED_MAX);
        const asked = await this.#deps.sessions.askedByTurn(sessionId);
        return {
          type: "checkpoint:list",
          sessionId,
          checkpoints: checkpoints.map((checkpoint) => {
            const message = checkpoint.turnId && asked.get(checkpoint.turnId);
            return { ...checkpoint, ...(message !== undefined && { message }) };
          }),
        };
      }
      case "checkpoint:preview": {
        const { sessionId, checkpointId } = message;
        const place = await this.#place(sessionId);
        const preview = await workdirs
          .previewRestore(place, checkpointId)
          .catch((error) => this.#explain(error, place, checkpointId));
        return { type: "checkpoint:preview", sessionId, ...preview };
      }
      case "files:list": {
        const { path, limit = DIRECTORY_ENTRIES_MAX } = message;
        const { entries, total } = await workdirs.list(await this.#directory(message), path, limit);
        return { type: "files:listing", path, entries: [...entries], total };
      }
      case "files:read": {
        const { path, at = null, from = 0, limit = FILE_PIECE_BYTES_MAX } = message;
        const piece = await workdirs.read(await this.#directory(message), { path, at, from, bytesMax: limit });
        return { type: "files:text", path, ...piece };
      }
      case "files:edit": {
        await workdirs.edit(await this.#directory(message), message.path, message.line ?? null);
        return { type: "ok" };
      }
      default:
        return message satisfies never;
    }
  }

  async #actAndCount(message: Acting, person: PersonRef | undefined): Promise<Answer> {
    const { sessions, onError } = this.#deps;
    try {
      return await refusable(() => this.#act(message, person));
    } finally {
      const cwd = await sessions.cwdOf(message.sessionId);
      if (cwd !== null) sessions.recount(cwd).catch(onError);
    }
  }

  async #act(message: Acting, person: PersonRef | undefined): Promise<Answer> {
    const { workdirs, sessions } = this.#deps;
    const { sessionId } = message;
    const place = await this.#place(sessionId);
    switch (message.type) {
      case "changes:decide": {
        const { decision: kind, scope, items = null, expect, wait = false } = message;
        if (kind === "discard" && !wait) await this.#refuseWhileBusy(place);
        const paths = await workdirs.decide(place, { kind, scope, items, expect, mayWait: wait });
        await this.#noteForAgent(sessionId, DISCARDED, paths);
        return reply(await this.#state(sessionId, scope));
      }
      case "changes:cancel":
        await workdirs.cancelWaiting(place, message.waitId);
        return { kind: "ok" };
      case "changes:undo": {
        await this.#refuseWhileBusy(place);
        const { kind, paths } = await workdirs.undo(place, message.undoId);
        if (kind === "restore")
          await sessions.observeFiles(sessionId, {
            type: "restore-undone",
            undoId: message.undoId,
            content: "Undid the restore. The files are as they were before it.",
            person,
          });
        await this.#noteForAgent(sessionId, "The user brought changes in these files back.", paths);
        return { kind: "ok" };
      }
      case "workdir:commit": {
        const { items = null, message: text, expect } = message;
        return reply({
          type: "workdir:committed",
          sessionId,
          ...(await workdirs.commit(place, { items, message: text, expect })),
        });
      }
      case "checkpoint:restore": {
        const { checkpointId, paths = null, expect, stopTurn = false, newSession = false } = message;
        if (stopTurn) await Promise.all((await workdirs.busySessions(place)).map((id) => sessions.stopTurn(id)));
        await this.#refuseWhileBusy(place);
        const newSessionId = newSession ? await this.#branch(place, checkpointId) : null;
        const restored = await this.#restore(place, { checkpointId, paths, expect }, { newSessionId, person });
        const { safety, undoId } = restored;
        return reply({
          type: "checkpoint:restored",
          sessionId,
          safety,
          undoId,
          files: restored.paths.length,
          ...(newSessionId !== null && { newSessionId }),
        });
      }
      case "checkpoint:settle":
        await this.#refuseWhileBusy(place);
        await workdirs.settle(place, message.way);
        return { kind: "ok" };
      default:
        return message satisfies never;
    }
  }

  /** Checkpoints of places where the session worked before it moved. */
  async #elsewhere({ sessionId, cwd }: SessionPlace): Promise<CheckpointInfo[]> {
    const { workdirs, sessions, placesOf } = this.#deps;
    const row = await sessions.row(sessionId);
    const found: CheckpointInfo[] = [];
    for (const place of row ? await placesOf(row.projectId) : []) {
      // What is in another pod does not come back from there.
      if (place.cwd === cwd || splitPlace(place.cwd)?.place !== splitPlace(cwd)?.place) continue;
      const checkpoints = await workdirs.checkpointsIn({ sessionId, cwd: place.cwd });
      found.push(...checkpoints.map((checkpoint) => ({ ...checkpoint, place: place.name })));
    }
    return found;
  }

  /** A checkpoint that is not here may be in a place before. */
  async #explain(error: unknown, place: SessionPlace, checkpointId: CheckpointId): Promise<never> {
    if (!(error instanceof RefusalError) || error.refusal.code !== "CHECKPOINT_NOT_FOUND") throw error;
    const elsewhere = (await this.#elsewhere(place)).find((one) => one.checkpointId === checkpointId);
    throw elsewhere?.place === undefined ? error : new RefusalError(REFUSE.checkpointElsewhere(elsewhere.place));
  }

  /** The conversation comes first: when it cannot continue elsewhere, no file is touched. */
  async #branch(place: SessionPlace, checkpointId: CheckpointId): Promise<SessionId> {
    const checkpoints = await this.#deps.workdirs.checkpoints(place);
    const checkpoint = checkpoints.find((one) => one.checkpointId === checkpointId);
    if (checkpoint?.turnId === undefined || checkpoint.phase === "safety")
      throw new RefusalError(REFUSE.checkpointNotFound());
    const { turnId, phase } = checkpoint;
    const branched = await this.#deps.sessions.branchAtTurn(place.sessionId, turnId, phase);
    if (branched.kind === "refused") throw new RefusalError(branched.refusal);
    if (branched.kind !== "message" || branched.message.type !== "session:created")
      throw new RefusalError(REFUSE.internal());
    return branched.message.sessionId;
  }

  async #restore(
    place: SessionPlace,
    restore: Parameters<Workdirs["restore"]>[1],
    { newSessionId, person }: { readonly newSessionId: SessionId | null; readonly person: PersonRef | undefined },
  ): Promise<Restored> {
    const { workdirs, sessions } = this.#deps;
    try {
      const restored = await workdirs.restore(place, restore);
      await this.#tellRestored(newSessionId ?? place.sessionId, restore.checkpointId, restored, person);
      if (newSessionId !== null) await this.#noteForAgent(place.sessionId, RESTORED, restored.paths);
      return restored;
    } catch (error) {
      // A session whose files do not match its conversation is of no use.
      if (newSessionId !== null) await sessions.execute({ type: "session:delete", sessionId: newSessionId });
      throw error;
    }
  }

  /** A file that an agent writes meanwhile would be a mixture of both versions. */
  async #refuseWhileBusy(place: SessionPlace): Promise<void> {
    if ((await this.#deps.workdirs.busySessions(place)).length > 0) throw new RefusalError(REFUSE.workdirBusy());
  }

  async #tellRestored(
    sessionId: SessionId,
    to: CheckpointId,
    restored: Awaited<ReturnType<Workdirs["restore"]>>,
    person: PersonRef | undefined,
  ): Promise<void> {
    const { paths } = restored;
    const count = `${paths.length} ${paths.length === 1 ? "file" : "files"}`;
    await this.#deps.sessions.observeFiles(sessionId, {
      type: "files-restored",
      to,
      restored,
      content: `Restored ${count} to an earlier checkpoint. Your next message tells the agent.`,
      note: await this.#noteAbout(sessionId, RESTORED, paths),
      person,
    });
  }

  /** The user may no longer be viewing when a discard that waited fails. */
  async #tellDiscarded({ sessionId, paths, problem }: DiscardedLater): Promise<void> {
    const { sessions } = this.#deps;
    if (problem === null) await this.#noteForAgent(sessionId, DISCARDED, paths);
    else {
      const content = `A discard that waited for the end of the turn was not carried out. ${problem}`;
      await sessions.observeFiles(sessionId, { type: "discard-failed", content });
    }
    const cwd = await sessions.cwdOf(sessionId);
    if (cwd !== null) await sessions.recount(cwd);
  }

  /** What the agent remembers of these files is outdated. */
  async #noteForAgent(sessionId: SessionId, words: string, paths: readonly string[]): Promise<void> {
    if (paths.length === 0) return;
    await this.#deps.sessions.observeFiles(sessionId, {
      type: "agent-noted",
      note: await this.#noteAbout(sessionId, words, paths),
    });
  }

  /** Sent to the agent with the next prompt. Its paths start where the agent works. */
  async #noteAbout(sessionId: SessionId, words: string, paths: readonly string[]): Promise<string> {
    const { sessions, workdirs } = this.#deps;
    const cwd = await sessions.cwdOf(sessionId);
    const prefix = cwd === null ? "" : await workdirs.prefixOf(cwd);
    const more = paths.length > NAMED_PATHS_MAX ? [`- and ${paths.length - NAMED_PATHS_MAX} more`] : [];
    const named = paths.slice(0, NAMED_PATHS_MAX).map((path) => `- ${pathFromDirectory(path, prefix)}`);
    return [`[Liminal Builder] ${words} Read them again before you change them:`, ...named, ...more].join("\n");
  }

  async #place(sessionId: SessionId): Promise<SessionPlace> {
    const cwd = await this.#deps.sessions.directoryOf(sessionId);
    if (cwd === null) throw new RefusalError(REFUSE.sessionNotFound());
    return { sessionId, cwd };
  }

  async #directory({
    sessionId,
    projectId,
  }: {
    readonly sessionId?: SessionId | undefined;
    readonly projectId?: ProjectId | undefined;
  }): Promise<string> {
    if ((sessionId === undefined) === (projectId === undefined))
      throw new RefusalError(REFUSE.invalidMessage("sessionId: pass either a session or a project"));
    if (sessionId !== undefined) return (await this.#place(sessionId)).cwd;
    const project = projectId === undefined ? null : await this.#deps.projects.get(projectId);
    if (!project) throw new RefusalError(REFUSE.projectNotFound());
    return project.path;
  }
}

const NAMED_PATHS_MAX = 100;
const DISCARDED = "The user discarded changes in these files.";
const RESTORED = "The user restored these files to an earlier state.";

type Refused = { readonly kind: "refused"; readonly refusal: Refusal };

/** Converts a refusal to a result. */
async function refusable<Result>(task: () => Promise<Result>): Promise<Result | Refused> {
  try {
    return await task();
  } catch (error) {
    if (error instanceof RefusalError) return { kind: "refused", refusal: error.refusal };
    throw error;
  }
}

function reply(message: PlainServerMessage): Answer {
  return message.type === "ok" ? { kind: "ok" } : { kind: "message", message, published: false };
}
