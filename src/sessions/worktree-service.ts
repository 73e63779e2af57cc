import type { ProjectCommands } from "../ports/project-commands.ts";
import type { ProjectStore } from "../ports/project-store.ts";
import type { Workdirs } from "../ports/workdirs.ts";
import {
  type ConflictRadar,
  type ListedWorktree,
  type Merging,
  UNKNOWN_RADAR,
  type WorktreePlace,
  type Worktrees,
} from "../ports/worktrees.ts";
import type { ClientMessage } from "../protocol/client-messages.ts";
import { REFUSE, RefusalError } from "../protocol/errors.ts";
import type { Fact } from "../protocol/facts.ts";
import { type ProjectId, SessionId } from "../protocol/ids.ts";
import { TITLE_CHARS_MAX } from "../protocol/limits.ts";
import type { PersonRef } from "../protocol/person-ref.ts";
import { splitPlace } from "../protocol/place-path.ts";
import type { PlainServerMessage, Project } from "../protocol/server-messages.ts";
import { isTurnActive, type SessionRow } from "../protocol/session-schema.ts";
import { placeOfWorktree, type WorktreeId } from "../protocol/worktree-ref.ts";
import type { Radar, Worktree } from "../protocol/worktrees.ts";
import type { Answer } from "./answer.ts";
import type { SessionService } from "./session-service.ts";

export type WorktreeMessage = Extract<
  ClientMessage,
  { type: `worktree:${string}` | `merge:${string}` | `publish:${string}` }
>;
type MessageOf<Type extends WorktreeMessage["type"]> = Extract<WorktreeMessage, { type: Type }>;
type Acting = Exclude<
  WorktreeMessage,
  { type: "worktree:list" | "worktree:options" | "merge:preview" | "publish:preview" }
>;

interface WorktreeServiceDeps {
  readonly worktrees: Worktrees;
  readonly merging: Merging;
  readonly radar: ConflictRadar;
  readonly commands: ProjectCommands;
  readonly workdirs: Pick<Workdirs, "busySessions">;
  readonly sessions: Pick<
    SessionService,
    | "askedByTurn"
    | "execute"
    | "list"
    | "move"
    | "notice"
    | "observeFiles"
    | "once"
    | "recount"
    | "releaseAgent"
    | "row"
  >;
  readonly projects: Pick<ProjectStore, "get" | "list" | "lastPlace">;
  /** For every client. */
  readonly publish: (message: PlainServerMessage) => void;
  readonly onError: (error: unknown) => void;
}

/** Clients get a list of worktrees at most this often. */
const PUBLISH_EVERY_MS = 300;
const RADAR_WAIT_MS_MAX = 5_000;
const DRAFT_MESSAGES_MAX = 20;
const DRAFT_FILES_MAX = 50;
const NOBODY = SessionId.parse("nobody:there");

/** Worktree requests of clients: where sessions work, operations on those places, and how their work gets back. */
export class WorktreeService {
  readonly #deps: WorktreeServiceDeps;
  /** Projects whose list a client has asked for, with the list that was published last. */
  readonly #followed = new Map<ProjectId, string>();
  readonly #due = new Map<ProjectId, ReturnType<typeof setTimeout>>();
  readonly #listening: readonly Disposable[];

  constructor(deps: WorktreeServiceDeps) {
    this.#deps = deps;
    const changed = (projectId: ProjectId) => this.#changed(projectId);
    this.#listening = [deps.worktrees, deps.radar, deps.commands].map((part) => part.onChanged(changed));
  }

