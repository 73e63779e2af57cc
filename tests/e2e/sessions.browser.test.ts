import { expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expectSoon } from "../support/expect-soon.ts";
import { guideWith, ROOT, startTestServer, type TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { type AppPage, startAgent } from "./app-page.ts";
import { axeViolations } from "./axe-violations.ts";
import { useChromium } from "./use-chromium.ts";

const HOUR_MS = 3_600_000;
/** More than the newest page of a session holds. */
const MANY_TURNS = 110;

const chromium = useChromium();

/** A project with one session per prompt, made one after the other. */
async function withSessions(app: AppPage, server: TestServer, ...prompts: readonly string[]): Promise<void> {
  await app.addProject(await server.directory("demo"));
  for (const prompt of prompts) await (await app.newSession("demo")).ask(prompt, "w1");
}

/** By another client, which is quicker than a hand. */
async function takeManyTurns(server: TestServer, sessionId: string): Promise<void> {
  using client = await server.connect();
  await client.ask("session:history", { type: "session:open", sessionId });
  for (let turn = 1; turn <= MANY_TURNS; turn += 1) {
    const { seq = 0 } = await client.ask("ok", { type: "session:send", sessionId, content: `stream ${turn} words` });
    await client.untilState(sessionId, "the turn's end", (state) => state.seq > seq && state.turn.state === "idle");
  }
}

test("TC-2.1a a session row shows title, relative age and agent", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await withSessions(app, server, "stream 1 words");
  const title = app.page.getByRole("button", { name: "stream 1 words", exact: true });
  const item = app.projects.getByRole("listitem").filter({ has: title });
  await item.last().getByText("now", { exact: true }).waitFor();
  await expectSoon(() => app.row("stream 1 words").getAttribute("aria-description")).toContain("Liminal Guide");
  await app.page.clock.setFixedTime(Date.now() + 3 * HOUR_MS);
  await app.refresh();
  await item.last().getByText("3h", { exact: true }).waitFor();
});

test("TC-2.1b the most recent activity comes first, and opening is no activity", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  const [first, second, third] = ["stream 1 words", "stream 2 words", "stream 3 words"] as const;
  await withSessions(app, server, first, second, third);
  await app.untilRows(third, second, first);
  const session = await app.open(first);
  await app.open(second);
  await app.untilRows(third, second, first);
  await app.open(first);
  await session.ask("stream 9 words", "w9");
  await app.untilRows(first, third, second);
});

test("TC-2.1c a project without sessions shows an invitation to start one", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  await app.projects.getByText("No sessions yet.").waitFor();
  await app.projects.getByRole("button", { name: "Start one" }).click();
  await startAgent(app.dialog("New session"));
  await app.untilRows("New Session");
  await expectSoon(() => app.projects.getByText("No sessions yet.").count()).toBe(0);
});

test("TC-2.2a a new session has a tab and a row, and the cursor is in its composer", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const session = await app.newSession("demo");
  await app.untilTabs("New Session");
  await app.untilRows("New Session");
  await app.tab("New Session").and(app.activeTab).waitFor();
  await waitFor(
    () => session.message.evaluate((field) => field.ownerDocument.activeElement === field),
    (isFocused) => isFocused,
    "the cursor in the composer",
  );
  await expectSoon(() => session.iframe.getAttribute("title")).toBe("New Session");
});

test("TC-2.2b the picker offers the catalog's agents, Claude Code and Codex first, each with its state", async () => {
  const mine = { ...guideWith(), name: "My Agent" };
  await using server = await startTestServer({
    agents: { mine },
    env: { CLAUDE_ACP_CMD: "/nowhere/claude", CODEX_ACP_CMD: "" },
  });
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const picker = await app.pickAgent("demo");
  const options = picker.getByRole("listitem");
  await options.filter({ hasText: "/nowhere/claude does not exist" }).getByText("Not working").waitFor();
  const names = await options.locator("label").allInnerTexts();
  expect(names.slice(0, 2)).toEqual(["Claude Code", "Codex"]);
  expect(names).toContain("Liminal Guide");
  expect(names).toContain("My Agent");
  for (const text of await options.allInnerTexts())
    expect(text).toMatch(/Ready|Not installed|Needs sign-in|Not working/);
  await options.filter({ hasText: "Liminal Guide" }).getByText("Ready").waitFor();
});

test("TC-2.2c cancelling the picker creates nothing and sends nothing", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  for (const leave of ["Cancel", "Close", "Escape"]) {
    const picker = await app.pickAgent("demo");
    if (leave === "Escape") await app.page.keyboard.press("Escape");
    else await picker.getByRole("button", { name: leave, exact: true }).click();
    await picker.waitFor({ state: "hidden" });
  }
  await expectSoon(() => app.tabTitles()).toEqual([]);
  await expectSoon(() => app.rowTitles()).toEqual([]);
  await app.newSession("demo");
  expect(app.sent("session:create")).toHaveLength(1);
  await waitFor(
    () => server.agentProcesses(),
    (processes) => processes.length === 1,
    "the one agent",
  );
});

