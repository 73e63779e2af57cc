import { TaskQueue } from "../../lib/task-queue.ts";
import type { RefusedRun } from "../../ports/notice-store.ts";
import type { ProjectStore } from "../../ports/project-store.ts";
import type { ScheduleStore, StoredRun, StoredSchedule } from "../../ports/schedule-store.ts";
import type { SessionLog } from "../../ports/session-log.ts";
import { isoTime, type World } from "../../ports/world.ts";
import type { ClientMessage } from "../../protocol/client-messages.ts";
import { REFUSE, type Refusal, RefusalError } from "../../protocol/errors.ts";
import type { Fact } from "../../protocol/facts.ts";
import { CommandId, type ProjectId, SessionId } from "../../protocol/ids.ts";
import {
  type RunState,
  SCHEDULE_RUNS_SHOWN_MAX,
  SCHEDULES_MAX,
  type Schedule,
  ScheduleDefinition,
  ScheduleId,
  type ScheduleRun,
} from "../../protocol/schedules.ts";
import type { PlainServerMessage } from "../../protocol/server-messages.ts";
import { isTurnActive } from "../../protocol/session-schema.ts";
import type { Answer } from "../answer.ts";
import type { Delegations } from "../delegation/delegations.ts";
import type { SessionService } from "../session-service.ts";
import { runOutcome } from "./run-outcome.ts";

/** Loaded with the first schedule, in that step (decision 149). */
const LATER = {
  cadence: (): typeof import("./cadence.ts") => require("./cadence.ts"),
};

export type ScheduleMessage = Extract<ClientMessage, { type: `schedule:${string}` }>;
type MessageOf<Type extends ScheduleMessage["type"]> = Extract<ScheduleMessage, { type: Type }>;

interface ScheduleServiceDeps {
  readonly world: World;
  readonly store: ScheduleStore;
  readonly sessions: Pick<SessionService, "create" | "execute" | "once" | "row" | "view">;
  readonly log: Pick<SessionLog, "load" | "page">;
  readonly delegations: Pick<Delegations, "spending">;
  readonly projects: Pick<ProjectStore, "get">;
  /** False while nothing can be stored: what is due then stays due. */
  readonly isWritable: () => boolean;
  readonly publish: (message: PlainServerMessage) => void;
  /** A run could not start, and that is stored. */
  readonly onRefused: (run: RefusedRun) => void;
  readonly onError: (error: unknown) => void;
}

/** The wall clock is polled: a machine that slept notices within this time. */
const LOOK_EVERY_MS = 15_000;
/** Due longer ago than this, a run counts as missed. */
const LATE_MS = 60_000;
/** Missed runs older than this are not started. */
const MISSED_MS_MAX = 24 * 60 * 60_000;
/** Between the starts of missed runs: they would all start at once after a restart. */
const MISSED_EVERY_MS = 10_000;
const RUNS_KEPT_MAX = 500;
const ID_CHARS = 12;
const PREVIEWED_TIMES = 3;
const DETAIL_CHARS_MAX = 1_000;

/**
 * Sends prompts at set times. Each due time is claimed in the store before anything is started. The commands of a run
 * have ids that follow from its schedule and due time, so that repeating them after a crash starts nothing twice.
 */
export class ScheduleService {
  readonly #deps: ScheduleServiceDeps;
  /** One check at a time, and no change of a schedule in between. */
  readonly #queue = new TaskQueue();
  /** Sessions in which a run is open, in memory: facts of all others are passed over. */
  readonly #openSessions = new Set<SessionId>();
  /** Runs that are being started. */
  readonly #driven = new Set<string>();
  /** Lists that a client has asked for. */
  readonly #followed = new Set<ProjectId>();
  #startedMs = 0;
  #missedStartMs = Number.NEGATIVE_INFINITY;
  /** A missed run waits for its start. */
  #isMissedWaiting = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isRunning = false;

  constructor(deps: ScheduleServiceDeps) {
    this.#deps = deps;
  }