  /** `person`: which of several people asks. */
  async answer(message: WorktreeMessage, person?: PersonRef): Promise<Answer> {
    switch (message.type) {
      case "worktree:list":
      case "worktree:options":
      case "merge:preview":
      case "publish:preview":
        return refusable(() => this.#read(message));
      default:
        return this.#deps.sessions.once(message.commandId, () => refusable(() => this.#act(message, person)));
    }
  }

  /** Must be called with stored facts. Files or commits may have changed with the end of a turn. */
  committed(sessionId: SessionId, facts: readonly Fact[]): void {
    const isTurnOver = facts.some((fact) => fact.type === "session:turn" && fact.turn.state === "idle");
    const isOtherPlace = facts.some(
      ({ type }) => type === "session:worktree" || type === "session:archived" || type === "session:unarchived",
    );
    if (isTurnOver || isOtherPlace) this.#follow(sessionId, isTurnOver).catch(this.#deps.onError);
  }

  created(sessionId: SessionId): void {
    this.#follow(sessionId, false).catch(this.#deps.onError);
  }

  deleted({ projectId, worktree }: SessionRow): void {
    if (worktree !== null) this.#changed(projectId);
  }

  /** A worktree was made: its setup runs if the user has agreed to it before. Its failure is shown with the worktree. */
  made(project: Project, place: WorktreePlace): void {
    const { commands, onError } = this.#deps;
    commands.runSetup(project, place, null).catch((error) => {
      if (!(error instanceof RefusalError)) onError(error);
    });
    this.#changed(project.id);
  }

  /** The known overlaps of a session's place; null when that is the project's own directory. */
  async radarOf(sessionId: SessionId): Promise<Radar | null> {
    const row = await this.#deps.sessions.row(sessionId);
    const project = row?.worktree && (await this.#deps.projects.get(row.projectId));
    if (!row?.worktree || !project) return null;
    return betweenTasks(await this.#radarOf(project, row.worktree.worktreeId), row, await this.#rows(row.projectId));
  }

  /** The same after a check of its place, which waits a few seconds at most: its turn may have ended just now. */
  async freshRadarOf(sessionId: SessionId): Promise<Radar | null> {
    const { sessions, projects, radar } = this.#deps;
    const row = await sessions.row(sessionId);
    const project = row?.worktree && (await projects.get(row.projectId));
    if (!row?.worktree || !project) return null;
    const { worktreeId } = row.worktree;
    radar.touched(project, worktreeId);
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, RADAR_WAIT_MS_MAX);
    await Promise.race([radar.settled(project), late]);
    clearTimeout(timer);
    return this.#radarOf(project, worktreeId);
  }

  async #radarOf(project: Project, worktreeId: WorktreeId): Promise<Radar> {
    const known = new Map(await this.#deps.radar.known(project));
    return known.get(worktreeId) ?? UNKNOWN_RADAR;
  }

  stop(): void {
    for (const listening of this.#listening) listening[Symbol.dispose]();
    for (const timer of this.#due.values()) clearTimeout(timer);
  }

  async #follow(sessionId: SessionId, isTurnOver: boolean): Promise<void> {
    const { sessions, projects, radar, worktrees } = this.#deps;
    const row = await sessions.row(sessionId);
    const project = row && (await projects.get(row.projectId));
    if (!project) return;
    if (isTurnOver) radar.touched(project, row.worktree?.worktreeId ?? "project");
    if (isTurnOver && row.worktree) worktrees.used(row.worktree.worktreeId);
    this.#changed(project.id);
  }

  async #read(
    message: MessageOf<"worktree:list" | "worktree:options" | "merge:preview" | "publish:preview">,
  ): Promise<Answer> {
    switch (message.type) {
      case "worktree:list": {
        const { projectId } = message;
        const project = await this.#project(projectId);
        const worktrees = await this.#list(project);
        // The first check after a start; later ones follow changes.
        if (!this.#followed.has(projectId)) this.#deps.radar.touched(project);
        this.#followed.set(projectId, JSON.stringify(worktrees));
        return reply({ type: "worktree:list", projectId, worktrees });
      }
      case "worktree:options":
        return this.#options(await this.#project(message.projectId));
      case "merge:preview": {
        const { project, place, base } = await this.#find(message.worktreeId);
        const preview = await this.#deps.merging.preview(project, place, base, message.into ?? null);
        return reply({ type: "merge:preview", ...preview });
      }
      case "publish:preview": {
        const found = await this.#find(message.worktreeId);
        const into = message.into ?? found.base;
        const draft = { ...(await this.#draft(found)), into };
        const preview = await this.#deps.merging.publishPreview(found.project, found.place, draft);
        return reply({ type: "publish:preview", ...preview });
      }
      default:
        return message satisfies never;
    }
  }

  async #act(message: Acting, person: PersonRef | undefined): Promise<Answer> {
    const { worktrees, sessions, commands, merging, radar } = this.#deps;
    switch (message.type) {
      case "worktree:remove":
        await this.#remove(message.worktreeId);
        return { kind: "ok" };
      case "worktree:return":
        await worktrees.bringBack(message.worktreeId);
        await this.#tellSessions(
          message.worktreeId,
          ({ name }) => `The worktree “${name}” is back. Work can go on here.`,
        );
        return { kind: "ok" };
      case "worktree:purge": {
        const { listed } = await this.#listed(message.worktreeId);
        if (listed.name !== message.name)
          throw new RefusalError(
            REFUSE.invalidMessage(`name: repeat the name of the worktree, ${listed.name}, to delete it for good`),
          );
        await worktrees.purge(message.worktreeId);
        return { kind: "ok" };
      }
      case "worktree:repair":
        await worktrees.repair(message.worktreeId);
        return { kind: "ok" };
      case "worktree:setup": {
        const { project, place } = await this.#find(message.worktreeId);
        await commands.runSetup(project, place, message.hash);
        return { kind: "ok" };
      }
      case "worktree:move-session": {
        const worktreeId = await this.#move(message);
        return reply({ type: "worktree:moved", sessionId: message.sessionId, worktreeId });
      }
      case "merge:run": {
        const { worktreeId, into, how, message: text = null, expect } = message;
        const { project, place } = await this.#find(worktreeId);
        await this.#refuseBusy(place.cwd);
        // The merge writes into the checkout of its target.
        if ((await worktrees.options(project)).branch === into) await this.#refuseBusy(project.path);
        const { commit } = await merging.merge(project, place, { into, how, message: text, expect });
        radar.touched(project);
        await worktrees.moved(project);
        await Promise.all([sessions.recount(place.cwd), sessions.recount(project.path)]);
        await this.#tellWho(place, `Merged into ${into}.`, person);
        return reply({ type: "merge:done", worktreeId, into, commit });
      }
      case "merge:commit": {
        const { worktreeId, message: text, expect } = message;
        const { project, place } = await this.#find(worktreeId);
        await this.#refuseBusy(place.cwd);
        const committed = await merging.commit(place, { message: text, expect });
        radar.touched(project);
        await worktrees.moved(project);
        await sessions.recount(place.cwd);
        return reply({ type: "merge:committed", worktreeId, ...committed });
      }
      case "merge:ask-agent":
        return this.#askAgent(message, person);
      case "publish:run": {
        const { worktreeId, pullRequest, expect } = message;
        const { project, place, base } = await this.#find(worktreeId);
        const request = pullRequest && { ...pullRequest, into: pullRequest.into ?? base };
        const done = await merging.publish(project, place, { pullRequest: request ?? null, expect });
        await worktrees.moved(project);
        return reply({ type: "publish:done", worktreeId, ...done });
      }
      default:
        return message satisfies never;
    }
  }

  async #options(project: Project): Promise<Answer> {
    const { worktrees, commands, projects } = this.#deps;
    const [found, { setup, problem }, rows, lastChoice] = await Promise.all([
      worktrees.options(project),
      commands.setupFor(project),
      this.#rows(project.id),
      projects.lastPlace(project.id),
    ]);
    const busy = rows.filter(({ worktree, turn, changes }) => !worktree && (isTurnActive(turn) || changes !== null));
    return reply({
      type: "worktree:options",
      projectId: project.id,
      ...found,
      busySessionIds: busy.map(({ id }) => id),
      lastChoice,
      setup,
      ...(problem !== null && { problem }),
    });
  }

  async #list(project: Project): Promise<Worktree[]> {
    const { worktrees, commands, radar } = this.#deps;
    const [listed, rows] = await Promise.all([worktrees.list(project), this.#rows(project.id)]);
    const known = new Map(await radar.known(project));
    return listed.map((one) => {
      const there = rows.filter(({ worktree }) => worktree?.worktreeId === one.worktreeId);
      return {
        ...one,
        sessionIds: there.map(({ id }) => id),
        setup: commands.setupOf(one.worktreeId),
        radar: betweenTasks(known.get(one.worktreeId) ?? UNKNOWN_RADAR, there[0], rows),
      };
    });
  }

  /** Its services, terminals and agents end first. Uncommitted files are kept in quarantine with the rest. */
  async #remove(worktreeId: WorktreeId): Promise<void> {
    const { worktrees, commands, sessions } = this.#deps;
    const place = await worktrees.find(worktreeId);
    if (place === null) throw new RefusalError(REFUSE.worktreeNotFound());
    const project = await this.#project(place.projectId);
    const there = await this.#sessionsIn(place);
    if (there.some(({ turn }) => isTurnActive(turn))) throw new RefusalError(REFUSE.workdirBusy());
    await this.#refuseBusy(place.cwd);
    await commands.leave(project, place);
    await Promise.all(there.map(({ id }) => sessions.releaseAgent(id)));
    await worktrees.remove(worktreeId);
    await this.#tellSessions(
      worktreeId,
      ({ name, path }) =>
        `The worktree “${name}” was removed. Its files are kept: ${path}. Return it to work here again.`,
    );
  }

  /** With several people, the sessions that work there record who did it. */
  async #tellWho(
    place: Pick<WorktreePlace, "projectId" | "worktreeId">,
    content: string,
    person: PersonRef | undefined,
  ): Promise<void> {
    if (!person) return;
    for (const { id } of await this.#sessionsIn(place))
      await this.#deps.sessions.observeFiles(id, { type: "person-acted", content, person });
  }

  /** The sessions that work there record the change of their place. */
  async #tellSessions(worktreeId: WorktreeId, words: (listed: ListedWorktree) => string): Promise<void> {
    const { project, listed } = await this.#listed(worktreeId);
    for (const row of await this.#sessionsIn({ projectId: project.id, worktreeId }))
      this.#deps.sessions.notice(row.id, words(listed));
    this.#deps.radar.touched(project);
    this.#changed(project.id);
  }

  /**
   * Everything that can fail comes first: the new place, then the files, then the session, which is stored in one step.
   * Anything created for a failed move is removed.
   */
  async #move({ sessionId, to, commandId }: MessageOf<"worktree:move-session">): Promise<WorktreeId | null> {
    const { worktrees, sessions, onError } = this.#deps;
    const row = await sessions.row(sessionId);
    if (!row) throw new RefusalError(REFUSE.sessionNotFound());
    const project = await this.#project(row.projectId);
    const { worktree: from } = row;
    const isThere = to === null ? from === null : "worktreeId" in to && to.worktreeId === from?.worktreeId;
    if (isThere) throw new RefusalError(REFUSE.invalidMessage("to: the session works there already"));
    // The same command before a crash.
    const earlier = commandId === undefined ? null : await worktrees.madeFor(project, commandId);
    if (earlier !== null && earlier.worktreeId === from?.worktreeId) return earlier.worktreeId;
    const arrival: { place: WorktreePlace | null; isNew: boolean } = { place: null, isNew: false };
    try {
      await sessions.move(sessionId, async (cwd) => {
        const source = from && (await worktrees.find(from.worktreeId));
        const isSourceThere = from === null || source !== null;
        if (isSourceThere) await this.#refuseBusy(cwd);
        let files = 0;
        if (to !== null && "create" in to) {
          const base = to.create.base ?? source?.branch;
          const isLeft = !isSourceThere || to.create.carry === false;
          const request = {
            ...to.create,
            ...(base !== undefined && { base }),
            ...(!isLeft && { carryFrom: { directory: cwd, sessionId } }),
            ...(commandId !== undefined && { madeFor: commandId }),
            ...{ carry: false, title: row.title },
          };
          const made = earlier ?? (await worktrees.create(project, request));
          arrival.place = made;
          arrival.isNew = true;
          files = made.carriedFiles ?? 0;
        } else {
          if (to !== null) arrival.place = await this.#placeIn(project, to.worktreeId);
          const target = arrival.place?.cwd ?? project.path;
          await this.#refuseBusy(target);
          if (isSourceThere) files = (await worktrees.carry(cwd, target, sessionId)).files;
        }
        const { place } = arrival;
        return { place, projectPath: project.path, content: movedWords(place, files, isSourceThere) };
      });
    } catch (error) {
      if (arrival.place && arrival.isNew) await worktrees.giveBack(arrival.place.worktreeId).catch(onError);
      throw error;
    }
    this.#changed(project.id);
    if (arrival.place && arrival.isNew) this.made(project, arrival.place);
    return arrival.place?.worktreeId ?? null;
  }

