import { expect, test } from "bun:test";
import { axeViolations } from "../e2e/axe-violations.ts";
import type { SessionView } from "../e2e/session-view.ts";
import { useChromium } from "../e2e/use-chromium.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { CODEX_THREAD, holdCodexThread, SCRIPTED_CODEX } from "../support/scripted-codex.ts";
import { startTestServer } from "../support/test-server.ts";

const chromium = useChromium();

const cardOf = ({ frame }: SessionView) => frame.getByRole("region", { name: "Open in another program" });

test("[CV-1] a message to a conversation that another program has open stays in the composer; the card shows which program has it and sends the message when it is closed there", async () => {
  await using server = await startTestServer({ env: SCRIPTED_CODEX });
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const session = await app.newSession("demo", "Codex");
  await session.ask("Say one", "The first answer.");
  const card = cardOf(session);
  {
    await using terminal = await holdCodexThread(server);
    await session.message.fill("Say two");
    await session.message.press("Enter");
    await card.getByText(`codex (process ${terminal.pid}) has this conversation open.`).waitFor();
    await expectSoon(() => session.message.inputValue()).toBe("Say two");
    await expectSoon(() => session.entries("user").count()).toBe(1);
    expect(await axeViolations(app.page)).toEqual([]);
    await card.getByRole("button", { name: "Follow" }).click();
    await card.getByRole("button", { name: "Follow", pressed: true }).waitFor();
    await card.getByRole("button", { name: "Send when closed" }).click();
    await card.getByRole("button", { name: "Stop waiting" }).waitFor();
    await card.getByText("Your message is sent as soon as it is closed there.").waitFor();
    await expectSoon(() => session.message.inputValue()).toBe("");
    await expectSoon(() => session.queued.count()).toBe(1);
    expect(await axeViolations(app.page)).toEqual([]);
  }
  await session.untilSaid("The second answer.");
  await card.waitFor({ state: "detached" });
  await expectSoon(() => session.entries("user").count()).toBe(2);
});

test("[CV-7] Continue in a terminal shows the command, and the composer shows that until the next message", async () => {
  await using server = await startTestServer({ env: SCRIPTED_CODEX });
  await using app = await chromium.open(server);
  const directory = await server.directory("demo");
  await app.addProject(directory);
  const session = await app.newSession("demo", "Codex");
  await session.ask("Say one", "The first answer.");
  await app.page.keyboard.press("Alt+Shift+H");
  const dialog = app.page.getByRole("dialog");
  const command = `cd ${directory} && codex resume ${CODEX_THREAD}`;
  await dialog.getByText(command).waitFor();
  expect(await axeViolations(app.page)).toEqual([]);
  await dialog.getByRole("button", { name: "Close", exact: true }).last().click();
  const away = session.frame.getByRole("region", { name: "Continues in a terminal" });
  await away.getByText(command).waitFor();
  await expectSoon(() => session.button("Continue in a terminal").count()).toBe(0);
  expect(await axeViolations(app.page)).toEqual([]);
  await session.ask("Say two", "The second answer.");
  await away.waitFor({ state: "detached" });
});

test("[CV-7] a hand-back asks before it stops a turn; no leaves it running", async () => {
  await using server = await startTestServer({ env: SCRIPTED_CODEX });
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("demo"));
  const session = await app.newSession("demo", "Codex");
  await session.say("Begin");
  await session.untilSaid("Begun.");
  await session.button("Continue in a terminal").click();
  const dialog = app.page.getByRole("dialog");
  await dialog.getByText("Codex is still working.").waitFor();
  await dialog.getByRole("button", { name: "Cancel", exact: true }).click();
  expect(app.sent("session:handback")).toEqual([]);
  await expectSoon(() => session.cancel.isVisible()).toBe(true);
  await session.button("Continue in a terminal").click();
  await dialog.getByRole("button", { name: "Stop and continue there" }).click();
  await dialog.getByText(`codex resume ${CODEX_THREAD}`).waitFor();
});
