import type { Agents } from "../ports/agents.ts";
import type { World } from "../ports/world.ts";
import { isModelOption, modelsOf } from "../presentation/model-list.ts";
import { AttemptGroupId } from "../protocol/attempt-ref.ts";
import { ATTEMPT_FILES_MAX, type Attempter, type AttemptResult } from "../protocol/attempts.ts";
import type { ClientMessage } from "../protocol/client-messages.ts";
import { REFUSE, type Refusal, RefusalError } from "../protocol/errors.ts";
import { CommandId, SessionId } from "../protocol/ids.ts";
import type { PersonRef } from "../protocol/person-ref.ts";
import type { PlainServerMessage } from "../protocol/server-messages.ts";
import { isTurnActive, type SessionRow } from "../protocol/session-schema.ts";
import type { WorktreeId } from "../protocol/worktree-ref.ts";
import type { Answer } from "./answer.ts";
import type { FileChanges } from "./file-changes.ts";
import { deriveTitle } from "./rules/turn.ts";
import type { SessionService } from "./session-service.ts";
import type { WorktreeService } from "./worktree-service.ts";

export type AttemptsMessage = Extract<ClientMessage, { type: `attempts:${string}` }>;
type MessageOf<Type extends AttemptsMessage["type"]> = Extract<AttemptsMessage, { type: Type }>;

interface AttemptsDeps {
  readonly world: World;
  readonly sessions: Pick<SessionService, "create" | "execute" | "list" | "once" | "results" | "row" | "view">;
  readonly agents: Pick<Agents, "find">;
  readonly changes: Pick<FileChanges, "answer" | "stateOf">;
  readonly places: Pick<WorktreeService, "answer">;
  readonly onError: (error: unknown) => void;
}

/** Room for what is added to an id for each step. */
const GROUP_ID_CHARS_MAX = 48;

/**
 * One task for several agents. Every step is a command of its own with an id that derives from the group's: repeated
 * after a crash, a step is done once, and the rest follows.
 */
export class Attempts {
  readonly #deps: AttemptsDeps;

  constructor(deps: AttemptsDeps) {
    this.#deps = deps;
  }

  /** `person`: which of several people asks. */
  answer(message: AttemptsMessage, person?: PersonRef): Promise<Answer> {
    const act = () => refusable(() => this.#act(message, person));
    return message.type === "attempts:compare" ? act() : this.#deps.sessions.once(message.commandId, act);
  }

  #act(message: AttemptsMessage, person: PersonRef | undefined): Promise<Answer> {
    switch (message.type) {
      case "attempts:start":
        return this.#start(message, person);
      case "attempts:compare":
        return this.#compare(message);
      case "attempts:keep":
        return this.#keep(message, person);
      default:
        return message satisfies never;
    }
  }

  async #start(message: MessageOf<"attempts:start">, person: PersonRef | undefined): Promise<Answer> {
    const { content, agents, commandId } = message;
    const { sessions, world } = this.#deps;
    for (const { cliType } of agents) this.#refuseUnready(cliType);
    const groupId = AttemptGroupId.parse((commandId ?? world.newId()).slice(0, GROUP_ID_CHARS_MAX));
    const made: SessionId[] = [];
    try {
      // One after the other: worktrees of one repository are made one at a time.
      for (const [index, attempter] of agents.entries())
        made.push(await this.#create(message, groupId, index + 1, attempter));
    } catch (error) {
      for (const sessionId of made) await this.#putAway(sessionId).catch(this.#deps.onError);
      throw error;
    }
    for (const [index, sessionId] of made.entries())
      accepted(
        await sessions.execute(
          {
            type: "session:send",
            sessionId,
            content,
            commandId: CommandId.parse(`${groupId}-${index + 1}-task`),
          },
          person,
        ),
      );
    return reply({ type: "attempts:started", groupId, sessionIds: made });
  }

