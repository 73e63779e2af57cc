import { expect, test } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { useChromium } from "../e2e/use-chromium.ts";
import { scriptedAgent } from "../integration/scripted-agent.ts";
import { Talk } from "../integration/talk.ts";
import { roundsOf, seededRandom } from "../support/seeded-random.ts";
import { startTestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { hostileTurn, markOf } from "./hostile-agent.ts";
import { expectOnlyText, readThrough } from "./page-watch.ts";
import { readPayloads } from "./read-payloads.ts";

const PAYLOADS = readPayloads();
/** As many as the list of commands shows at once. */
const BATCH = 50;
/** In full with --rounds 20, else one batch that the seed chooses. */
const CHOSEN = chosenPayloads();
const BATCHES = Array.from({ length: Math.ceil(CHOSEN.length / BATCH) }, (_, batch) => batch * BATCH);
const TITLE_CHARS_MAX = 200;
const FILE_NAME_BYTES_MAX = 200;
const FILES_FOUND = 15;

/** Scripts that run, foreign requests and violations of the policy are reported by the page itself. */
const chromium = useChromium();

function chosenPayloads(): readonly string[] {
  const random = seededRandom("hostile payloads");
  const count = Math.min(PAYLOADS.length, Math.max(BATCH, roundsOf(PAYLOADS.length)));
  return PAYLOADS.map((payload) => ({ payload, order: random.fraction() }))
    .toSorted((a, b) => a.order - b.order)
    .slice(0, count)
    .map(({ payload }) => payload);
}

test("NFR-5 the corpus is large, and none of it is there twice", () => {
  expect(PAYLOADS.length).toBeGreaterThanOrEqual(200);
  expect(new Set(PAYLOADS).size).toBe(PAYLOADS.length);
});

for (const first of BATCHES) {
  const payloads = CHOSEN.slice(first, first + BATCH);
  test(`NFR-5 payloads ${first + 1} to ${first + payloads.length} as message, thought, tool call, path, diff, output, plan, permission, command, link and image`, async () => {
    await using server = await startTestServer({ agents: { scripted: scriptedAgent() } });
    await using app = await chromium.open(server);
    const client = await server.connect();
    const path = await server.directory("demo");
    const { project } = await client.ask("project:added", { type: "project:add", path });
    const { sessionId } = await client.ask("session:created", {
      type: "session:create",
      projectId: project.id,
      cliType: "scripted",
      title: "Hostile",
    });
    await client.ask("session:history", { type: "session:open", sessionId });
    const talk = new Talk(client, project.id, sessionId);
    const session = await app.open("Hostile");
    await talk.send(hostileTurn(payloads, first));
    await talk.asked();
    await session.permission.waitFor();
    await expectOnlyText(app.page);

    await session.message.fill("/");
    const commands = session.frame.getByRole("listbox").getByRole("option");
    await commands.nth(payloads.length - 1).waitFor({ state: "attached" });
    await expectOnlyText(app.page);
    await session.message.press("Escape");
    await session.message.fill("");

    const frame = app.page.frames().find((one) => one !== app.page.mainFrame());
    if (!frame) throw new Error("the session has no frame");
    const shown = await readThrough(frame);
    expect(payloads.map((_, index) => markOf(first + index)).filter((mark) => !shown.includes(mark))).toEqual([]);
    await expectOnlyText(app.page);
    await talk.send(payloads.join("\n"));
    await session.queued.waitFor();
    await expectOnlyText(app.page);
  });
}

test("NFR-5 every payload as the title of a session and the name of an agent", async () => {
  const agents = Object.fromEntries(
    PAYLOADS.map((name, index) => [`a${index}`, { name: name.trim() || "-", command: "/nowhere/agent" }]),
  );
  await using server = await startTestServer({ agents });
  const client = await server.connect();
  const { project } = await client.ask("project:added", {
    type: "project:add",
    path: await server.directory("<img src=x onerror=alert(1)>"),
  });
  for (const payload of PAYLOADS)
    await client.ask("session:created", {
      type: "session:create",
      projectId: project.id,
      cliType: "builtin",
      title: payload.trim().slice(0, TITLE_CHARS_MAX),
    });
  await using app = await chromium.open(server);
  await waitFor(
    () => app.rowTitles(),
    (titles) => titles.length === PAYLOADS.length,
    "a row for every payload",
  );
  await expectOnlyText(app.page);
  for (const row of (await app.projects.locator(".row-link").all()).slice(0, 8)) await row.click();
  await app.shownSession();
  await expectOnlyText(app.page);
  await app.projects.getByRole("button", { name: /^New session in/ }).click();
  const picker = app.dialog("New session");
  await countTo(picker.locator(".agent-name"), PAYLOADS.length);
  await expectOnlyText(app.page);
});

test("NFR-5 every payload that can be one as the name of a file", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  const path = await server.directory("demo");
  const names = PAYLOADS.map((payload) => payload.replaceAll("\0", "").replaceAll("/", "∕")).filter(
    (name) => Buffer.byteLength(name) <= FILE_NAME_BYTES_MAX && name.trim() !== "" && name.isWellFormed(),
  );
  expect(names.length).toBeGreaterThanOrEqual(200);
  await app.addProject(path);
  const session = await app.newSession("demo");
  const options = session.frame.getByRole("listbox", { name: "Files" }).getByRole("option");
  for (let first = 0; first < names.length; first += FILES_FOUND) {
    const folder = join(path, `part-${first}-end`);
    await mkdir(folder);
    const part = names.slice(first, first + FILES_FOUND);
    await Promise.all(part.map((name) => writeFile(join(folder, name), "")));
  }
  for (let first = 0; first < names.length; first += FILES_FOUND) {
    const wanted = names.slice(first, first + FILES_FOUND);
    await session.message.fill(`@part-${first}-end`);
    await waitFor(
      () => options.locator(".completion-label").allTextContents(),
      (shown) => wanted.every((name) => shown.includes(name)),
      `the files ${JSON.stringify(wanted)}`,
    );
    await expectOnlyText(app.page);
  }
});

async function countTo(found: Locator, count: number): Promise<void> {
  await waitFor(
    () => found.count(),
    (seen) => seen >= count,
    `${count} of them`,
  );
}
