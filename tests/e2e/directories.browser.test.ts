import { expect, test } from "bun:test";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import type { AppPage } from "./app-page.ts";
import { axeViolations } from "./axe-violations.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();

/** Presses a key in the moment the list of what was typed is drawn: nothing that follows the drawing undoes it. */
const CHOOSE_AT_FIRST_SIGHT = `new MutationObserver((_, observer) => {
  const field = document.querySelector("dialog input");
  if (field.value !== "in" || document.querySelector("dialog [role=option]") === null) return;
  observer.disconnect();
  field.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true, cancelable: true }));
}).observe(document.body, { childList: true, subtree: true })`;

/** A directory with some in it, and the open dialog. */
async function openDialog(app: AppPage, server: TestServer) {
  const dir = await server.directory("code");
  for (const name of ["apple/core", "apricot/.git", ".cache"]) await mkdir(join(dir, name), { recursive: true });
  await symlink(join(dir, "apple"), join(dir, "link"));
  await app.projects.getByRole("button", { name: "Add project", exact: true }).click();
  const dialog = app.dialog("Add project");
  const field = dialog.getByRole("textbox", { name: "Directory" });
  await field.waitFor();
  const untilPath = (path: string) =>
    waitFor(
      () => field.inputValue(),
      (seen) => seen === path,
      `the path ${path}`,
    );
  return { dir, dialog, field, untilPath };
}

test("TC-1.2a a path is completed by keyboard alone: arrows and Enter take one, Tab takes what all agree on, Enter adds", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  const { dir, dialog, field, untilPath } = await openDialog(app, server);
  const { keyboard } = app.page;
  // Home is there before anything is typed.
  await waitFor(
    () => app.sent("directories:list").map((asked) => asked["path"]),
    (paths) => paths.length > 0 && paths.every((path) => path === "~/"),
    "home to be listed",
  );
  await keyboard.type(`${dir}/a`);
  await dialog.getByRole("option", { name: "apricot" }).waitFor();
  await dialog.getByRole("option", { name: "apple" }).waitFor();
  await keyboard.press("Tab");
  await untilPath(`${dir}/ap`);
  await dialog.getByRole("option", { name: "apple" }).waitFor();
  await keyboard.press("ArrowDown");
  await dialog.getByRole("option", { name: "apple", selected: true }).waitFor();
  const marked = await field.getAttribute("aria-activedescendant");
  await expectSoon(() => dialog.getByRole("option", { selected: true }).getAttribute("id")).toBe(marked);
  expect(await axeViolations(app.page)).toEqual([]);
  await keyboard.press("Enter");
  await untilPath(`${dir}/apple/`);
  await dialog.getByRole("option", { name: "core" }).waitFor();
  await keyboard.press("Enter");
  await dialog.waitFor({ state: "hidden" });
  await app.project("apple").waitFor();
});

test("TC-1.2b what is typed is explained on the way, and Add is never barred by it", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  const { dir, dialog, field } = await openDialog(app, server);
  await field.fill(`${dir}/nowhere`);
  await dialog.getByText("That directory doesn't exist.").waitFor();
  await expectSoon(() => dialog.getByRole("alert").count()).toBe(0);
  await field.fill("code");
  await dialog.getByText("Enter the full path, starting with / or ~.").waitFor();
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await dialog.getByRole("alert").getByText("Enter the full path, starting with / or ~.", { exact: true }).waitFor();
  await field.fill(`${dir}/`);
  await dialog.getByRole("option", { name: "link" }).click();
  await waitFor(
    () => field.inputValue(),
    (seen) => seen === `${dir}/link/`,
    "the link to be taken",
  );
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await dialog.waitFor({ state: "hidden" });
  await app.project("apple").waitFor();
});

test("[X-32] X-15 the arrow opens home, hidden directories come with the dot, Esc leaves the choice first and then the dialog", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  const { dir, dialog, field } = await openDialog(app, server);
  await mkdir(join(server.home, "mine"));
  // A word without a path is looked for in the home directory; a part of a name finds it, too.
  await app.page.evaluate(CHOOSE_AT_FIRST_SIGHT);
  await field.fill("in");
  await dialog.getByRole("option", { name: "mine", selected: true }).waitFor();
  await field.press("ArrowRight");
  await waitFor(
    () => field.inputValue(),
    (seen) => seen === "~/mine/",
    "the directory to be entered",
  );
  await dialog.getByRole("button", { name: "Parent directory" }).click();
  await dialog.getByRole("option", { name: "mine" }).waitFor();
  await field.fill(`${dir}/apple/`);
  await dialog.getByRole("option", { name: "core" }).waitFor();
  await field.press("Alt+ArrowUp");
  await dialog.getByRole("option", { name: "apricot" }).waitFor();
  await dialog.getByRole("button", { name: "Home directory" }).click();
  await dialog.getByRole("option", { name: "mine" }).waitFor();
  await field.fill(`${dir}/`);
  await dialog.getByRole("option", { name: "apricot" }).getByText("git").waitFor();
  await expectSoon(() => dialog.getByRole("option", { name: ".cache" }).count()).toBe(0);
  await field.fill(`${dir}/.`);
  await dialog.getByRole("option", { name: ".cache" }).waitFor();
  await field.press("ArrowUp");
  await dialog.getByRole("option", { name: ".cache", selected: true }).waitFor();
  await field.press("Escape");
  await dialog.getByRole("option", { name: ".cache", selected: false }).waitFor();
  await field.press("Escape");
  await dialog.waitFor({ state: "hidden" });
});