  #refuseUnready(cliType: Attempter["cliType"]): void {
    const known = this.#deps.agents.find(cliType);
    if (!known) throw new RefusalError(REFUSE.agentUnknown(cliType));
    if (known.availability === "needs-install")
      throw new RefusalError(REFUSE.agentNotInstalled(known.name, known.hint));
  }

  async #create(
    { projectId, title, content, base, policy }: MessageOf<"attempts:start">,
    groupId: AttemptGroupId,
    number: number,
    { cliType, model }: Attempter,
  ): Promise<SessionId> {
    const name = title ?? deriveTitle(content) ?? "Attempt";
    const answer = accepted(
      await this.#deps.sessions.create({
        type: "session:create",
        projectId,
        cliType,
        title: name,
        attempt: { groupId, number },
        ...(policy !== undefined && { options: { policy } }),
        worktree: { create: base === undefined ? {} : { base } },
        // The models of an agent are known once it has started.
        ...(model === undefined && { waitForAgent: false }),
        commandId: CommandId.parse(`${groupId}-${number}`),
      }),
    );
    const told = answer.kind === "message" || answer.kind === "repeated" ? answer.message : {};
    const sessionId = SessionId.parse(Reflect.get(told, "sessionId"));
    if (model !== undefined) {
      try {
        await this.#choose(sessionId, model);
      } catch (error) {
        await this.#putAway(sessionId).catch(this.#deps.onError);
        throw error;
      }
    }
    return sessionId;
  }

  async #choose(sessionId: SessionId, wanted: string): Promise<void> {
    const options = (await this.#deps.sessions.view(sessionId))?.state.config.options ?? [];
    const selects = options.filter((option) => option.type === "select");
    const option = selects.find(({ category }) => category === "model") ?? selects.find(({ id }) => id === "model");
    const values = option?.options.flatMap((one) => ("options" in one ? one.options : [one])) ?? [];
    const meant = wanted.toLowerCase();
    const found = values.find(({ value, name }) => value.toLowerCase() === meant || name.toLowerCase() === meant);
    if (!option || !found) {
      const choices =
        values.length > 0
          ? `Choose one of: ${values.map(({ value }) => value).join(", ")}.`
          : "This agent offers no choice of models.";
      throw new RefusalError(REFUSE.invalidMessage(`agents: the model “${wanted}” is not offered. ${choices}`));
    }
    if (option.currentValue === found.value) return;
    accepted(
      await this.#deps.sessions.execute({
        type: "session:configure",
        sessionId,
        configId: option.id,
        value: found.value,
      }),
    );
  }

  async #compare({ projectId, groupId }: MessageOf<"attempts:compare">): Promise<Answer> {
    const { sessions } = this.#deps;
    const rows = (await sessions.list(projectId, false)) ?? [];
    const group = rows
      .filter(({ attempt }) => attempt?.groupId === groupId)
      .toSorted((one, other) => (one.attempt?.number ?? 0) - (other.attempt?.number ?? 0));
    const lastLines = new Map(
      (await sessions.results(group.map(({ id }) => id))).map(({ sessionId, lastLine }) => [sessionId, lastLine]),
    );
    const results: AttemptResult[] = [];
    for (const row of group) {
      const result = await this.#resultOf(row, lastLines.get(row.id) ?? "");
      const model = await this.#modelOf(row.id);
      results.push(model === null ? result : { ...result, model });
    }
    return reply({ type: "attempts:compared", groupId, results });
  }

  async #modelOf(sessionId: SessionId): Promise<string | null> {
    const option = (await this.#deps.sessions.view(sessionId))?.state.config.options.find(isModelOption);
    if (option === undefined || option.currentValue === "") return null;
    return modelsOf(option).find(({ value }) => value === option.currentValue)?.name ?? null;
  }

  /** Its commits and what it has not committed, file by file. */
  async #resultOf({ id: sessionId, worktree }: SessionRow, lastLine: string): Promise<AttemptResult> {
    const empty = { files: [], totalFiles: 0, added: 0, removed: 0, commits: 0, uncommittedFiles: 0, into: null };
    if (!worktree) return { sessionId, ...empty, lastLine, problem: "It no longer works in a worktree." };
    const [committed, uncommitted] = await Promise.all([
      this.#deps.places.answer({ type: "merge:preview", worktreeId: worktree.worktreeId }),
      this.#deps.changes.stateOf(sessionId, { kind: "base" }),
    ]);
    if (uncommitted.kind === "refused") return { sessionId, ...empty, lastLine, problem: uncommitted.refusal.message };
    const preview = committed.kind === "refused" ? null : messageOf(committed, "merge:preview");
    const files = new Map<string, ChangedLines>();
    for (const file of [...(preview?.files ?? []), ...uncommitted.message.files])
      files.set(file.path, addLines(files.get(file.path), file));
    const base = uncommitted.message.counts.base;
    return {
      sessionId,
      files: [...files].slice(0, ATTEMPT_FILES_MAX).map(([path, { added, removed }]) => ({ path, added, removed })),
      totalFiles: Math.max(files.size, preview?.totalFiles ?? 0, uncommitted.message.total),
      added: (preview?.added ?? 0) + base.added,
      removed: (preview?.removed ?? 0) + base.removed,
      commits: preview?.commits ?? 0,
      uncommittedFiles: uncommitted.message.total,
      into: preview?.into ?? null,
      lastLine,
      ...(committed.kind === "refused" && { problem: committed.refusal.message }),
    };
  }

  async #keep(
    { sessionId, into, message }: MessageOf<"attempts:keep">,
    person: PersonRef | undefined,
  ): Promise<Answer> {
    const row = await this.#deps.sessions.row(sessionId);
    if (!row) throw new RefusalError(REFUSE.sessionNotFound());
    const { attempt, worktree } = row;
    if (!attempt || !worktree)
      throw new RefusalError(REFUSE.invalidMessage("sessionId: this session is not one of several attempts"));
    if (isTurnActive(row.turn)) throw new RefusalError(REFUSE.workdirBusy());
    await this.#commit(sessionId, message);
    const merged = await this.#merge(worktree.worktreeId, into, person);
    const others = ((await this.#deps.sessions.list(row.projectId, false)) ?? []).filter(
      ({ id, attempt: other }) => id !== sessionId && other?.groupId === attempt.groupId,
    );
    const left: { sessionId: SessionId; reason: string }[] = [];
    for (const { id } of others) {
      const refusal = await refusalOf(() => this.#putAway(id));
      if (refusal) left.push({ sessionId: id, reason: refusal.message });
    }
    return reply({ type: "attempts:kept", groupId: attempt.groupId, sessionId, ...merged, left });
  }

  /** Everything that is uncommitted in the worktree of this attempt. */
  async #commit(sessionId: SessionId, message: string): Promise<void> {
    const { changes } = this.#deps;
    const found = await changes.stateOf(sessionId, { kind: "base" });
    if (found.kind === "refused") throw new RefusalError(found.refusal);
    const { files, total, version } = found.message;
    if (total === 0) return;
    const listed = files.length === total && { items: files.map(({ path }) => ({ path })) };
    accepted(await changes.answer({ type: "workdir:commit", sessionId, ...listed, message, expect: version }));
  }

  async #merge(
    worktreeId: WorktreeId,
    wanted: string | undefined,
    person: PersonRef | undefined,
  ): Promise<{ readonly into: string; readonly commit?: string }> {
    const { places } = this.#deps;
    const seen = messageOf(
      await places.answer({ type: "merge:preview", worktreeId, ...(wanted !== undefined && { into: wanted }) }),
      "merge:preview",
    );
    const { into, result, conflicts, inTheWay, reason, expect } = seen;
    if (result === "nothing") return { into };
    if (result !== "clean" || inTheWay.length > 0) {
      const paths = [...conflicts.map(({ path }) => path), ...inTheWay];
      const words =
        result === "unknown"
          ? `Git cannot tell whether this merges into ${into}: ${reason ?? "no reason given"}.`
          : inTheWay.length > 0
            ? `${into} is checked out with uncommitted changes in files that the merge touches, and they are not as the merge brings them.`
            : `This attempt conflicts with ${into}.`;
      throw new RefusalError(
        REFUSE.gitRefused(
          `${words} Nothing was merged, and the other attempts are as they were. Open its merge to go on.`,
          paths.slice(0, 20).join("\n"),
        ),
      );
    }
    const done = messageOf(
      await places.answer({ type: "merge:run", worktreeId, into, how: "merge", expect }, person),
      "merge:done",
    );
    return { into, commit: done.commit };
  }

  /** Archived, which ends its agent; its worktree goes to quarantine. Both can be brought back. */
  async #putAway(sessionId: SessionId): Promise<void> {
    const { sessions, places } = this.#deps;
    const row: SessionRow | null = await sessions.row(sessionId);
    if (!row) return;
    if (!row.archived) accepted(await sessions.execute({ type: "session:archive", sessionId }));
    if (row.worktree) accepted(await places.answer({ type: "worktree:remove", worktreeId: row.worktree.worktreeId }));
  }
}

