import { expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { type AppPage, GUIDE } from "../e2e/app-page.ts";
import { axeViolations } from "../e2e/axe-violations.ts";
import { useChromium } from "../e2e/use-chromium.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { guideWith, startTestServer, type TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";

const chromium = useChromium();

async function openAgents(app: AppPage): Promise<Locator> {
  await app.projects.getByRole("button", { name: "Agents", exact: true }).click();
  await app.agents.waitFor();
  return app.agents;
}

function pidsOf(server: TestServer): number[] {
  return server.agentProcesses().map(({ pid }) => pid);
}

test("W-7 X-21 [X-34] the agents page shows what runs: state, pid, memory, age; nothing is requested when it is closed", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  const asked: string[] = [];
  app.page.on("request", (request) => {
    if (request.url().includes("/api/status")) asked.push(request.url());
  });
  const dialog = await openAgents(app);
  await dialog.getByText("Not running. It starts with the next message.").waitFor();
  await app.page.keyboard.press("Escape");
  await app.addProject(await server.directory("demo"));
  const session = await app.newSession("demo");
  await session.ask("stream 1 words", "w1");
  const before = asked.length;
  await openAgents(app);
  const [pid] = pidsOf(server);
  await dialog.getByText(new RegExp(`pid\\s${pid} · \\d+\\sMB · up\\s\\d`)).waitFor();
  await dialog.getByText("Connected", { exact: true }).waitFor();
  await expectSoon(() => dialog.getByRole("region", { name: "Installed" }).getByRole("listitem").count()).toBe(1);
  await waitFor(
    () => asked.length - before,
    (count) => count > 1,
    "a second look while it is open",
  );
  expect(await axeViolations(app.page)).toEqual([]);
  await app.page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  const closed = asked.length;
  await session.ask("stream 2 words", "w2");
  expect(asked).toHaveLength(closed);
});

test("an agent can be restarted from there; a working one needs a confirmation, and its turn shows what happened", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const session = await app.newSession("demo");
  await session.say("sleep");
  await session.untilSaid("Sleeping");
  const [first] = pidsOf(server);
  const dialog = await openAgents(app);
  await dialog.getByText("Working", { exact: true }).waitFor();
  await dialog.getByRole("button", { name: `Restart ${GUIDE}` }).click();
  await dialog.getByText("Its running turns are interrupted.").waitFor();
  await dialog.getByRole("button", { name: "Keep" }).click();
  expect(pidsOf(server)).toEqual([Number(first)]);
  await dialog.getByRole("button", { name: `Restart ${GUIDE}` }).click();
  await dialog.getByRole("button", { name: "Restart now" }).click();
  await dialog.getByText("1 restart").waitFor();
  await app.page.keyboard.press("Escape");
  await session.untilIdle();
  await session.transcript.getByText(/was restarted/).waitFor();
  // What the process is like is read apart from what the session is told.
  await session.untilStatus("connected");
  await session.ask("stream 3 words", "w3");
});

test("TC-5.2b TC-5.2d X-40 a failed agent shows the reason, there and in the sidebar, where it can be dismissed; Reconnect brings it back, others are not touched", async () => {
  const frail = { ...guideWith(), name: "Frail", retryMs: [] };
  await using server = await startTestServer({ agents: { frail } });
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const sound = await app.newSession("demo");
  await sound.ask("stream 1 words", "w1");
  const session = await app.newSession("demo", "Frail");
  await session.say("crash");
  await session.untilStatus("disconnected");
  await session.frame.getByText("Frail stopped. Reconnect to continue.").waitFor();
  await expectSoon(() => session.button("Try again").count()).toBe(0);
  await app.projects.getByRole("button", { name: "Dismiss Frail", exact: true }).click();
  await app.projects.getByText("Frail is not connected").waitFor({ state: "detached" });
  const dialog = await openAgents(app);
  const row = dialog.getByRole("listitem").filter({ hasText: "Frail" });
  await row.getByText("Disconnected", { exact: true }).waitFor();
  await row.getByText("Frail stopped. Reconnect to continue.").waitFor();
  await dialog.getByRole("listitem").filter({ hasText: GUIDE }).getByText("Connected", { exact: true }).waitFor();
  await row.getByRole("button", { name: "Reconnect Frail" }).click();
  await row.getByText("Connected", { exact: true }).waitFor();
  await app.page.keyboard.press("Escape");
  await session.untilStatus("connected");
  await session.button("Try again").waitFor();
  await session.ask("stream 2 words", "w2");
  // A dismissal ends: the next failure is shown again.
  await session.say("crash");
  await app.projects.getByText("Frail is not connected").waitFor();
});

test("W-5 sessions with a process each are shown one by one, and restarted one by one", async () => {
  const own = { ...guideWith(), name: "Own", process: "per-session" as const };
  await using server = await startTestServer({ agents: { own } });
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  await (await app.newSession("demo", "Own")).ask("stream 1 words", "w1");
  await (await app.newSession("demo", "Own")).ask("stream 2 words", "w2");
  const before = pidsOf(server);
  expect(before).toHaveLength(2);
  const dialog = await openAgents(app);
  for (const pid of before) await dialog.getByText(new RegExp(`pid\\s${pid}`)).waitFor();
  await dialog.getByRole("button", { name: "Restart stream 1 words" }).click();
  await waitFor(
    () => pidsOf(server),
    (now) => now.length === 2 && now.filter((pid) => before.includes(pid)).length === 1,
    "one of the two processes to be new",
  );
});

/** The choice of how the agent's processes are started, in the open dialog. */
function topologyOf(app: AppPage, name: string): Locator {
  return app.agents.getByRole("combobox", { name: `Processes of ${name}` });
}

test("(B7) W-5 how an agent's processes are started is chosen there, holds for the next session, and survives a restart", async () => {
  await using server = await startTestServer({ agents: { mine: { ...guideWith(), name: "Mine" } } });
  {
    await using app = await chromium.open(server);
    await app.addProject(await server.directory("demo"));
    await (await app.newSession("demo", "Mine")).ask("stream 1 words", "w1");
    const dialog = await openAgents(app);
    await expectSoon(() => topologyOf(app, "Mine").inputValue()).toBe("shared");
    await topologyOf(app, "Mine").selectOption("One process per session");
    await dialog.getByText("Applies to processes started from now on.").waitFor();
    expect(await axeViolations(app.page)).toEqual([]);
    expect(pidsOf(server)).toHaveLength(1);
    await app.page.keyboard.press("Escape");
    await (await app.newSession("demo", "Mine")).ask("stream 2 words", "w2");
    expect(pidsOf(server)).toHaveLength(2);
  }
  await server.stop();
  await server.start();
  await using app = await chromium.open(server);
  await openAgents(app);
  await expectSoon(() => topologyOf(app, "Mine").inputValue()).toBe("per-session");
});
