import { expect, test } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { gradientPng } from "../../builtin-agent/skills/media.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import type { AppPage } from "./app-page.ts";
import { axeViolations } from "./axe-violations.ts";
import type { SessionView } from "./session-view.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();
const PNG = gradientPng(3, 2);

async function openSession(app: AppPage, server: TestServer): Promise<SessionView> {
  const path = await server.directory("demo");
  await mkdir(join(path, "src/web"), { recursive: true });
  for (const file of ["README.md", "src/main.ts", "src/web/composer.tsx", "hidden.log"])
    await writeFile(join(path, file), "x");
  await writeFile(join(path, ".gitignore"), "*.log\n");
  await app.addProject(path);
  return app.newSession("demo");
}

/** As the browser does it: a paste or a drop with these files. */
async function give(place: Locator, kind: "paste" | "drop", name: string, type: string, base64: string): Promise<void> {
  await place.evaluate(
    (element, given) => {
      const bytes = Uint8Array.from(atob(given.base64), (letter) => letter.charCodeAt(0));
      const data = new DataTransfer();
      data.items.add(new File([bytes], given.name, { type: given.type }));
      const init = { bubbles: true, cancelable: true };
      element.dispatchEvent(
        given.kind === "paste"
          ? new ClipboardEvent("paste", { ...init, clipboardData: data })
          : new DragEvent("drop", { ...init, dataTransfer: data }),
      );
    },
    { kind, name, type, base64 },
  );
}

test("X-7 @ finds files of the project by keyboard; choosing sends nothing, and the link reaches the agent", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  const session = await openSession(app, server);
  const options = session.frame.getByRole("listbox", { name: "Files" }).getByRole("option");
  await session.message.pressSequentially("see @comp");
  await options.filter({ hasText: "composer.tsx" }).waitFor();
  await expectSoon(() => session.frame.getByRole("option", { name: /hidden/ }).count()).toBe(0);
  await expectSoon(() => session.message.getAttribute("aria-activedescendant")).toBe("completion-0");
  expect(await axeViolations(app.page)).toEqual([]);
  await session.message.press("Enter");
  await session.untilDraft("see @src/web/composer.tsx ");
  await expectSoon(() => options.count()).toBe(0);
  expect(app.sent("session:send")).toEqual([]);
  await session.message.press("Enter");
  await session.untilSaid("a link to src/web/composer.tsx");
  await session.entries("user").getByText("src/web/composer.tsx", { exact: true }).waitFor();
});

test("X-7 a mention by mouse; Escape closes the list and cancels nothing; a deleted mention is not sent", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  const session = await openSession(app, server);
  await session.message.pressSequentially("@main");
  await session.frame.getByRole("option", { name: /main\.ts/ }).click();
  await session.untilDraft("@src/main.ts ");
  await session.message.fill("sleep");
  await session.message.press("Enter");
  await session.untilSaid("Sleeping");
  expect(JSON.stringify(app.sent("session:send"))).not.toContain("main.ts");
  await session.message.pressSequentially("@READ");
  await session.frame.getByRole("option", { name: /README/ }).waitFor();
  for (const _ of [1, 2]) await session.message.press("Escape");
  await session.frame.getByText("Press Esc again to cancel").waitFor();
  await expectSoon(() => session.frame.getByRole("listbox", { name: "Files" }).count()).toBe(0);
  expect(app.sent("session:cancel")).toEqual([]);
});

test("X-7 a deleted mention is no chip, and is not sent after a reload (A11)", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  const session = await openSession(app, server);
  await session.message.pressSequentially("@main");
  await session.frame.getByRole("option", { name: /main\.ts/ }).click();
  await session.untilDraft("@src/main.ts ");
  const keptWith = (count: number) =>
    waitFor(
      async () => app.sent("session:draft").at(-1)?.["attachments"],
      (attachments) => Array.isArray(attachments) && attachments.length === count,
      `a kept draft with ${count} attachments`,
    );
  await keptWith(1);
  await session.message.fill("echo nothing but words");
  await keptWith(0);
  const chips = session.frame.getByRole("list", { name: "Attachments" });
  await expectSoon(() => chips.count()).toBe(0);
  await app.refresh();
  const again = await app.shownSession();
  await again.untilDraft("echo nothing but words");
  await expectSoon(() => chips.count()).toBe(0);
  await again.message.press("Enter");
  await again.entries("user").waitFor();
  expect(JSON.stringify(app.sent("session:send"))).not.toContain("main.ts");
});

