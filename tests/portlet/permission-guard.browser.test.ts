import { beforeEach, describe, expect, test } from "bun:test";
import type { PendingPermission } from "../../src/protocol/session-parts.ts";
import { openPortlet, until } from "./open-portlet.ts";
import { history, permission, SESSION, user, WAITING } from "./scene.ts";
import { usePortlet } from "./use-portlet.ts";

const portlet = usePortlet();
const allow = () => portlet.frame.getByRole("button", { name: "Allow once", exact: true });
const waiting = (...pending: readonly PendingPermission[]) =>
  history([user("u", "Run it")], { turn: WAITING, pending: [...pending] });
/** The page that plays the shell answers like a fast server: whoever is answered gives way to the next at once. */
const ANSWER_AT_ONCE = `(() => {
  let seq = 2_000;
  addEventListener("message", ({ data }) => {
    if (data.type !== "permission:respond") return;
    seq += 1;
    post([{ type: "permission:resolved", seq, permissionId: data.permissionId, outcome: { outcome: "selected", optionId: data.optionId } }]);
  });
})()`;
/** Until the card shown can be answered, by its own sign. */
const untilReady = (id: string, frame = portlet.frame) =>
  until(frame, `document.querySelector('[data-permission-id="${id}"] .primary[aria-disabled="false"]') !== null`);
/** Until the card shown has noticed that it moved; while the clock stands still, it then stays so. */
const untilUnready = (id: string) =>
  until(
    portlet.frame,
    `document.querySelector('[data-permission-id="${id}"] .primary[aria-disabled="true"]') !== null`,
  );
/** While the page's clock stands still, nothing settles: how busy the machine is does not matter. */
const stopClock = (frame = portlet.frame) =>
  frame.evaluate("{ const at = performance.now(); performance.now = () => at; }");
const startClock = (frame = portlet.frame) => frame.evaluate("{ delete performance.now; }");
const untilShown = (id: string, frame = portlet.frame) =>
  until(frame, `document.querySelector('[data-permission-id="${id}"]') !== null`);
const answered = async () => (await portlet.said("permission:respond")).map(({ permissionId }) => permissionId);
async function middleOf(target: ReturnType<typeof allow>) {
  const box = await target.boundingBox();
  if (box === null) throw new Error("not drawn");
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** Taps this far apart are not counted as one series. */
const ANOTHER_PLACE_PX = 30;

describe("(S6) a request is answered only after it was drawn in its place for a while", () => {
  beforeEach(() => portlet.page.evaluate(ANSWER_AT_ONCE));

  test("a double click answers one request, and not the next", async () => {
    await portlet.show(
      waiting(permission("p1", "ls"), permission("p2", "rm -rf build"), permission("p3", "rm -rf src")),
    );
    await untilReady("p1");
    const { x, y } = await middleOf(allow());
    await stopClock();
    await portlet.page.mouse.dblclick(x, y, { delay: 5 });
    await untilShown("p2");
    await portlet.page.mouse.click(x, y, { clickCount: 3 });
    expect(await answered()).toEqual(["p1"]);
    await startClock();
    await untilReady("p2");
    await portlet.page.mouse.click(x, y);
    await untilShown("p3");
    expect(await answered()).toEqual(["p1", "p2"]);
  });

  test("a second tap of a finger answers nothing, too", async () => {
    await using touched = await openPortlet({ width: 390, height: 844 }, "dark", true);
    await touched.page.evaluate(ANSWER_AT_ONCE);
    await touched.show(SESSION, waiting(permission("p1", "ls"), permission("p2", "rm -rf build")));
    await untilReady("p1", touched.frame);
    const { x, y } = await middleOf(touched.frame.getByRole("button", { name: "Allow once", exact: true }));
    await stopClock(touched.frame);
    await touched.page.touchscreen.tap(x, y);
    await untilShown("p2", touched.frame);
    await touched.page.touchscreen.tap(x, y);
    expect((await touched.said("permission:respond")).map(({ permissionId }) => permissionId)).toEqual(["p1"]);
    await startClock(touched.frame);
    await untilReady("p2", touched.frame);
    // A tap that the browser still counts with those before is no answer to another request either.
    await touched.page.touchscreen.tap(x + ANOTHER_PLACE_PX, y);
    expect((await touched.heard("permission:respond", 2))["permissionId"]).toBe("p2");
  });

  test.each(["Enter", " "])("the key %j on a focused button does not answer what has just come up", async (key) => {
    await stopClock();
    await portlet.show(waiting(permission("p1", "ls")));
    await allow().focus();
    await portlet.page.keyboard.press(key === " " ? "Space" : key);
    expect(await answered()).toEqual([]);
    await startClock();
    await untilReady("p1");
    await portlet.page.keyboard.press(key === " " ? "Space" : key);
    await portlet.heard("permission:respond");
  });

  test("a request that is replaced under the pointer starts the wait anew", async () => {
    await portlet.show(waiting(permission("p1", "npm test")));
    await untilReady("p1");
    const { x, y } = await middleOf(allow());
    await portlet.page.mouse.move(x, y);
    await stopClock();
    // The same request with another command, and then another request.
    await portlet.show(waiting(permission("p1", "npm exec evil")));
    await portlet.page.mouse.click(x, y);
    await portlet.show(waiting(permission("p2", "rm -rf build")));
    await portlet.page.mouse.click(x, y);
    expect(await answered()).toEqual([]);
    await startClock();
    await untilReady("p2");
    await portlet.page.mouse.click(x, y);
    expect((await portlet.heard("permission:respond"))["permissionId"]).toBe("p2");
  });

  test("a card that moves starts the wait anew, and a press that began before it does not count", async () => {
    await portlet.show(waiting(permission("p1", "npm test")));
    await untilReady("p1");
    await stopClock();
    await portlet.page.setViewportSize({ width: 1_000, height: 700 });
    await untilUnready("p1");
    const { x, y } = await middleOf(allow());
    await portlet.page.mouse.move(x, y);
    await portlet.page.mouse.down();
    await startClock();
    await untilReady("p1");
    await portlet.page.mouse.up();
    expect(await answered()).toEqual([]);
    await portlet.page.mouse.click(x, y);
    await portlet.heard("permission:respond");
    await portlet.page.setViewportSize({ width: 1_000, height: 800 });
  });
});
