import { expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { guideWith, ROOT, startTestServer, type TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import type { AppPage } from "./app-page.ts";
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
  expect(await app.row("stream 1 words").getAttribute("aria-description")).toContain("Liminal Guide");
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
  await app.dialog("New session").getByRole("button", { name: "Liminal Guide", exact: true }).click();
  await app.untilRows("New Session");
  expect(await app.projects.getByText("No sessions yet.").count()).toBe(0);
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
  expect(await session.iframe.getAttribute("title")).toBe("New Session");
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
  const names = await options.getByRole("button").allInnerTexts();
  expect(names.slice(0, 2)).toEqual(["Claude Code", "Codex"]);
  expect(names).toContain("Liminal Guide");
  expect(names).toContain("My Agent");
  for (const text of await options.allInnerTexts())
    expect(text).toMatch(/Ready|Not installed|Needs sign-in|Not working/);
  await options.filter({ hasText: "/nowhere/claude does not exist" }).getByText("Not working").waitFor();
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
  expect(await app.tabTitles()).toEqual([]);
  expect(await app.rowTitles()).toEqual([]);
  await app.newSession("demo");
  expect(app.sent("session:create")).toHaveLength(1);
  expect(server.agentProcesses()).toHaveLength(1);
});

test("TC-2.2f a failed creation shows the reason and leaves no tab and no row", async () => {
  const stubborn = { ...guideWith("--scenario", "refused-new"), name: "Stubborn" };
  await using server = await startTestServer({ agents: { stubborn } });
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const picker = await app.pickAgent("demo");
  await picker.getByRole("button", { name: "Stubborn", exact: true }).click();
  const reason = picker.getByRole("alert");
  await reason.getByText("No session today").waitFor();
  await reason.getByRole("button", { name: "Retry" }).waitFor();
  await picker.getByRole("button", { name: "Cancel", exact: true }).click();
  expect(await app.tabTitles()).toEqual([]);
  expect(await app.rowTitles()).toEqual([]);
  await app.refresh();
  await app.projects.getByText("No sessions yet.").waitFor();
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

test("TC-2.2b (A6) what is typed while the agent starts goes on in the session's composer, without a lost key", async () => {
  const { server, openGate, remove } = await startGated();
  await using _ = server;
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const picker = await app.pickAgent("demo");
  await picker.getByRole("button", { name: "Gated", exact: true }).click();
  await app.page.keyboard.type("Hello, ");
  await openGate();
  const letters = "abcdefghijklmnopqrstuvwxyz".repeat(2);
  let typed = "";
  // Typed on until the session has come, and past that moment.
  while (await picker.isVisible()) {
    const next = letters[typed.length % letters.length] ?? "";
    await app.page.keyboard.type(next);
    typed += next;
  }
  await app.page.keyboard.type(letters);
  const session = await app.shownSession();
  await waitFor(
    () => session.message.inputValue(),
    (value) => value === `Hello, ${typed}${letters}`,
    "every letter",
  );
  await remove();
});

test("TC-2.2f (A6) when the agent does not start, the reason is shown and what was typed stays", async () => {
  const stubborn = { ...guideWith("--scenario", "refused-new"), name: "Stubborn" };
  await using server = await startTestServer({ agents: { stubborn } });
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const picker = await app.pickAgent("demo");
  await picker.getByRole("button", { name: "Stubborn", exact: true }).click();
  await app.page.keyboard.type("Hello");
  await picker.getByRole("alert").getByText("No session today").waitFor();
  expect(await picker.getByRole("textbox", { name: "Message for the new session" }).inputValue()).toBe("Hello");
  expect(await app.tabTitles()).toEqual([]);
});

test("TC-2.2c (A5) Cancel while the agent starts creates nothing and takes no keyboard", async () => {
  const { server, openGate, remove } = await startGated();
  await using _ = server;
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const session = await app.newSession("demo");
  const picker = await app.pickAgent("demo");
  await picker.getByRole("button", { name: "Gated", exact: true }).click();
  await picker.getByRole("button", { name: "Cancel", exact: true }).click();
  await picker.waitFor({ state: "hidden" });
  await session.message.focus();
  await app.page.keyboard.type("half a ");
  await openGate();
  // One that is asked for afterwards is there: the cancelled one would be, too.
  using client = await server.connect();
  const { projects } = await client.ask("project:list", { type: "project:list" });
  for (const { id } of projects)
    await client.ask("session:created", { type: "session:create", projectId: id, cliType: "gated" });
  await app.page.keyboard.type("sentence");
  expect(await session.message.inputValue()).toBe("half a sentence");
  expect(await app.tabTitles()).toHaveLength(1);
  await waitFor(
    () => app.rowTitles(),
    (rows) => rows.length >= 2,
    "the other client's session",
  );
  expect(await app.rowTitles()).toHaveLength(2);
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
  expect(await again.status.getAttribute("data-status")).toBe("idle");
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
  expect(await app.tabTitles()).toEqual([first, second]);
  expect((await app.keptTabs()).openTabs).toHaveLength(2);
});
