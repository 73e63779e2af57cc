import { createHash } from "node:crypto";
import type { NoticeMessage } from "../../bridge/answer-message.ts";
import { redactSecrets } from "../../lib/redact-secrets.ts";
import { TaskQueue } from "../../lib/task-queue.ts";
import { visibleOneLine } from "../../lib/visible-text.ts";
import {
  type NoticeMark,
  type NoticeStore,
  type NoticeSubject,
  type RefusedRun,
  runSubject,
} from "../../ports/notice-store.ts";
import { isoTime, type World } from "../../ports/world.ts";
import { REFUSE, RefusalError } from "../../protocol/errors.ts";
import type { Fact } from "../../protocol/facts.ts";
import type { CliType, ProjectId, SessionId } from "../../protocol/ids.ts";
import {
  NOTICE_TARGETS_MAX,
  type NoticeEvent,
  type NoticeTarget,
  type ShownNoticeTarget,
} from "../../protocol/notices.ts";
import type { PlainServerMessage, Project } from "../../protocol/server-messages.ts";
import type { SessionRow } from "../../protocol/session-schema.ts";
import type { Answer } from "../../sessions/answer.ts";
import type { SessionService } from "../../sessions/session-service.ts";
import { addressOf, type KnownTarget, type NoticeSettings } from "./notice-settings.ts";
import { type Notice, postNotice } from "./post-notice.ts";
import type { WebPush } from "./web-push.ts";

interface NoticesDeps {
  readonly world: World;
  readonly store: NoticeStore;
  readonly settings: NoticeSettings;
  /** Devices that asked for notices. */
  readonly push: Pick<WebPush, "targets" | "owns" | "post" | "mayKnow">;
  readonly sessions: Pick<SessionService, "view">;
  readonly projects: { get(projectId: ProjectId): Promise<Project | null> };
  readonly agentName: (cliType: CliType) => string;
  /** The address of the page, without a token. */
  readonly origin: () => string;
  readonly publish: (message: PlainServerMessage) => void;
  readonly onError: (error: unknown) => void;
}

/** An event that the user should notice. */
interface Due {
  readonly event: NoticeEvent;
  readonly seq: number;
  /** No one has seen it. */
  readonly isUnread: boolean;
}

/** Its subject. */
type Subject = { readonly session: SessionId } | { readonly run: RefusedRun };
/** A run is refused once. */
const RUN_SEQ = 1;

const TRIES_MAX = 3;
const RETRY_MS: readonly number[] = [1_000, 5_000];
/** Events that are older than this at a restart are not notified. */
const RECENT_MS = 10 * 60_000;

/**
 * Sends notices to the addresses of config.json about events that no page shows. Each is sent once: its state is stored
 * before and after every try. One that a crash interrupted is sent again under the same id, by which its receiver
 * detects the repetition.
 */
export class Notices {
  readonly #deps: NoticesDeps;
  readonly #waiting = new Map<string, { readonly seq: number; readonly timer: ReturnType<typeof setTimeout> }>();
  /** One at a time for each target. */
  readonly #queues = new Map<string, TaskQueue>();
  readonly #stopped = new AbortController();
  #isStarted = false;

  constructor(deps: NoticesDeps) {
    this.#deps = deps;
  }

