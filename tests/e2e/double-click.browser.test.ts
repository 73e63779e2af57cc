import { expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { rawHttp } from "../integration/raw-http.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { loadedFrames } from "./loaded-frames.ts";
import { useChromium } from "./use-chromium.ts";

const RULES = 30;
const chromium = useChromium();

/** Which button a click at this place would meet, in whichever frame. */
function buttonAt(page: Page, at: { readonly x: number; readonly y: number }): Promise<string> {
  return page.evaluate(({ x, y }) => {
    let met = document.elementFromPoint(x, y);
    if (met instanceof HTMLIFrameElement) {
      const { left, top } = met.getBoundingClientRect();
      met = met.contentDocument?.elementFromPoint(x - left, y - top) ?? null;
    }
    const button = met?.closest("button");
    return button?.getAttribute("aria-label") ?? button?.textContent ?? "";
  }, at);
}

/** Notes the clicks that get through to the page, in every frame. */
async function noteClicks(page: Page): Promise<void> {
  for (const frame of await loadedFrames(page))
    await frame.evaluate(() => {
      const shell = window.top ?? window;
      Reflect.set(shell, "clicks", []);
      document.addEventListener("click", ({ detail }) => Reflect.get(shell, "clicks").push(detail));
    });
}

const clicksNoted = (page: Page): Promise<number[]> => page.evaluate(() => Reflect.get(window, "clicks").splice(0));

/** Text that was in one place for so many animation frames has come to rest. */
const FRAMES_AT_REST = 10;

/** A page that still loads moves its buttons: users only aim when it is still. */
function untilAtRest(control: Locator): Promise<void> {
  return control.evaluate((button, framesAtRest) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = (before: string, still: number) => {
      if (still === framesAtRest) return resolve();
      const { x, y } = button.getBoundingClientRect();
      const now = `${x} ${y}`;
      requestAnimationFrame(() => look(now, now === before ? still + 1 : 0));
    };
    look("", 0);
    return promise;
  }, FRAMES_AT_REST);
}

/** Presses as a person does who clicks twice; the page's reaction to the first click comes in between. */
async function clickTwice(page: Page, control: Locator, hasReacted: (met: string) => Promise<boolean>): Promise<void> {
  await control.hover();
  await untilAtRest(control);
  const box = await control.boundingBox();
  if (!box) throw new Error("the control is not in view");
  const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const press = async (clickCount: number) => {
    await page.mouse.down({ clickCount });
    await page.mouse.up({ clickCount });
  };
  await press(1);
  await waitFor(
    async () => hasReacted(await buttonAt(page, at)),
    (reacted) => reacted,
    `another button to take the place of ${control}`,
  );
  await press(2);
}