  async #askAgent(
    { sessionId, worktreeId, into, commandId }: MessageOf<"merge:ask-agent">,
    person: PersonRef | undefined,
  ): Promise<Answer> {
    const row = await this.#deps.sessions.row(sessionId);
    if (row?.worktree?.worktreeId !== worktreeId)
      throw new RefusalError(REFUSE.invalidMessage("sessionId: this session does not work in the worktree"));
    const content = [
      `Merge the branch “${into}” into the branch “${row.worktree.branch}” that is checked out here.`,
      "Commit your own uncommitted work first.",
      "Resolve every conflict so that what both sides intended is kept, and ask me where you cannot tell.",
      "Then run the tests, mend what the merge broke, and commit the merge.",
      "Leave all other branches as they are, and push nothing.",
    ].join(" ");
    const send = { type: "session:send", sessionId, content } as const;
    // The receipt of this command is its own.
    const own = commandId !== undefined && { commandId: `${commandId}-prompt` as typeof commandId };
    return this.#deps.sessions.execute({ ...send, ...own }, person);
  }

  /** Title and text of a pull request, from what the user asked for and which files changed. */
  async #draft({ project, place, base }: FoundWorktree): Promise<{ title: string; body: string }> {
    const { sessions, merging } = this.#deps;
    const there = (await this.#sessionsIn(place)).toSorted((a, b) => b.lastActiveAt.localeCompare(a.lastActiveAt));
    const asked: string[] = [];
    for (const { id } of there) asked.push(...(await sessions.askedByTurn(id)).values());
    const messages = asked.slice(0, DRAFT_MESSAGES_MAX).map((message) => `- ${message.replace(/\s+/g, " ").trim()}`);
    const files = await refusable(() => merging.preview(project, place, base, null));
    const changed = "kind" in files ? [] : files.files;
    const total = "kind" in files ? 0 : files.totalFiles;
    const shown = changed.slice(0, DRAFT_FILES_MAX);
    const names = shown.map(({ path, added, removed }) => `- \`${path}\` +${added ?? 0} −${removed ?? 0}`);
    const more = total > shown.length ? [`- and ${total - shown.length} more`] : [];
    return {
      title: (there[0]?.title ?? place.branch).slice(0, TITLE_CHARS_MAX),
      body: [
        ...(messages.length > 0 ? [`## What was asked\n\n${messages.join("\n")}`] : []),
        ...(names.length > 0 ? [`## Changed files\n\n${[...names, ...more].join("\n")}`] : []),
      ].join("\n\n"),
    };
  }

  /** A file that an agent writes meanwhile would be a mixture of both versions. */
  async #refuseBusy(cwd: string): Promise<void> {
    // Only the directory counts here.
    const place = { sessionId: NOBODY, cwd };
    if ((await this.#deps.workdirs.busySessions(place)).length > 0) throw new RefusalError(REFUSE.workdirBusy());
  }

  async #project(projectId: ProjectId): Promise<Project> {
    const project = await this.#deps.projects.get(projectId);
    if (!project) throw new RefusalError(REFUSE.projectNotFound());
    return project;
  }

  async #placeIn(project: Project, worktreeId: WorktreeId): Promise<WorktreePlace> {
    const place = await this.#deps.worktrees.find(worktreeId);
    if (place?.projectId !== project.id) throw new RefusalError(REFUSE.worktreeNotFound());
    return place;
  }

  /** A worktree whose directory exists. */
  async #find(worktreeId: WorktreeId): Promise<FoundWorktree> {
    const place = await this.#deps.worktrees.find(worktreeId);
    if (place === null) throw new RefusalError(REFUSE.worktreeNotFound());
    const project = await this.#project(place.projectId);
    const listed = (await this.#deps.worktrees.list(project)).find((one) => one.worktreeId === worktreeId);
    return { project, place, base: listed?.base ?? null };
  }

  /** Any that is listed, in quarantine or not. */
  async #listed(worktreeId: WorktreeId): Promise<{ project: Project; listed: ListedWorktree }> {
    const place = placeOfWorktree(worktreeId);
    for (const project of await this.#deps.projects.list()) {
      // Other machines may be away, and have nothing to do with it.
      if ((splitPlace(project.path)?.place ?? null) !== place) continue;
      const listed = (await this.#deps.worktrees.list(project)).find((one) => one.worktreeId === worktreeId);
      if (listed) return { project, listed };
    }
    throw new RefusalError(REFUSE.worktreeNotFound());
  }

  async #rows(projectId: ProjectId): Promise<readonly SessionRow[]> {
    return (await this.#deps.sessions.list(projectId, false)) ?? [];
  }

  async #sessionsIn({
    projectId,
    worktreeId,
  }: Pick<WorktreePlace, "projectId" | "worktreeId">): Promise<readonly SessionRow[]> {
    return (await this.#rows(projectId)).filter(({ worktree }) => worktree?.worktreeId === worktreeId);
  }

  #changed(projectId: ProjectId): void {
    if (!this.#followed.has(projectId) || this.#due.has(projectId)) return;
    const publish = () => {
      this.#due.delete(projectId);
      this.#publish(projectId).catch((error) => {
        // Its place may be away: the list comes when that is back.
        if (!(error instanceof RefusalError)) this.#deps.onError(error);
      });
    };
    this.#due.set(projectId, setTimeout(publish, PUBLISH_EVERY_MS).unref());
  }

  async #publish(projectId: ProjectId): Promise<void> {
    const project = await this.#deps.projects.get(projectId);
    if (!project) return;
    const worktrees = await this.#list(project);
    const text = JSON.stringify(worktrees);
    if (this.#followed.get(projectId) === text) return;
    this.#followed.set(projectId, text);
    this.#deps.publish({ type: "worktree:list", projectId, worktrees });
  }
}

