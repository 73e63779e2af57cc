import { expect, test } from "bun:test";
import { PermissionId } from "../../src/protocol/ids.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { until } from "./open-portlet.ts";
import { Facts, history, permission, RUNNING, tool, user, WAITING } from "./scene.ts";
import { usePortlet } from "./use-portlet.ts";

const COMMAND = "docker compose -f load/compose.yml up --scale consumer=4";

const portlet = usePortlet();
const facts = new Facts();

const card = () => portlet.frame.getByRole("group", { name: "Permission request" });
const waiting = (...ids: readonly string[]) => {
  const call = tool(`call-${ids[0]}`, COMMAND, { status: "running", kind: "execute", input: { command: COMMAND } });
  return history([user("u", "Run it"), call], { turn: WAITING, pending: ids.map((id) => permission(id, COMMAND)) });
};
const resolved = (id: string) => ({
  type: "permission:resolved" as const,
  seq: facts.next(),
  permissionId: PermissionId.parse(id),
  outcome: { outcome: "selected" as const, optionId: "once" },
});
/** Presses A in the very moment in which the card is drawn. */
const KEY_WITH_THE_CARD = `new Promise((done) =>
  new MutationObserver((_, watch) => {
    if (document.querySelector("[data-permission-id]") === null) return;
    watch.disconnect();
    const log = document.querySelector("[role=log]");
    log.dispatchEvent(new KeyboardEvent("keydown", { key: "a", code: "KeyA", bubbles: true, cancelable: true }));
    done();
  }).observe(document.body, { childList: true, subtree: true }))`;
/** Types a letter where the cursor is, in the very moment in which the card is taken away. */
const LETTER_AS_THE_CARD_GOES = `new Promise((done) =>
  new MutationObserver((_, watch) => {
    if (document.querySelector("[data-permission-id]") !== null) return;
    watch.disconnect();
    document.execCommand("insertText", false, "!");
    done();
  }).observe(document.body, { childList: true, subtree: true }))`;
/** A card catches no key in its first moment; by its own sign, this is the end of it. */
const pastTheGuard = (id: string) =>
  until(
    portlet.frame,
    `document.querySelector('[data-permission-id="${id}"] .primary[aria-disabled="false"]') !== null`,
  );

test("[W-8] the exact command is in view with the agent's own options in its order; a click answers", async () => {
  await portlet.show(waiting("p1"));
  await expectSoon(() => card().locator(".ask-command").textContent()).toBe(COMMAND);
  const options = card().getByRole("button");
  await expectSoon(() => options.allTextContents()).toEqual(["Allow onceA", "Always allow", "DenyD"]);
  await expectSoon(() =>
    card().getByRole("button", { name: "Allow once", exact: true }).getAttribute("class"),
  ).toContain("primary");
  await expectSoon(() => portlet.frame.locator('[data-entry-id="call-p1"]').textContent()).toContain("waiting for you");
  await card().getByRole("button", { name: "Always allow" }).click();
  expect(await portlet.heard("permission:respond")).toMatchObject({ permissionId: "p1", optionId: "always" });
});

test("[W-8] A allows and D denies, but not in the first moment and not while typing", async () => {
  const early = portlet.frame.evaluate(KEY_WITH_THE_CARD);
  await portlet.show(waiting("p1"));
  await early;
  await pastTheGuard("p1");
  expect(await portlet.said("permission:respond")).toEqual([]);
  await portlet.frame.getByRole("textbox", { name: "Message" }).press("a");
  expect(await portlet.said("permission:respond")).toEqual([]);
  await expectSoon(() => portlet.frame.getByRole("textbox", { name: "Message" }).inputValue()).toBe("a");
  await portlet.frame.getByRole("log").press("a");
  expect(await portlet.heard("permission:respond")).toMatchObject({ permissionId: "p1", optionId: "once" });
  await portlet.show(waiting("p2"));
  await pastTheGuard("p2");
  await portlet.frame.getByRole("log").press("d");
  expect(await portlet.heard("permission:respond", 2)).toMatchObject({ permissionId: "p2", optionId: "no" });
});

test("[X-2] an answer given anywhere takes the card away, and the next request takes its place", async () => {
  await portlet.show(waiting("p1", "p2"));
  await expectSoon(() => card().count()).toBe(1);
  await expectSoon(() => card().textContent()).toContain("1 of 2");
  await portlet.show(resolved("p1"));
  await expectSoon(() => card().getAttribute("data-permission-id")).toBe("p2");
  await portlet.show(resolved("p2"), facts.turn(RUNNING));
  await expectSoon(() => card().count()).toBe(0);
});

test("[W-8] a change is shown as a diff before it is allowed", async () => {
  const asked = permission("p1", "x");
  const paths = ["/home/ada/atlas-api/src/a.ts", "/home/ada/atlas-api-old/a.ts"];
  const parts = paths.map((path) => ({ type: "diff" as const, path, oldText: "one\n", newText: "two\n" }));
  const toolCall = { toolCallId: "t", name: `Edit ${paths[0]}`, kind: "edit", parts };
  await portlet.show(history([user("u", "Edit")], { turn: WAITING, pending: [{ ...asked, toolCall }] }));
  await expectSoon(() => card().getByRole("heading").textContent()).toBe("Make this change?");
  await until(portlet.frame, 'document.querySelector(".ask tr.add") !== null');
  await expectSoon(() => card().locator("tr.del, tr.add").allTextContents()).toEqual(["one", "two", "one", "two"]);
  await expectSoon(() => card().locator(".ask-what").textContent()).toBe("Edit src/a.ts");
  // What is inside the session's directory is relative to it, and nothing else is.
  await expectSoon(() => card().locator(".path").allTextContents()).toEqual(["src/a.ts", paths[1] ?? ""]);
  await expectSoon(() => card().locator(".path").first().getAttribute("title")).toBe(paths[0] ?? null);
});

test("[W-8] (D13) a letter typed at the moment the reason's field closes is added after the reason, in the composer", async () => {
  await portlet.show(waiting("p1"));
  await portlet.frame.getByRole("log").press("Shift+D");
  await portlet.frame.getByRole("textbox", { name: "Reason for the agent" }).pressSequentially("half a reason");
  const typed = portlet.frame.evaluate(LETTER_AS_THE_CARD_GOES);
  await portlet.show(resolved("p1"));
  await typed;
  await portlet.show(facts.turn(RUNNING));
  await expectSoon(() => portlet.frame.getByRole("textbox", { name: "Message" }).inputValue()).toBe("half a reason!");
});
