import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import type { ProjectId } from "../../src/protocol/ids.ts";
import type { Schedule, ScheduleRun } from "../../src/protocol/schedules.ts";
import type { SocketClient } from "../support/socket-client.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { git, write } from "../workspace/git-scene.ts";
import { startTalk } from "./talk.ts";

const NEVER_SOON = { kind: "cron", cron: "0 0 1 1 *", zone: "UTC" } as const;

async function withProject(server: TestServer): Promise<{ client: SocketClient; projectId: ProjectId; path: string }> {
  const client = await server.connect();
  const path = await server.directory(crypto.randomUUID());
  const { project } = await client.ask("project:added", { type: "project:add", path });
  return { client, projectId: project.id, path };
}

type Wanted = Omit<Parameters<SocketClient["request"]>[0] & { type: "schedule:save" }, "type" | "projectId">;
const wanted = (extra: Partial<Wanted> = {}): Wanted => ({
  name: "Look",
  cadence: NEVER_SOON,
  target: { kind: "new", cliType: "builtin" },
  prompt: "hello",
  missed: "latest",
  ...extra,
});

async function save(client: SocketClient, projectId: ProjectId, extra: Partial<Wanted> = {}): Promise<Schedule> {
  const { schedules } = await client.ask("schedule:list", { type: "schedule:save", projectId, ...wanted(extra) });
  const saved = schedules.at(-1);
  if (!saved) throw new Error("nothing was saved");
  return saved;
}

/** As soon as this machine can save one before it is due. */
async function saveDueSoon(client: SocketClient, projectId: ProjectId, prompt: string): Promise<Schedule> {
  for (let leadMs = 500; ; leadMs *= 2) {
    const at = new Date(Date.now() + leadMs).toISOString();
    const due = { ...wanted({ cadence: { kind: "once", at }, prompt }), projectId };
    const saved = await client.request({ type: "schedule:save", ...due });
    const [schedule] = saved.type === "schedule:list" ? saved.schedules : [];
    if (schedule) return schedule;
    expect(saved).toMatchObject({ details: expect.stringContaining("in the past") });
  }
}

/** Every client that views the list gets the progress of its runs. */
async function untilLast(client: SocketClient, { id }: Schedule, state: ScheduleRun["state"]): Promise<ScheduleRun> {
  const lastOf = (schedules: readonly Schedule[]) => schedules.find((one) => one.id === id)?.lastRun;
  const { schedules } = await client.next("schedule:list", (message) => lastOf(message.schedules)?.state === state, 0);
  const last = lastOf(schedules);
  if (!last) throw new Error("there is a run");
  return last;
}

test("CV-40 a schedule that is due once starts a session automatically, and its history links to it", async () => {
  await using server = await startTestServer();
  const { client, projectId } = await withProject(server);
  await client.ask("schedule:list", { type: "schedule:list", projectId });
  const schedule = await saveDueSoon(client, projectId, "stream 3 words");
  const { cadence } = schedule;
  const { sessionId, dueAt } = await untilLast(client, schedule, "done");
  expect(cadence).toEqual({ kind: "once", at: dueAt });
  const history = await client.ask("session:history", { type: "session:open", sessionId: sessionId ?? "" });
  expect(history.entries.flatMap((entry) => (entry.type === "user" ? [entry.content] : []))).toEqual([
    "stream 3 words",
  ]);
  const { runs } = await client.ask("schedule:runs", { type: "schedule:runs", scheduleId: schedule.id });
  expect(runs).toMatchObject([{ sessionId, state: "done" }]);
});

