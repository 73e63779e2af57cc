import { expect, test } from "bun:test";
import { isAlive, waitUntilGone } from "../builtin-agent/process-watch.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { tempDir } from "../support/temp-dir.ts";
import { startTestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { guideIn, manySessions, writeGuideSessions } from "../transfer/guide-sessions.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();

test("TC-2.4c sessions made outside the app are not in the list, and can be reached through an import", async () => {
  await using guide = await tempDir();
  await using server = await startTestServer({ agents: { mine: { ...guideIn(guide.path), name: "My Agent" } } });
  const cwd = await server.directory("demo");
  await writeGuideSessions(guide.path, manySessions(3, cwd));
  await using app = await chromium.open(server);
  await app.addProject(cwd);
  const session = await app.newSession("demo", "My Agent");
  await session.ask("stream 2 words", "w2");
  await app.untilRows("stream 2 words");
  await app.projects.getByRole("button", { name: "New session in demo", exact: true }).click();
  await app.dialog("New session").getByRole("button", { name: "Import sessions…" }).click();
  const dialog = app.dialog("Import sessions");
  await dialog.getByRole("combobox", { name: "Agent" }).selectOption({ label: "My Agent" });
  const offered = dialog.getByRole("list", { name: "Sessions to import" }).getByRole("checkbox");
  await waitFor(
    () => offered.count(),
    (count) => count === 3,
    "the three that were made outside, and not the one made here",
  );
  await expectSoon(() => app.rowTitles()).toEqual(["stream 2 words"]);
});

test("TC-5.3a after a shutdown the agents a person saw at work are gone, and what they started with them", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server, { losesServer: true });
  await app.addProject(await server.directory("demo"));
  const session = await app.newSession("demo");
  await session.say("run sleep 600");
  await session.permission.getByRole("button", { name: /^Allow once/ }).click();
  await waitFor(
    () => Promise.resolve(server.processes.alive().filter(({ commandLine }) => commandLine.includes("sleep 600"))),
    (running) => running.length > 0,
    "the command to run",
  );
  const started = server.processes.alive();
  await server.stop();
  await app.page.getByText("Connection lost").waitFor();
  for (const { pid } of started) await waitUntilGone(pid);
  expect(started.map(({ pid }) => isAlive(pid))).not.toContain(true);
});