test("TC-2.2f (A6) a start that fails is shown in the tab, what was typed stays, and a closed one leaves no tab and no row", async () => {
  const stubborn = { ...guideWith("--scenario", "refused-new"), name: "Stubborn" };
  await using server = await startTestServer({ agents: { stubborn } });
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const first = await app.newSession("demo", "Stubborn");
  await first.frame.getByText("No session today").waitFor();
  await first.button("Retry").waitFor();
  await expectSoon(() => first.status.getAttribute("data-status")).toBe("disconnected");
  expect(await axeViolations(app.page)).toEqual([]);
  await app.closeTab("New Session");
  await app.projects.getByText("No sessions yet.").waitFor();
  await expectSoon(() => app.tabTitles()).toEqual([]);

  const second = await app.newSession("demo", "Stubborn");
  await app.page.keyboard.type("Hello");
  await second.frame.getByText("No session today").waitFor();
  await second.button("Retry").click();
  await second.frame.getByText("No session today").waitFor();
  await expectSoon(() => second.message.inputValue()).toBe("Hello");
  // Written text is kept with its session, whatever is closed.
  await app.closeTab("New Session");
  const again = await app.open("New Session");
  await waitFor(
    () => again.message.inputValue(),
    (text) => text === "Hello",
    "what was typed",
  );
});

/** The built-in agent, which starts to listen when a file is there. */
function gatedGuide(gate: string) {
  const guide = `exec '${process.execPath}' '${join(ROOT, "builtin-agent/main.ts")}'`;
  const start = `while [ ! -e '${gate}' ]; do sleep 0.02; done; ${guide}`;
  return { name: "Gated", command: "/bin/sh", args: ["-c", start], retryMs: [1, 1, 1, 1] };
}

async function startGated() {
  const folder = await mkdtemp(join(tmpdir(), "gate-"));
  const gate = join(folder, "open");
  const server = await startTestServer({ agents: { gated: gatedGuide(gate) } });
  return { server, openGate: () => writeFile(gate, ""), remove: () => rm(folder, { recursive: true }) };
}

test("TC-2.2a (A6) the tab is there at once: no key is lost, and what is sent waits for the agent, over a reload too", async () => {
  const { server, openGate, remove } = await startGated();
  await using _ = server;
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const picker = await app.pickAgent("demo");
  await startAgent(picker, "Gated");
  const letters = "abcdefghijklmnopqrstuvwxyz";
  await app.page.keyboard.type(`stream 3 words ${letters}`);
  await picker.waitFor({ state: "hidden" });
  const session = await app.shownSession();
  await waitFor(
    () => session.message.inputValue(),
    (value) => value === `stream 3 words ${letters}`,
    "every letter",
  );
  await session.untilStatus("starting");
  expect(await axeViolations(app.page)).toEqual([]);
  await session.message.fill("stream 3 words");
  await app.page.keyboard.press("Enter");
  await session.entries("user").getByText("stream 3 words").waitFor();
  await session.status.getByText("Starting Gated…").waitFor();
  await app.refresh();
  const after = await app.shownSession();
  await after.entries("user").getByText("stream 3 words").waitFor();
  await openGate();
  await after.untilSaid("w1 w2 w3");
  await after.untilStatus("connected");
  await remove();
});

test("TC-2.2c (A5) closing the tab while the agent starts leaves nothing and takes no keyboard", async () => {
  const { server, openGate, remove } = await startGated();
  await using _ = server;
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const session = await app.newSession("demo");
  await session.ask("stream 1 words", "w1");
  await app.newSession("demo", "Gated");
  await app.closeTab("New Session");
  await app.untilRows("stream 1 words");
  await session.message.focus();
  await app.page.keyboard.type("half a ");
  await openGate();
  // One that is asked for afterwards is there: the closed one would be, too.
  using client = await server.connect();
  const { projects } = await client.ask("project:list", { type: "project:list" });
  for (const { id } of projects)
    await client.ask("session:created", { type: "session:create", projectId: id, cliType: "gated" });
  await app.page.keyboard.type("sentence");
  await expectSoon(() => session.message.inputValue()).toBe("half a sentence");
  await expectSoon(() => app.tabTitles()).toHaveLength(1);
  await app.untilRows("New Session", "stream 1 words");
  await remove();
});

test("TC-2.3a opening a session shows its whole history from our own store, without starting an agent", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server, { losesServer: true });
  await app.addProject(await server.directory("demo"));
  const session = await app.newSession("demo");
  await takeManyTurns(server, session.id);
  await session.untilSaid(`w${MANY_TURNS}`);
  await server.stop();
  await server.start();
  await app.closeTab("stream 1 words");
  const again = await app.open("stream 1 words");
  await again.untilSaid(`w${MANY_TURNS}`);
  await again.transcript.focus();
  await waitFor(
    async () => {
      await again.transcript.press("Home");
      return (await again.texts("user"))[0] ?? "";
    },
    (first) => first.startsWith("stream 1 words"),
    "the first message of all",
  );
  expect((await again.texts("assistant"))[0]).toBe("w1");
  await expectSoon(() => again.status.getAttribute("data-status")).toBe("idle");
  expect(server.agentProcesses()).toEqual([]);
});

test("TC-2.3b TC-4.3a TC-4.3b a session that is open is activated, not opened twice", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  const [first, second] = ["stream 1 words", "stream 2 words"] as const;
  await withSessions(app, server, first, second);
  await app.row(first).click();
  await app.tab(first).and(app.activeTab).waitFor();
  await app.row(first).click();
  await app.row(second).click();
  await app.tab(second).and(app.activeTab).waitFor();
  await expectSoon(() => app.tabTitles()).toEqual([first, second]);
  expect((await app.keptTabs()).openTabs).toHaveLength(2);
});