test("CV-42 run now: in a worktree with its own mode, refused by an agent that is not there, and failed by its turn", async () => {
  await using server = await startTestServer({ agents: { broken: { name: "Broken", command: "/nowhere/agent" } } });
  const { client, projectId, path } = await withProject(server);
  git(path, "init", "-q", "-b", "main");
  git(path, "config", "user.name", "a");
  git(path, "config", "user.email", "a@example.org");
  await write(path, { "a.txt": "one\n" });
  git(path, "add", "-A");
  git(path, "commit", "-qm", "first");
  await client.ask("schedule:list", { type: "schedule:list", projectId });
  const runNow = ({ id: scheduleId }: Schedule) => client.ask("schedule:list", { type: "schedule:run", scheduleId });
  const isolated = await save(client, projectId, {
    target: { kind: "new", cliType: "builtin", worktree: true, policy: "edits" },
  });
  await runNow(isolated);
  const { sessionId = "" } = await untilLast(client, isolated, "done");
  const { sessions } = await client.ask("session:list", { type: "session:list", projectId });
  const row = sessions.find(({ id }) => id === sessionId);
  expect(row).toMatchObject({ title: "Look", worktree: { name: expect.any(String) } });
  expect(existsSync(path)).toBe(true);
  expect(await client.ask("policy:state", { type: "policy:get", scope: "session", sessionId })).toMatchObject({
    mode: "edits",
  });
  const broken = await save(client, projectId, { target: { kind: "new", cliType: "broken" } });
  await runNow(broken);
  const refused = await untilLast(client, broken, "refused");
  expect(refused.detail).toContain("Broken");
  expect(refused.sessionId).toBeUndefined();
  const failing = await save(client, projectId, { prompt: "fail" });
  await runNow(failing);
  expect((await untilLast(client, failing, "failed")).detail).not.toBe("");
});

test("CV-42 a run in a session that is there sends its prompt there; a session of another project is refused", async () => {
  await using server = await startTestServer();
  const talk = await startTalk(server);
  const { client, projectId, sessionId } = talk;
  await client.ask("schedule:list", { type: "schedule:list", projectId });
  const schedule = await save(client, projectId, { target: { kind: "session", sessionId } });
  await client.ask("schedule:list", { type: "schedule:run", scheduleId: schedule.id });
  expect(await untilLast(client, schedule, "done")).toMatchObject({ sessionId });
  await talk.until("the prompt", () => talk.messages.includes("hello"));
  const other = await withProject(server);
  const foreign = {
    type: "schedule:save",
    projectId: other.projectId,
    ...wanted({ target: { kind: "session", sessionId } }),
  };
  expect(await client.request(foreign as Parameters<SocketClient["request"]>[0])).toMatchObject({
    code: "INVALID_MESSAGE",
    details: expect.stringContaining("not in the project"),
  });
});

test("CV-41 schedules are kept over a restart, edited, disabled and removed; what is wrong is refused with advice", async () => {
  await using server = await startTestServer();
  const { client, projectId } = await withProject(server);
  const schedule = await save(client, projectId);
  expect(schedule).toMatchObject({ enabled: true, nextDueAt: expect.stringContaining("-01-01T00:00:00.000Z") });
  await server.stop();
  await server.start();
  const back = await server.connect();
  const list = () => back.ask("schedule:list", { type: "schedule:list", projectId });
  expect((await list()).schedules).toEqual([schedule]);
  const scheduleId = schedule.id;
  await back.ask("schedule:list", { type: "schedule:save", projectId, scheduleId, ...wanted({ name: "Renamed" }) });
  await back.ask("schedule:list", { type: "schedule:enable", scheduleId, enabled: false });
  expect((await list()).schedules).toMatchObject([{ name: "Renamed", enabled: false }]);
  expect((await list()).schedules[0]?.nextDueAt).toBeUndefined();
  const preview = await back.ask("schedule:preview", { type: "schedule:preview", cadence: NEVER_SOON });
  expect(preview.times).toHaveLength(3);
  for (const cadence of [
    { kind: "cron", cron: "0 25 * * *", zone: "UTC" },
    { kind: "cron", cron: "0 9 * * *", zone: "Nowhere" },
    { kind: "once", at: "2020-01-01T00:00:00.000Z" },
  ] as const)
    for (const type of ["schedule:save", "schedule:preview"] as const) {
      const message = type === "schedule:preview" ? { type, cadence } : { type, projectId, ...wanted({ cadence }) };
      expect(await back.request(message)).toMatchObject({
        code: "INVALID_MESSAGE",
        message: expect.stringMatching(/cron expression|time zone|in the past/),
      });
    }
  await back.ask("schedule:list", { type: "schedule:remove", scheduleId });
  expect((await list()).schedules).toEqual([]);
  expect(await back.request({ type: "schedule:run", scheduleId })).toMatchObject({ code: "SCHEDULE_NOT_FOUND" });
});