test("X-16 (A7) the second click of a double click meets nothing that slid under the pointer, and a held key confirms nothing", async () => {
  await using server = await startTestServer();
  for (const phone of ["iPhone", "iPad"]) {
    const headers = {
      "User-Agent": `Mozilla/5.0 (${phone}; like Mac OS X) Version/18.0 Safari/604.1`,
      Accept: "text/html",
    };
    await rawHttp(server.port, { path: `/?token=${server.token}`, headers });
  }
  const client = await server.connect();
  const path = await server.directory("demo");
  const { project } = await client.ask("project:added", { type: "project:add", path });
  const create = { type: "session:create", projectId: project.id, cliType: "builtin" } as const;
  for (const title of ["three", "two", "one"]) await client.ask("session:created", { ...create, title });
  const { sessionId } = await client.ask("session:created", { ...create, title: "busy" });
  const rule = (command: string) => ({ effect: "allow", kind: "execute", command, exact: true }) as const;
  // As many as make the dialog scroll: a shorter one stays centred, and its rows move by half their height.
  const add = Array.from({ length: RULES }, (_, index) => rule(`make ${index}`));
  await client.ask("policy:state", { type: "policy:set", scope: "session", sessionId, add });

  await using app = await chromium.open(server);
  const session = await app.open("busy");
  await session.say("sleep");
  await session.untilSaid("Sleeping");
  for (const content of ["first", "second"]) await session.say(content);
  await session.queued.nth(1).waitFor();
  const files = ["a.txt", "b.txt"].map((name) => ({ name, mimeType: "text/plain", buffer: Buffer.from(name) }));
  await session.frame.locator("input[type=file]").setInputFiles(files);
  await session.button("Remove b.txt").waitFor();
  await noteClicks(app.page);
  const { page } = app;
  const [settings, permissions, agents] = [app.dialog("Settings"), app.dialog("Permissions"), app.agents];
  const revoke = settings.getByRole("button", { name: /^Revoke Safari/ });
  const rules = permissions.getByRole("button", { name: /^Delete rule/ });

  const table: readonly {
    readonly control: Locator;
    readonly open?: () => Promise<void>;
    /** What takes its place. */
    readonly becomes: RegExp;
    /** How many there are of what it destroys, and how many after one click. */
    readonly count: () => Promise<number>;
    readonly left: number;
  }[] = [
    {
      control: session.button("Remove queued message").last(),
      becomes: /^Remove queued message$/,
      count: () => session.queued.count(),
      left: 1,
    },
    {
      control: session.button("Remove a.txt"),
      becomes: /^Remove b\.txt$/,
      count: () => session.frame.getByRole("button", { name: /^Remove [ab]\.txt$/ }).count(),
      left: 1,
    },
    {
      control: app.projects.getByRole("button", { name: "Archive one", exact: true }),
      becomes: /^Archive two$/,
      count: async () => (await app.rowTitles()).length,
      left: 3,
    },
    {
      open: () => page.getByRole("button", { name: "Settings" }).click(),
      control: revoke.first(),
      becomes: /^Revoke Safari/,
      count: () => revoke.count(),
      left: 1,
    },
    {
      open: () => session.button("Permissions").click(),
      control: rules.first(),
      becomes: /^Delete rule/,
      count: () => rules.count(),
      left: RULES - 1,
    },
    {
      open: async () => {
        await page.getByRole("button", { name: "Settings" }).click();
        await settings.getByRole("button", { name: "Agents and tool servers…" }).click();
      },
      control: agents.getByRole("button", { name: /^Restart / }).first(),
      becomes: /^Restart now$/,
      count: () => agents.getByRole("button", { name: "Restart now" }).count(),
      left: 1,
    },
  ];
  for (const { open, control, becomes, count, left } of table) {
    await open?.();
    await clicksNoted(page);
    await clickTwice(page, control, async (met) => becomes.test(met) && (await count()) === left);
    expect({ becomes, clicks: await clicksNoted(page) }).toEqual({ becomes, clicks: [1] });
    expect({ becomes, left: await count() }).toEqual({ becomes, left });
    if (open) await page.keyboard.press("Escape");
  }

  // A control that stays what it is takes both clicks.
  const toggle = app.projects.getByRole("button", { name: "Show archived in demo" });
  await toggle.dblclick();
  expect(await clicksNoted(page)).toEqual([1, 2]);

  // What costs the way in asks, and its place is taken by nothing.
  await page.getByRole("button", { name: "Settings" }).click();
  await settings.getByRole("button", { name: "Sign out this browser" }).dblclick();
  await settings.getByRole("group", { name: "Sign out this browser" }).waitFor();
  await settings.getByRole("button", { name: "Stay signed in" }).click();
  await settings.getByText("this one").waitFor();
  await page.keyboard.press("Escape");

  await app.projects.getByRole("button", { name: "Remove demo", exact: true }).focus();
  await page.keyboard.down("Enter");
  const question = app.dialog("Remove demo?");
  await question.getByRole("button", { name: "Remove project" }).and(page.locator(":focus")).waitFor();
  await page.keyboard.down("Enter");
  await page.keyboard.up("Enter");
  await expectSoon(() => question.isVisible()).toBe(true);
  expect(app.sent("project:remove")).toEqual([]);
  await page.keyboard.press("Enter");
  await question.waitFor({ state: "detached" });
});
