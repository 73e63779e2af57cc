import { describe, expect, it } from "bun:test";
import type { StoredRun, StoredSchedule } from "../../src/ports/schedule-store.ts";
import { ScheduleId } from "../../src/protocol/schedules.ts";
import { BUILTIN, NOW, PROJECT, SESSION } from "../core/names.ts";
import { type OpenStores, openScene } from "./open-scene.ts";

const ID = ScheduleId.parse("nightly");
const at = (day: number) => `2026-01-0${day}T09:00:00.000Z`;

const schedule = (extra: Partial<StoredSchedule> = {}): StoredSchedule => ({
  id: ID,
  projectId: PROJECT,
  definition: {
    name: "Nightly",
    cadence: { kind: "cron", cron: "0 9 * * *", zone: "UTC" },
    target: { kind: "new", cliType: BUILTIN, worktree: true, policy: "edits" },
    prompt: "Look for “bugs”",
    budget: { tokens: 1_000 },
    missed: "latest",
  },
  enabled: true,
  createdAt: NOW,
  settledUntil: NOW,
  ...extra,
});

const run = (extra: Partial<StoredRun> = {}): StoredRun => ({
  scheduleId: ID,
  dueAt: at(1),
  sessionId: null,
  state: "starting",
  detail: null,
  startedAt: at(1),
  endedAt: null,
  spentBefore: null,
  ...extra,
});

export function describeScheduleStore(name: string, open: OpenStores): void {
  describe(`${name}: ScheduleStore`, () => {
    it("CV-40 gives schedules back as they were saved, oldest first, over a restart; saving again replaces one", async () => {
      await using scene = await openScene(open);
      const younger = schedule({ id: ScheduleId.parse("b"), createdAt: at(2), enabled: false });
      await scene.stores.schedules.save(younger);
      await scene.stores.schedules.save(schedule());
      await scene.stores.schedules.addRun(run());
      await scene.stores.schedules.save(schedule({ settledUntil: at(3) }));
      await scene.reopen();
      expect(await scene.stores.schedules.list()).toEqual([schedule({ settledUntil: at(3) }), younger]);
      expect(await scene.stores.schedules.runs(ID, 10)).toEqual([run()]);
      expect(await scene.stores.schedules.get(ScheduleId.parse("c"))).toBeNull();
    });

    it("CV-40 a due time is claimed once, and with it all before; a disabled or removed schedule claims nothing", async () => {
      await using scene = await openScene(open);
      const { schedules } = scene.stores;
      await schedules.save(schedule());
      expect(await schedules.claimDue(run({ dueAt: at(2) }))).toBe(true);
      expect(await schedules.claimDue(run({ dueAt: at(2) }))).toBe(false);
      expect(await schedules.claimDue(run({ dueAt: at(1) }))).toBe(false);
      expect((await schedules.get(ID))?.settledUntil).toBe(at(2));
      await schedules.save(schedule({ enabled: false }));
      expect(await schedules.claimDue(run({ dueAt: at(3) }))).toBe(false);
      expect(await schedules.addRun(run({ dueAt: at(3) }))).toBe(true);
      expect(await schedules.addRun(run({ dueAt: at(3) }))).toBe(false);
      await schedules.remove(ID);
      expect(await schedules.claimDue(run({ dueAt: at(4) }))).toBe(false);
      expect(await schedules.addRun(run({ dueAt: at(4) }))).toBe(false);
      expect(await schedules.runs(ID, 10)).toEqual([]);
    });

    it("CV-42 runs are listed newest first, open ones are found after a restart, and old ended ones are forgotten", async () => {
      await using scene = await openScene(open);
      await scene.stores.schedules.save(schedule());
      const ended = [1, 2, 3].map((day) => run({ dueAt: at(day), state: "done", endedAt: at(day) }));
      for (const one of [...ended, run({ dueAt: at(4) })]) await scene.stores.schedules.claimDue(one);
      const running = run({
        dueAt: at(4),
        sessionId: SESSION,
        state: "running",
        spentBefore: { tokens: 5, cost: 0.5 },
      });
      await scene.stores.schedules.updateRun(running);
      await scene.reopen();
      const { schedules } = scene.stores;
      expect(await schedules.openRuns()).toEqual([running]);
      expect(await schedules.runs(ID, 10)).toEqual([running, ...ended.toReversed()]);
      expect(await schedules.runs(ID, 2)).toHaveLength(2);
      await schedules.trimRuns(ID, 1);
      expect((await schedules.runs(ID, 10)).map(({ dueAt }) => dueAt)).toEqual([at(4), at(3)]);
      await schedules.updateRun({ ...running, state: "failed", detail: "no", endedAt: at(5) });
      expect(await schedules.openRuns()).toEqual([]);
    });
  });
}