test("X-7 / lists the agent's commands at the start of a message only; Tab completes and the hint stays", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  const session = await openSession(app, server);
  const options = session.frame.getByRole("listbox", { name: "Commands" }).getByRole("option");
  await session.message.pressSequentially("/sear");
  await options.first().waitFor();
  await expectSoon(() => options.allInnerTexts()).toHaveLength(1);
  await session.message.press("Tab");
  await session.untilDraft("/search ");
  await session.frame.getByRole("note").filter({ hasText: "/search <text>" }).waitFor();
  await session.message.fill("say /sear");
  await session.message.press("End");
  await session.message.press("Enter");
  await session.untilSaid("built-in guide");
  await expectSoon(() => options.count()).toBe(0);
});

test("X-7 images by paste, files by drop and by the button: shown, removable, kept as a draft, and delivered", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  const session = await openSession(app, server);
  const strip = session.frame.getByRole("list", { name: "Attachments" });
  await session.button("Attach files").waitFor();
  await give(session.message, "paste", "dot.png", "image/png", PNG.toString("base64"));
  await strip.getByRole("img", { name: "dot.png" }).waitFor();
  await give(session.transcript, "drop", "notes.txt", "text/plain", Buffer.from("hello notes").toString("base64"));
  await strip.getByText("notes.txt").waitFor();
  await session.frame
    .locator("input[type=file]")
    .setInputFiles([{ name: "film.mp4", mimeType: "video/mp4", buffer: Buffer.from("x") }]);
  await session.frame.getByRole("alert").filter({ hasText: "film.mp4 was not attached" }).waitFor();
  await session.frame
    .locator("input[type=file]")
    .setInputFiles([{ name: "two.png", mimeType: "image/png", buffer: PNG }]);
  await session.button("Remove two.png").click();
  await strip.getByRole("img", { name: "two.png" }).waitFor({ state: "detached" });
  expect(await axeViolations(app.page)).toEqual([]);

  await using there = await chromium.open(server);
  const other = await there.open("New Session");
  await other.frame.getByRole("list", { name: "Attachments" }).getByRole("img", { name: "dot.png" }).waitFor();
  await session.message.fill("look");
  await session.message.press("Enter");
  await session.untilSaid("an image of 3 x 2 pixels");
  await session.untilSaid("notes.txt with 11 characters");
  await session.entries("user").getByRole("button", { name: "Enlarge image: dot.png" }).waitFor();
  await other.frame.getByRole("list", { name: "Attachments" }).waitFor({ state: "detached" });
});

test("X-6 earlier messages come back with the arrow keys, and Edit and resend takes any of them", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  const session = await openSession(app, server);
  await session.ask("stream 1 words", "w1");
  await session.ask("stream 2 words", "w2");
  await session.message.press("ArrowUp");
  await session.untilDraft("stream 2 words");
  await session.message.press("ArrowUp");
  await session.untilDraft("stream 1 words");
  await session.message.press("ArrowDown");
  await session.untilDraft("stream 2 words");
  await session.message.press("ArrowDown");
  await session.untilDraft("");
  const edit = session.entries("user").first().getByRole("button", { name: "Edit and resend" });
  await edit.focus();
  await edit.press("Enter");
  const editor = session.frame.getByRole("group", { name: "Edit message" });
  await editor.getByRole("textbox", { name: "Edited message" }).press("End");
  await app.page.keyboard.type(" at 100/s");
  await app.page.keyboard.press("Shift+Alt+Enter");
  await session.untilIdle();
  await session.entries("user").nth(2).getByText("stream 1 words at 100/s").waitFor();
});
