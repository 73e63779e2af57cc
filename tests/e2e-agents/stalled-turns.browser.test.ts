import { expect, test } from "bun:test";
import { useChromium } from "../e2e/use-chromium.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";

/** Silence that counts as a stall, short enough to wait for. */
const IMPATIENT = { ACP_PROMPT_TIMEOUT_MS: "400" };

const chromium = useChromium();

test("a turn without output is marked; Cancel ends it, and there is never more than one Cancel", async () => {
  await using server = await startTestServer({ env: IMPATIENT });
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const session = await app.newSession("demo");
  await session.say("sleep");
  await session.frame.getByText("No output for a while").waitFor();
  await expectSoon(() => session.cancel.count()).toBe(1);
  await expectSoon(() => session.status.textContent()).toContain("no output");
  await session.cancel.click();
  await session.untilIdle();
  await expectSoon(() => session.frame.getByText("No output for a while").count()).toBe(0);
  await session.ask("stream 2 words", "w1 w2");
  expect(app.sent("session:cancel")).toHaveLength(1);
});

test("Restart replaces a silent agent's process; what it was asked can be tried again, without a second message", async () => {
  await using server = await startTestServer({ env: IMPATIENT });
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const session = await app.newSession("demo");
  await session.say("sleep");
  const guide = () => server.agentProcesses().map(({ pid }) => pid);
  await session.button("Restart").waitFor();
  const before = guide();
  await session.button("Restart").click();
  await session.untilIdle();
  await session.untilStatus("connected");
  await waitFor(
    guide,
    (pids) => pids.length > 0 && !pids.some((pid) => before.includes(pid)),
    "another process of the agent",
  );
  await session.transcript.getByText(/was restarted/).waitFor();
  await session.button("Try again").click();
  // Then the Cancel of that line replaces the composer's.
  await session.frame.getByText("No output for a while").waitFor();
  await session.cancel.click();
  await session.untilIdle();
  expect(app.sent("session:retry")).toHaveLength(1);
  await expectSoon(() => session.entries("user").count()).toBe(1);
  await expectSoon(() => session.button("Try again").count()).toBe(0);
});

test("after a failed turn Try again is beside the text; after a successful one it is not", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const session = await app.newSession("demo");
  await session.ask("stream 1 words", "w1");
  await expectSoon(() => session.button("Try again").count()).toBe(0);
  await session.say("fail");
  await session.transcript.getByText("The guide failed, as you asked.").waitFor();
  await session.button("Try again").click();
  await waitFor(
    () => app.sent("session:retry").length,
    (count) => count === 1,
    "the wish to try again",
  );
  await session.transcript.getByText("The guide failed, as you asked.").nth(1).waitFor();
  await session.button("Try again").waitFor();
  await expectSoon(() => session.entries("user").count()).toBe(2);
});
