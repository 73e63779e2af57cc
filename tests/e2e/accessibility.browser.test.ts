import { expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { guideWith, startTestServer } from "../support/test-server.ts";
import { axeViolations } from "./axe-violations.ts";
import type { SessionView } from "./session-view.ts";
import { useChromium } from "./use-chromium.ts";

const NARROW = { width: 360, height: 640 };

const chromium = useChromium();

/** Opens every tool call and every thought. */
async function unfoldAll(session: SessionView): Promise<void> {
  const folded = session.transcript.getByRole("button", { expanded: false });
  while ((await folded.count()) > 0) await folded.first().click();
}

for (const theme of ["dark", "light"] as const) {
  test(`X-15 axe finds nothing in the ${theme} theme: first run, projects, dialogs, sessions`, async () => {
    await using server = await startTestServer();
    await using app = await chromium.open(server, { theme });
    await app.projects.getByText("Projects you add appear here").waitFor();
    expect(await axeViolations(app.page)).toEqual([]);

    await app.projects.getByRole("button", { name: "Add project", exact: true }).click();
    await app.dialog("Add project").getByRole("textbox", { name: "Directory" }).fill("/nowhere/at/all");
    await app.page.keyboard.press("Enter");
    await app.dialog("Add project").getByRole("alert").waitFor();
    expect(await axeViolations(app.page)).toEqual([]);
    await app.page.keyboard.press("Escape");

    const path = await server.directory("demo");
    await writeFile(join(path, "notes.md"), "hello world\n");
    await app.addProject(path);
    await app.projects.getByText("No sessions yet.").waitFor();
    expect(await axeViolations(app.page)).toEqual([]);

    await app.pickAgent("demo");
    expect(await axeViolations(app.page)).toEqual([]);
    await app.page.keyboard.press("Escape");

    const session = await app.newSession("demo");
    await session.frame.getByRole("heading", { name: /Ask Liminal Guide/ }).waitFor();
    expect(await axeViolations(app.page)).toEqual([]);
    await session.ask("help", "A good first walk");
    await session.ask("all", "That was all.");
    await unfoldAll(session);
    expect(await axeViolations(app.page)).toEqual([]);

    await app.projects.getByRole("button", { name: "Remove demo" }).click();
    await app.page.getByRole("dialog").waitFor();
    expect(await axeViolations(app.page)).toEqual([]);
  });

  test(`X-15 axe finds nothing in the ${theme} theme: at work, waiting, queued, disconnected, nothing open`, async () => {
    const frail = { ...guideWith(), name: "Frail", retryMs: [30_000] };
    await using server = await startTestServer({ agents: { frail } });
    await using app = await chromium.open(server, { theme });
    const path = await server.directory("demo");
    await writeFile(join(path, "notes.md"), "hello world\n");
    await app.addProject(path);
    const session = await app.newSession("demo", "Frail");
    await session.say('edit notes.md "hello" "goodbye"');
    await session.permission.waitFor();
    await session.say("stream 2 words");
    await session.queued.waitFor();
    expect(await axeViolations(app.page)).toEqual([]);
    await session.permission.getByRole("button", { name: "Reject", exact: true }).click();
    await session.untilSaid("w1 w2");
    await session.untilIdle();

    await session.say("sleep");
    await session.untilSaid("Sleeping");
    expect(await axeViolations(app.page)).toEqual([]);
    await app.projects.getByRole("button", { name: /^Archive/ }).click();
    await app.page.getByRole("dialog").waitFor();
    expect(await axeViolations(app.page)).toEqual([]);
    await app.page.keyboard.press("Escape");

    const pids = server.agentProcesses().filter(({ commandLine }) => commandLine.includes("builtin-agent/main.ts"));
    for (const { pid } of pids) process.kill(pid, "SIGKILL");
    await session.untilStatus("disconnected");
    await session.button("Reconnect").waitFor();
    expect(await axeViolations(app.page)).toEqual([]);

    await app.page.getByRole("button", { name: /^Close / }).click();
    await app.page.getByText("No session open").waitFor();
    expect(await axeViolations(app.page)).toEqual([]);
  });
}

test("X-15 axe finds nothing in a narrow window, with the drawer shut and open", async () => {
  await using server = await startTestServer();
  const client = await server.connect();
  const { project } = await client.ask("project:added", { type: "project:add", path: await server.directory("demo") });
  await client.ask("session:created", { type: "session:create", projectId: project.id, cliType: "builtin" });
  await using app = await chromium.open(server, { viewport: NARROW, isDrawer: true });
  await app.page.getByText("No session open").waitFor();
  expect(await axeViolations(app.page)).toEqual([]);
  await app.page.getByRole("button", { name: "Show projects" }).click();
  await app.row("New Session").waitFor();
  expect(await axeViolations(app.page)).toEqual([]);
  const session = await app.open("New Session");
  await session.ask("help", "A good first walk");
  expect(await axeViolations(app.page)).toEqual([]);
  expect(await app.page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(NARROW.width);
});