  /** Continues the runs of an earlier server, then looks for what is due, from now on until it is stopped. */
  async start(): Promise<void> {
    this.#startedMs = this.#deps.world.now();
    this.#isRunning = true;
    await this.#queue.run(async () => {
      for (const run of await this.#deps.store.openRuns()) {
        if (run.sessionId !== null) this.#openSessions.add(run.sessionId);
        if (run.state === "starting") this.#drive(run);
        else await this.#settle(run);
      }
    });
    await this.look();
  }

  stop(): void {
    this.#isRunning = false;
    clearTimeout(this.#timer);
  }

  /** Starts what is due now. */
  async look(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      await this.#queue.run(() => this.#look());
    } catch (error) {
      this.#deps.onError(error);
    }
    await this.#wakeForNext();
  }

  /** Must be called with stored facts. */
  committed(sessionId: SessionId, facts: readonly Fact[]): void {
    if (!this.#openSessions.has(sessionId) || !facts.some(({ type }) => FOLLOWED_FACTS.has(type))) return;
    this.#queue.run(() => this.#settleIn(sessionId)).catch(this.#deps.onError);
  }

  /** A session was deleted. */
  deleted(sessionId: SessionId): void {
    if (!this.#openSessions.has(sessionId)) return;
    this.#queue.run(() => this.#settleIn(sessionId)).catch(this.#deps.onError);
  }

  async answer(message: ScheduleMessage): Promise<Answer> {
    const act = () => refusable(() => this.#queue.run(() => this.#answer(message)));
    return message.commandId === undefined ? act() : this.#deps.sessions.once(message.commandId, act);
  }

  async #answer(message: ScheduleMessage): Promise<Answer> {
    switch (message.type) {
      case "schedule:list":
        if (!(await this.#deps.projects.get(message.projectId))) throw new RefusalError(REFUSE.projectNotFound());
        this.#followed.add(message.projectId);
        return { kind: "message", message: await this.#listed(message.projectId), published: false };
      case "schedule:runs": {
        const { id } = await this.#find(message.scheduleId);
        const runs = (await this.#deps.store.runs(id, SCHEDULE_RUNS_SHOWN_MAX)).map(shownRun);
        return { kind: "message", message: { type: "schedule:runs", scheduleId: id, runs }, published: false };
      }
      case "schedule:preview":
        return { kind: "message", message: this.#preview(message), published: false };
      case "schedule:save":
        return this.#changed(await this.#save(message));
      case "schedule:enable": {
        const schedule = await this.#find(message.scheduleId);
        const { enabled } = message;
        if (enabled) LATER.cadence().checkCadence(schedule.definition.cadence, this.#deps.world.now());
        // Due times while it was disabled are not made up for.
        const settledUntil = enabled && !schedule.enabled ? isoTime(this.#deps.world) : schedule.settledUntil;
        await this.#deps.store.save({ ...schedule, enabled, settledUntil });
        return this.#changed(schedule.projectId);
      }
      case "schedule:remove": {
        const { id, projectId } = await this.#find(message.scheduleId);
        await this.#deps.store.remove(id);
        return this.#changed(projectId);
      }
      case "schedule:run":
        return this.#changed(await this.#runNow(await this.#find(message.scheduleId)));
      default:
        return message satisfies never;
    }
  }

  #preview({ cadence }: MessageOf<"schedule:preview">): PlainServerMessage {
    let after = this.#deps.world.now();
    LATER.cadence().checkCadence(cadence, after);
    const times: string[] = [];
    while (times.length < PREVIEWED_TIMES) {
      const next = LATER.cadence().nextDue(cadence, after);
      if (next === null) break;
      times.push(new Date(next).toISOString());
      after = next;
    }
    return { type: "schedule:preview", times };
  }

  async #save(message: MessageOf<"schedule:save">): Promise<ProjectId> {
    const { store, world, projects, sessions } = this.#deps;
    const { projectId, scheduleId, enabled } = message;
    if (!(await projects.get(projectId))) throw new RefusalError(REFUSE.projectNotFound());
    const known = scheduleId === undefined ? null : await this.#find(scheduleId);
    const definition = ScheduleDefinition.parse(message);
    const isSameCadence = JSON.stringify(known?.definition.cadence) === JSON.stringify(definition.cadence);
    // One that has run stays as it is, and may get another prompt.
    if (!isSameCadence) LATER.cadence().checkCadence(definition.cadence, world.now());
    const { target } = definition;
    if (target.kind === "session" && (await sessions.row(target.sessionId))?.projectId !== projectId)
      throw new RefusalError(
        REFUSE.invalidMessage("target.sessionId: this session is not in the project. Choose another one."),
      );
    if (known === null && (await store.list()).length >= SCHEDULES_MAX)
      throw new RefusalError(REFUSE.limitExceeded("schedules", SCHEDULES_MAX));
    const now = isoTime(world);
    await store.save({
      id: known?.id ?? ScheduleId.parse(world.newId().replaceAll("-", "").slice(0, ID_CHARS).toLowerCase()),
      projectId,
      definition,
      enabled: enabled ?? known?.enabled ?? true,
      createdAt: known?.createdAt ?? now,
      settledUntil: known && isSameCadence && known.enabled ? known.settledUntil : now,
    });
    return projectId;
  }

  async #runNow(schedule: StoredSchedule): Promise<ProjectId> {
    const run = this.#newRun(schedule.id, isoTime(this.#deps.world), "starting", null);
    const open = (await this.#deps.store.openRuns()).filter(({ scheduleId }) => scheduleId === schedule.id);
    if (open.some(isBusy)) throw new RefusalError(REFUSE.scheduleBusy());
    if (!(await this.#deps.store.addRun(run))) throw new RefusalError(REFUSE.scheduleBusy());
    this.#drive(run);
    return schedule.projectId;
  }

  async #look(): Promise<void> {
    const { world, store, projects, isWritable } = this.#deps;
    if (!this.#isRunning || !isWritable()) return;
    const now = world.now();
    const open = await store.openRuns();
    for (const run of open)
      if (run.state === "starting") this.#drive(run);
      else await this.#stopOverBudget(run);
    this.#isMissedWaiting = false;
    const busy = new Set(open.filter(isBusy).map(({ scheduleId }) => scheduleId));
    for (const schedule of await store.list()) {
      if (!schedule.enabled) continue;
      const { cadence, missed } = schedule.definition;
      const due = LATER.cadence().newestDue(cadence, Date.parse(schedule.settledUntil), now, MISSED_MS_MAX);
      if (due === null || !(await projects.get(schedule.projectId))) continue;
      const isMissed = due.dueMs < this.#startedMs || now - due.dueMs > LATE_MS;
      const dueAt = new Date(due.dueMs).toISOString();
      const skip = (why: string) => store.claimDue(this.#newRun(schedule.id, dueAt, "skipped", why));
      let isClaimed: boolean;
      if (busy.has(schedule.id)) isClaimed = await skip("The run before it had not ended.");
      else if (isMissed && missed === "skip") isClaimed = await skip("Liminal Builder was not running at that time.");
      else if (isMissed && now - due.dueMs > MISSED_MS_MAX)
        isClaimed = await skip("Liminal Builder was not running at that time, more than a day ago.");
      else if (isMissed && now - this.#missedStartMs < MISSED_EVERY_MS) {
        this.#isMissedWaiting = true;
        continue;
      } else {
        if (isMissed) this.#missedStartMs = now;
        const words = isMissed ? lateWords(due.count) : null;
        const run = this.#newRun(schedule.id, dueAt, "starting", words);
        isClaimed = await store.claimDue(run);
        if (isClaimed) this.#drive(run);
      }
      if (isClaimed) await this.#publish(schedule.projectId);
    }
  }

  async #wakeForNext(): Promise<void> {
    if (!this.#isRunning) return;
    const now = this.#deps.world.now();
    const enabled = (await this.#deps.store.list().catch(() => [])).filter((schedule) => schedule.enabled);
    const dues = enabled.flatMap(({ definition }) => LATER.cadence().nextDue(definition.cadence, now) ?? []);
    const missed = this.#isMissedWaiting ? [this.#missedStartMs + MISSED_EVERY_MS] : [];
    const ms = Math.min(LOOK_EVERY_MS, ...[...dues, ...missed].map((due) => due - now));
    clearTimeout(this.#timer);
    // Stopped while it was read.
    if (!this.#isRunning) return;
    this.#timer = setTimeout(() => void this.look(), Math.max(0, ms));
  }

  #newRun(scheduleId: ScheduleId, dueAt: string, state: RunState, detail: string | null): StoredRun {
    const startedAt = isoTime(this.#deps.world);
    const endedAt = state === "starting" ? null : startedAt;
    return { scheduleId, dueAt, sessionId: null, state, detail, startedAt, endedAt, spentBefore: null };
  }

  /** Agents take their time: others do not have to wait. */
  #drive(run: StoredRun): void {
    const key = `${run.scheduleId} ${run.dueAt}`;
    if (this.#driven.has(key)) return;
    this.#driven.add(key);
    this.#startRun(run)
      .catch(this.#deps.onError)
      .finally(() => this.#driven.delete(key));
  }

  async #startRun(run: StoredRun): Promise<void> {
    const { store } = this.#deps;
    const schedule = await store.get(run.scheduleId);
    if (!schedule) return;
    const { target, prompt } = schedule.definition;
    try {
      const sessionId = target.kind === "session" ? target.sessionId : await this.#createSession(schedule, run);
      if ((await this.#deps.sessions.row(sessionId))?.archived) throw new RefusalError(REFUSE.scheduleArchived());
      const spentBefore = run.spentBefore ?? (await this.#spent(sessionId));
      // From here on facts of the session count: the turn may be over before the send returns.
      this.#openSessions.add(sessionId);
      await store.updateRun({ ...run, sessionId, spentBefore });
      const commandId = commandIdOf(run, target.kind === "new");
      const command = { type: "session:send", sessionId, content: prompt, commandId } as const;
      refuseIf(await this.#deps.sessions.execute(command));
      await this.#queue.run(async () => {
        await store.updateRun({ ...run, sessionId, spentBefore, state: "running" });
        await this.#settleIn(sessionId);
      });
    } catch (error) {
      if (!(error instanceof RefusalError)) throw error;
      // Nothing can be stored: the next look, or the next server, tries again.
      if (error.refusal.code === "STORAGE_UNWRITABLE") return;
      await this.#end(run, "refused", refusalWords(error.refusal));
      const { name } = schedule.definition;
      const cliType = target.kind === "new" ? target.cliType : null;
      this.#deps.onRefused({
        scheduleId: run.scheduleId,
        dueAt: run.dueAt,
        name,
        projectId: schedule.projectId,
        cliType,
      });
    }
    await this.#publish(schedule.projectId);
  }

  /** Repeated after a crash, the same command gives the same session. */
  async #createSession({ projectId, definition }: StoredSchedule, run: StoredRun): Promise<SessionId> {
    const { target, name } = definition;
    if (target.kind !== "new") return target.sessionId;
    const { cliType, policy, worktree } = target;
    const command = {
      type: "session:create",
      commandId: commandIdOf(run, false),
      projectId,
      cliType,
      title: name,
      ...(policy && { options: { policy } }),
      ...(worktree && { worktree: { create: {} } }),
    } as const;
    const answer = await this.#deps.sessions.create(command, undefined, { isRemembered: false });
    refuseIf(answer);
    const message = answer.kind === "message" || answer.kind === "repeated" ? answer.message : {};
    return SessionId.parse(Reflect.get(message, "sessionId"));
  }

  /** Checks the open runs of a session again. */
  async #settleIn(sessionId: SessionId): Promise<void> {
    const open = (await this.#deps.store.openRuns()).filter((run) => run.sessionId === sessionId);
    for (const run of open) await this.#settle(run);
    if (open.length === 0) this.#openSessions.delete(sessionId);
  }

  async #settle(run: StoredRun): Promise<void> {
    // Its message may not be stored yet.
    if (run.state === "starting" || run.sessionId === null) return;
    const { store, log } = this.#deps;
    const schedule = await store.get(run.scheduleId);
    if (!schedule) return;
    const commandId = commandIdOf(run, schedule.definition.target.kind === "new");
    const outcome = await runOutcome(log, run.sessionId, commandId);
    if (outcome === null) {
      // Its session goes on after a limit.
      if (run.state === "limited") await this.#waits(run, "running", null, schedule.projectId);
      return this.#stopOverBudget({ ...run, state: "running" });
    }
    const detail = [run.state === "limited" ? null : run.detail, outcome.detail].filter(Boolean).join(" ") || null;
    if (outcome.mayContinue) return this.#waits(run, outcome.state, detail, schedule.projectId);
    await this.#end(run, outcome.state, detail);
    await this.#publish(schedule.projectId);
  }

  /** Not at its end: what it waits for has changed. */
  async #waits(run: StoredRun, state: RunState, detail: string | null, projectId: ProjectId): Promise<void> {
    if (run.state === state && run.detail === detail) return;
    await this.#deps.store.updateRun({ ...run, state, detail, endedAt: null });
    await this.#publish(projectId);
  }

  async #end(run: StoredRun, state: RunState, detail: string | null): Promise<void> {
    const { store, world } = this.#deps;
    const known = (await store.openRuns()).find(
      ({ scheduleId, dueAt }) => scheduleId === run.scheduleId && dueAt === run.dueAt,
    );
    const short = detail === null ? null : detail.slice(0, DETAIL_CHARS_MAX);
    await store.updateRun({ ...(known ?? run), state, detail: short, endedAt: isoTime(world) });
    await store.trimRuns(run.scheduleId, RUNS_KEPT_MAX);
  }

  /** What the session and all agents that it started have used. */
  async #spent(sessionId: SessionId): Promise<{ readonly tokens: number; readonly cost: number }> {
    const usage = (await this.#deps.sessions.view(sessionId))?.state.config.usage;
    const { spent } = await this.#deps.delegations.spending(sessionId);
    return {
      tokens: (usage ? (usage.tokens ?? usage.used) : 0) + spent.tokens,
      cost: (usage?.cost?.amount ?? 0) + spent.cost,
    };
  }

  async #stopOverBudget(run: StoredRun): Promise<void> {
    const { store, sessions, world } = this.#deps;
    const { sessionId, spentBefore } = run;
    const schedule = await store.get(run.scheduleId);
    const budget = schedule?.definition.budget;
    if (!schedule || !budget || sessionId === null || run.state !== "running") return;
    const session = await sessions.view(sessionId);
    const turn = session?.state.turn;
    const commandId = commandIdOf(run, schedule.definition.target.kind === "new");
    const isOwn = session?.state.open.some((entry) => entry.type === "user" && entry.commandId === commandId);
    if (!turn || (!isOwn && !turn.resumed) || !isTurnActive(turn) || turn.error) return;
    const spent = await this.#spent(sessionId);
    const used = {
      tokens: spent.tokens - (spentBefore?.tokens ?? 0),
      cost: spent.cost - (spentBefore?.cost ?? 0),
      workMs: turn.startedAt === undefined ? 0 : world.now() - Date.parse(turn.startedAt),
    };
    for (const [name, unit] of BUDGET_UNITS) {
      const limit = budget[name];
      if (limit === undefined || used[name] < limit) continue;
      const { message: why } = REFUSE.overBudget(used[name], limit, unit);
      await sessions.execute({ type: "session:limit", sessionId, why });
      return;
    }
  }

  async #find(scheduleId: ScheduleId): Promise<StoredSchedule> {
    const found = await this.#deps.store.get(scheduleId);
    if (!found) throw new RefusalError(REFUSE.scheduleNotFound());
    return found;
  }

  async #changed(projectId: ProjectId): Promise<Answer> {
    const message = await this.#listed(projectId);
    this.#deps.publish(message);
    // A changed schedule may be due sooner.
    void this.#wakeForNext();
    return { kind: "message", message, published: true };
  }

  async #publish(projectId: ProjectId): Promise<void> {
    if (this.#followed.has(projectId)) this.#deps.publish(await this.#listed(projectId));
  }

  async #listed(projectId: ProjectId): Promise<PlainServerMessage> {
    const { store, world } = this.#deps;
    const own = (await store.list()).filter((schedule) => schedule.projectId === projectId);
    const schedules = await Promise.all(
      own.map(async ({ id, definition, enabled, createdAt }): Promise<Schedule> => {
        const [lastRun] = await store.runs(id, 1);
        const next = enabled ? LATER.cadence().nextDue(definition.cadence, world.now()) : null;
        return {
          ...definition,
          id,
          projectId,
          enabled,
          createdAt,
          ...(next !== null && { nextDueAt: new Date(next).toISOString() }),
          ...(lastRun && { lastRun: shownRun(lastRun) }),
        };
      }),
    );
    return { type: "schedule:list", projectId, schedules };
  }
}

/** A run that waits for the end of a usage limit is no reason to leave out the next one. */
function isBusy({ state }: StoredRun): boolean {
  return state !== "limited";
}

const BUDGET_UNITS = [
  ["tokens", "tokens"],
  ["cost", "cost"],
  ["workMs", "ms of work"],
] as const;

/** After these a run may have ended, or be over its budget. */
const FOLLOWED_FACTS: ReadonlySet<Fact["type"]> = new Set<Fact["type"]>([
  "session:turn",
  "session:queue",
  "session:config",
  "session:pause",
]);

/** `isSend`: of the message to the session that the run itself has made. */
function commandIdOf({ scheduleId, dueAt }: StoredRun, isSend: boolean): CommandId {
  return CommandId.parse(`schedule:${scheduleId}:${dueAt}${isSend ? ":send" : ""}`);
}

function lateWords(count: number): string {
  const others = count - 1;
  if (others === 0) return "Started late: Liminal Builder was not running at that time.";
  return `Started late: Liminal Builder was not running at that time. ${others} earlier ${others === 1 ? "run was" : "runs were"} left out.`;
}

function refusalWords({ message, details }: Refusal): string {
  return details === undefined ? message : `${message} ${details}`;
}

function refuseIf(answer: Answer): void {
  if (answer.kind === "refused") throw new RefusalError(answer.refusal);
}

async function refusable(act: () => Promise<Answer>): Promise<Answer> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error;
    return { kind: "refused", refusal: error.refusal };
  }
}

function shownRun({ scheduleId, dueAt, state, detail, sessionId, startedAt, endedAt }: StoredRun): ScheduleRun {
  return {
    scheduleId,
    dueAt,
    state,
    startedAt,
    ...(detail !== null && { detail }),
    ...(sessionId !== null && { sessionId }),
    ...(endedAt !== null && { endedAt }),
  };
}
