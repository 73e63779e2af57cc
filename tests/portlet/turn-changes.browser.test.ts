import { expect, test } from "bun:test";
import { CheckpointId } from "../../src/protocol/changes.ts";
import { ChangesEntry, NoticeEntry } from "../../src/protocol/entry.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { assistant, Facts, history, IDLE, RUNNING, TURN, user } from "./scene.ts";
import { usePortlet } from "./use-portlet.ts";

const portlet = usePortlet();
const facts = new Facts();

const AT = "2026-01-15T09:00:00.000Z";
const file = (path: string) => ({ path, status: "modified", added: 3, removed: 1 });
const changes = (more: object = {}) =>
  ChangesEntry.parse({
    type: "changes",
    entryId: "c",
    turnId: TURN,
    content: "2 files changed, +6 −2",
    before: "before-1",
    after: "after-1",
    total: 2,
    added: 6,
    removed: 2,
    files: [file("src/a.ts"), file("src/<b>bold</b>.ts")],
    timestamp: AT,
    ...more,
  });
const line = () => portlet.frame.getByRole("group", { name: "Changes of this turn" });

test("the line of a turn expands to its files, shows its notes, and links to the restore and to the review", async () => {
  const leftOut = [{ path: "big.bin", reason: "too large" }];
  const entry = changes({ total: 60, late: true, shared: true, leftOut });
  await portlet.show(history([user("u", "Cap it"), assistant("a", "Done."), entry], { turn: IDLE }));
  expect((await line().textContent())?.replace(/\s+/g, " ")).toBe(
    "60 files +6 −2·Review·Restore·taken late·shared·1 left out",
  );
  await line().getByRole("button", { expanded: false }).press("Enter");
  const article = portlet.frame.locator('article[data-entry-id="c"]');
  await expectSoon(() => article.locator(".changes-file .file-path").allTextContents()).toEqual([
    "src/a.ts",
    "src/<b>bold</b>.ts",
  ]);
  await expectSoon(() => article.locator("b").count()).toBe(0);
  for (const words of [
    "and 58 more",
    "was not stored in time",
    "Another session worked here too",
    "too large for a checkpoint",
  ])
    await article.getByText(words).waitFor();
  await line().getByRole("button", { name: "Restore files to before this turn" }).press("Enter");
  expect(await portlet.heard("portlet:restore")).toEqual({
    type: "portlet:restore",
    checkpointId: CheckpointId.parse("before-1"),
    message: "Cap it",
  });
  await article.getByRole("button", { name: /src\/a\.ts/ }).press("Enter");
  await portlet.frame.getByRole("complementary", { name: "Changes" }).waitFor();
});

test("a restore can be undone from its notice; a failure is shown beside the button, which keeps the focus", async () => {
  const notice = NoticeEntry.parse({
    type: "notice",
    entryId: "n",
    severity: "info",
    content: "Restored 2 files.",
    restore: { to: "before-1", safety: "safety-1", undoId: "undo-1", files: 2 },
  });
  await portlet.show(history([user("u", "Cap it"), notice], { turn: IDLE }));
  const undo = portlet.frame.getByRole("button", { name: "Undo this restore" });
  await undo.press("Enter");
  const asked = await portlet.heard("portlet:request");
  expect(asked).toMatchObject({ command: { type: "changes:undo", undoId: "undo-1" } });
  const refusal = { code: "WORKDIR_BUSY", message: "An agent is working here." };
  await portlet.show({ type: "portlet:answer", id: Number(asked["id"]), refusal });
  await expectSoon(() => portlet.frame.getByRole("alert").textContent()).toBe("An agent is working here.");
  expect(await undo.evaluate((button) => button === document.activeElement)).toBe(true);
  await undo.press("Enter");
  const again = await portlet.heard("portlet:request", 2);
  await portlet.show({ type: "portlet:answer", id: Number(again["id"]), answer: { type: "ok" } });
  await portlet.frame.getByText("Undone", { exact: true }).waitFor();
  await expectSoon(() => undo.isVisible()).toBe(false);
});

test("the line that comes after a long answer does not move the reader away from its beginning", async () => {
  const long = Array.from({ length: 80 }, (_, index) => `Paragraph ${index}.`).join("\n\n");
  await portlet.show(history([user("u", "Ask")], { turn: RUNNING }));
  await portlet.show(facts.update(assistant("a", long)));
  const top = () => portlet.frame.getByRole("log").evaluate((log) => log.scrollTop);
  const before = await top();
  await portlet.show(facts.turn(IDLE), facts.update(changes()));
  expect(await top()).toBe(before);
});