interface FoundWorktree {
  readonly project: Project;
  readonly place: WorktreePlace;
  readonly base: string | null;
}

function movedWords(place: WorktreePlace | null, files: number, isSourceThere: boolean): string {
  const where =
    place === null ? "the project's own directory" : `the worktree “${place.name}” (branch ${place.branch})`;
  const brought =
    files === 0
      ? ""
      : ` ${files} uncommitted ${files === 1 ? "file" : "files"} came along; the place before has them, too.`;
  const left = isSourceThere ? "" : " The worktree before was not there: its files did not come along.";
  return `This session now works in ${where}.${brought}${left} Its agent starts afresh there and gets what was said so far with your next message.`;
}

/** Attempts at one task are meant to change the same files: only overlaps with other work count. */
function betweenTasks(radar: Radar, row: SessionRow | undefined, rows: readonly SessionRow[]): Radar {
  const groupId = row?.attempt?.groupId;
  if (groupId === undefined) return radar;
  const attempts = new Set(
    rows.flatMap(({ attempt, worktree }) => (attempt?.groupId === groupId && worktree ? [worktree.worktreeId] : [])),
  );
  const overlaps = radar.overlaps.filter(({ with: other }) => !other?.worktreeId || !attempts.has(other.worktreeId));
  return { ...radar, overlaps, state: radar.state === "overlap" && overlaps.length === 0 ? "clean" : radar.state };
}

/** Converts a refusal to a result. */
async function refusable<Result>(task: () => Promise<Result>): Promise<Result | Extract<Answer, { kind: "refused" }>> {
  try {
    return await task();
  } catch (error) {
    if (error instanceof RefusalError) return { kind: "refused", refusal: error.refusal };
    throw error;
  }
}

function reply(message: PlainServerMessage): Answer {
  return { kind: "message", message, published: false };
}