  /** Sends the pending notices of an earlier server. Called once the page has an address to link to. */
  async start(): Promise<void> {
    this.#isStarted = true;
    const targets = this.#targets();
    if (targets.length === 0) return;
    const since = new Date(this.#deps.world.now() - RECENT_MS).toISOString();
    const isSeenToo = targets.some(({ always }) => always);
    for (const session of await this.#deps.store.unreadSince(since, isSeenToo)) await this.#consider({ session }, true);
    for (const run of await this.#deps.store.refusedSince(since)) await this.#consider({ run }, true);
  }

  stop(): void {
    this.#stopped.abort();
    for (const { timer } of this.#waiting.values()) clearTimeout(timer);
    this.#waiting.clear();
  }

  /** Must be called with stored facts. */
  committed(sessionId: SessionId, facts: readonly Fact[]): void {
    if (!this.#isStarted || this.#targets().length === 0) return;
    if (!facts.some(({ type }) => type === "session:turn" || type === "session:pause")) return;
    this.#consider({ session: sessionId }, false).catch(this.#deps.onError);
  }

  /** A run of a schedule could not start; must be called once that is stored. */
  refused(run: RefusedRun): void {
    if (!this.#isStarted || this.#targets().length === 0) return;
    this.#consider({ run }, false).catch(this.#deps.onError);
  }

  async answer(message: NoticeMessage): Promise<Answer> {
    try {
      return await this.#answer(message);
    } catch (error) {
      if (!(error instanceof RefusalError)) throw error;
      return { kind: "refused", refusal: error.refusal };
    }
  }

  async #answer(message: NoticeMessage): Promise<Answer> {
    const { settings } = this.#deps;
    switch (message.type) {
      case "notify:list":
        settings.read();
        return { kind: "message", message: await this.#shown(), published: false };
      case "notify:save":
        settings.change((targets) => savedInto(targets, message));
        return this.#changed();
      case "notify:remove":
        settings.change((targets) => {
          find(targets, message.targetId);
          return targets.filter(({ id }) => id !== message.targetId);
        });
        return this.#changed();
      case "notify:test": {
        const outcome = await postNotice(
          find(settings.read(), message.targetId),
          this.#testNotice(),
          this.#stopped.signal,
        );
        if (!outcome.ok) return { kind: "refused", refusal: REFUSE.noticeNotSent(outcome.problem) };
        return { kind: "ok" };
      }
      default:
        return message satisfies never;
    }
  }

  async #changed(): Promise<Answer> {
    const message = await this.#shown();
    this.#deps.publish(message);
    return { kind: "message", message, published: true };
  }

  async #shown(): Promise<PlainServerMessage> {
    const { settings, store } = this.#deps;
    const targets = await Promise.all(
      settings.targets.map(async ({ id, url, format, on, afterMs, secret, always }): Promise<ShownNoticeTarget> => {
        const last = await store.lastOf(id);
        const problem = last?.problem ?? undefined;
        const address = addressOf(url);
        const ended = last && { at: last.at, ...(problem !== undefined && { problem }) };
        return {
          ...{ targetId: id, address, format, on: [...on], afterMs },
          ...(secret !== undefined && { isSigned: true }),
          ...(always && { always }),
          ...(ended && { last: ended }),
        };
      }),
    );
    return { type: "notify:targets", targets };
  }

  #testNotice(): Notice {
    return {
      id: this.#deps.world.newId(),
      event: "test",
      heading: "Liminal Builder can reach you",
      title: "This is a test notice.",
      project: "No project",
      agent: "Liminal Builder",
      sessionId: null,
      link: this.#deps.origin(),
      at: isoTime(this.#deps.world),
    };
  }

  #targets(): readonly KnownTarget[] {
    return [...this.#deps.settings.targets, ...this.#deps.push.targets()];
  }

  /** `isRestarted`: notices that are marked as in progress were interrupted with an earlier server. */
  async #consider(subject: Subject, isRestarted: boolean): Promise<void> {
    const { store } = this.#deps;
    const due = await this.#due(subject);
    if (due === null) return;
    for (const target of this.#targets()) {
      if (!(await this.#mayKnow(target, subject))) continue;
      if (!target.on.includes(due.event) || !(due.isUnread || target.always)) continue;
      const mark = await store.mark(keyOf(subject), target.id);
      const isKnown = mark !== null && mark.seq >= due.seq;
      const isOpen = mark?.state === "again" || (isRestarted && mark?.state === "sending");
      if (isKnown && !isOpen) continue;
      this.#wait(subject, target, due, isKnown ? mark.tries : 0, target.afterMs);
    }
  }

  /** A device receives notices about what its person may look at; an address of config.json receives all. */
  async #mayKnow(target: KnownTarget, subject: Subject): Promise<boolean> {
    const { push, sessions } = this.#deps;
    if (!push.owns(target)) return true;
    const projectId = "run" in subject ? subject.run.projectId : (await sessions.view(subject.session))?.row.projectId;
    return projectId !== undefined && push.mayKnow(target, projectId);
  }

  /** Null when there is nothing to report. */
  async #due(subject: Subject): Promise<Due | null> {
    if ("run" in subject) return { event: "failed", seq: RUN_SEQ, isUnread: true };
    const attention = await this.#deps.store.attention(subject.session);
    if (attention === null) return null;
    const event = eventOf((await this.#deps.sessions.view(subject.session))?.row);
    return event && { event, ...attention };
  }

  #wait(subject: Subject, target: KnownTarget, due: Due, tries: number, ms: number): void {
    if (this.#stopped.signal.aborted) return;
    const key = `${target.id} ${keyOf(subject)}`;
    const known = this.#waiting.get(key);
    if (known?.seq === due.seq) return;
    clearTimeout(known?.timer);
    const send = () => {
      this.#waiting.delete(key);
      const queue = this.#queues.get(target.id) ?? new TaskQueue();
      this.#queues.set(target.id, queue);
      queue.run(() => this.#send(subject, target, due, tries + 1)).catch(this.#deps.onError);
    };
    this.#waiting.set(key, { seq: due.seq, timer: setTimeout(send, ms) });
  }

  async #send(subject: Subject, target: KnownTarget, { event, seq, isUnread }: Due, tries: number): Promise<void> {
    const { store, world, push } = this.#deps;
    const { signal } = this.#stopped;
    // Seen, answered or over meanwhile: it is no longer needed.
    const due = await this.#due(subject);
    if (signal.aborted || due?.event !== event || due.seq !== seq || !(due.isUnread || target.always)) return;
    if (!this.#targets().some(({ id }) => id === target.id)) return;
    const told = await this.#told(subject, event);
    if (told === null || !(await this.#mayKnow(target, subject))) return;
    const notice = { ...told, id: noticeId(subject, target, seq), event, at: isoTime(world) };
    const mark = (state: NoticeMark["state"], problem: string | null) =>
      store.save({ subject: keyOf(subject), targetId: target.id, seq, state, tries, at: isoTime(world), problem });
    await mark("sending", null);
    const outcome = await (push.owns(target) ? push.post(target, notice, signal) : postNotice(target, notice, signal));
    if (signal.aborted) return;
    const isAgain = !outcome.ok && !outcome.isFinal && tries < TRIES_MAX;
    await mark(outcome.ok ? "sent" : isAgain ? "again" : "failed", outcome.ok ? null : outcome.problem);
    if (isAgain) this.#wait(subject, target, { event, seq, isUnread }, tries, RETRY_MS[tries - 1] ?? 0);
    else this.#deps.publish(await this.#shown());
  }

  async #told(subject: Subject, event: NoticeEvent): Promise<Omit<Notice, "id" | "event" | "at"> | null> {
    const { sessions, projects, agentName, origin } = this.#deps;
    if ("run" in subject) {
      const { name, projectId, cliType } = subject.run;
      return {
        heading: "A scheduled run could not start",
        title: redactSecrets(visibleOneLine(name)),
        project: visibleOneLine((await projects.get(projectId))?.name ?? ""),
        agent: cliType === null ? "Liminal Builder" : agentName(cliType),
        sessionId: null,
        link: origin(),
      };
    }
    const sessionId = subject.session;
    const session = await sessions.view(sessionId);
    if (!session) return null;
    const { row, state } = session;
    const agent = agentName(row.cliType);
    // An agent's title is agent text.
    const title = state.titleSource === "agent" ? `Session with ${agent}` : row.title;
    return {
      heading: headingOf(event, agent),
      title: redactSecrets(visibleOneLine(title)),
      project: visibleOneLine((await projects.get(row.projectId))?.name ?? ""),
      agent,
      sessionId,
      link: `${origin()}/#session=${encodeURIComponent(sessionId)}`,
    };
  }
}

function keyOf(subject: Subject): NoticeSubject {
  return "run" in subject ? runSubject(subject.run) : subject.session;
}

const ID_CHARS = 32;

/** The same for every try and every server, so that a receiver can tell a notice that it has already got. */
function noticeId(subject: Subject, target: KnownTarget, seq: number): string {
  return createHash("sha256")
    .update(`${keyOf(subject)} ${target.id} ${seq}`)
    .digest("hex")
    .slice(0, ID_CHARS);
}

/** Why a session needs the user; null if it does not. The end of an agent's child is reported to its parent. */
export function eventOf(row: SessionRow | undefined): NoticeEvent | null {
  if (!row || row.archived) return null;
  const { state, error, stopReason } = row.turn;
  if (state === "waiting") return "asks";
  if (state !== "idle" || row.parentId !== undefined) return null;
  if (row.pause !== null || error?.code === "AGENT_LIMIT") return "limit";
  if (error !== undefined || stopReason === "error" || stopReason === "interrupted") return "failed";
  return stopReason === undefined || stopReason === "cancelled" || row.waitsForAgents ? null : "done";
}

function headingOf(event: NoticeEvent, agent: string): string {
  switch (event) {
    case "asks":
      return `${agent} is waiting for you`;
    case "failed":
      return `${agent} failed`;
    case "limit":
      return `${agent} reached its usage limit`;
    case "done":
      return `${agent} has finished`;
    default:
      return event satisfies never;
  }
}

function find(targets: readonly KnownTarget[], targetId: string): KnownTarget {
  const found = targets.find(({ id }) => id === targetId);
  if (!found) throw new RefusalError(REFUSE.noticeTargetNotFound());
  return found;
}

type Save = Extract<NoticeMessage, { type: "notify:save" }>;

function savedInto(
  targets: readonly KnownTarget[],
  { targetId, url, format, on, afterMs, ...wanted }: Save,
): readonly NoticeTarget[] {
  const before = targetId === undefined ? null : find(targets, targetId);
  const address = url ?? before?.url;
  if (address === undefined) throw new RefusalError(REFUSE.invalidMessage("url: enter the address of the service"));
  const { secret = before?.secret, always = before?.always } = wanted;
  const next: NoticeTarget = {
    ...{ url: address, format, on: [...new Set(on)], afterMs },
    ...(secret !== undefined && { secret }),
    ...(always !== undefined && { always }),
  };
  if (targets.some((one) => one !== before && one.url === next.url && one.format === next.format))
    throw new RefusalError(REFUSE.invalidMessage("url: this address is already in the list. Edit it there."));
  if (before === null && targets.length >= NOTICE_TARGETS_MAX)
    throw new RefusalError(REFUSE.limitExceeded("notice targets", NOTICE_TARGETS_MAX));
  return before === null ? [...targets, next] : targets.map((one) => (one === before ? next : one));
}