interface ChangedLines {
  readonly added: number | null;
  readonly removed: number | null;
}

/** Null: not counted, because it is not text. */
function addLines(before: ChangedLines | undefined, { added, removed }: ChangedLines): ChangedLines {
  if (before === undefined) return { added, removed };
  const sum = (one: number | null, other: number | null) => (one === null || other === null ? null : one + other);
  return { added: sum(before.added, added), removed: sum(before.removed, removed) };
}

async function refusable(act: () => Promise<Answer>): Promise<Answer> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof RefusalError) return { kind: "refused", refusal: error.refusal };
    throw error;
  }
}

function accepted(answer: Answer): Answer {
  if (answer.kind === "refused") throw new RefusalError(answer.refusal);
  return answer;
}

/** The message of an answer that has one of this type. */
function messageOf<Type extends PlainServerMessage["type"]>(
  answer: Answer,
  type: Type,
): Extract<PlainServerMessage, { type: Type }> {
  const told = accepted(answer);
  if (told.kind !== "message" || told.message.type !== type) throw new Error(`expected ${type}, got ${told.kind}`);
  return told.message as Extract<PlainServerMessage, { type: Type }>;
}

async function refusalOf(act: () => Promise<void>): Promise<Refusal | null> {
  try {
    await act();
    return null;
  } catch (error) {
    if (error instanceof RefusalError) return error.refusal;
    throw error;
  }
}

function reply(message: PlainServerMessage): Answer {
  return { kind: "message", message, published: false };
}
