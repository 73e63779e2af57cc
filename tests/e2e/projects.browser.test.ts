import { expect, test } from "bun:test";
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer } from "../support/test-server.ts";
import type { AppPage } from "./app-page.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();

/** Opens the dialog, unless the last try left it open, and tries a path in it. */
async function tryPath(app: AppPage, path: string, isOpen = false) {
  if (!isOpen) await app.projects.getByRole("button", { name: "Add project", exact: true }).click();
  const dialog = app.dialog("Add project");
  await dialog.getByRole("textbox", { name: "Directory" }).fill(path);
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  return dialog;
}

test("TC-1.1b with no project, the sidebar invites the user to add one", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  const path = await server.directory("first");
  const invitation = app.projects.getByText("Projects you add appear here");
  await invitation.waitFor();
  await app.projects.getByRole("button", { name: "Add your first project" }).click();
  const dialog = await tryPath(app, path, true);
  await dialog.waitFor({ state: "hidden" });
  await app.project("first").waitFor();
  await expectSoon(() => invitation.count()).toBe(0);
});

test("TC-1.1a projects are in the order they were added, labelled with the directory's name", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  const names = ["zebra", "apple", "mango"];
  for (const name of names) await app.addProject(await server.directory("in", name));
  await expectSoon(() => app.projectNames()).toEqual(names);
  await app.refresh();
  await app.project("mango").waitFor();
  await expectSoon(() => app.projectNames()).toEqual(names);
  for (const name of names) await expectSoon(() => app.project(name).isVisible()).toBe(true);
});

test("TC-1.2b a path that is missing, relative or no directory is refused in words; nothing is added", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  const path = await server.directory("place");
  await writeFile(join(path, "file"), "");
  const refused = [
    [join(path, "missing"), "That directory doesn't exist."],
    ["place", "Enter the full path, starting with / or ~."],
    [join(path, "file"), "That is a file, not a directory."],
  ] as const;
  for (const [wrong, reason] of refused) {
    const dialog = await tryPath(app, wrong);
    await dialog.getByRole("alert").getByText(reason, { exact: true }).waitFor();
    await expectSoon(() => app.projectNames()).toEqual([]);
    await dialog.getByRole("textbox", { name: "Directory" }).press("Escape");
    await dialog.waitFor({ state: "hidden" });
  }
  await expectSoon(() => app.projects.getByText("Projects you add appear here").isVisible()).toBe(true);
});

test("TC-1.2c cancelling the dialog adds nothing and sends nothing, by button, by key and by its cross", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  const path = await server.directory("never");
  const sentBefore = app.sent().length;
  for (const leave of ["Cancel", "Close", "Escape"]) {
    await app.projects.getByRole("button", { name: "Add project", exact: true }).click();
    const dialog = app.dialog("Add project");
    await dialog.getByRole("textbox", { name: "Directory" }).fill(path);
    if (leave === "Escape") await app.page.keyboard.press("Escape");
    else await dialog.getByRole("button", { name: leave, exact: true }).click();
    await dialog.waitFor({ state: "hidden" });
  }
  const other = await server.directory("wanted");
  await app.addProject(other);
  await app.project("wanted").waitFor();
  const acted = app
    .sent()
    .slice(sentBefore)
    .filter(({ type }) => !["directories:list", "agent:options", "place:list"].includes(type)); // they only look
  expect(acted[0]).toMatchObject({ type: "project:add", path: other });
  expect(app.sent("project:add")).toHaveLength(1);
  await expectSoon(() => app.projectNames()).toEqual(["wanted"]);
});

test("TC-1.2d the same directory by another spelling is refused: Project already exists.", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  const path = await server.directory("once");
  const link = join(await server.directory("links"), "elsewhere");
  await symlink(path, link);
  await app.addProject(path);
  for (const spelling of [path, `${path}/`, `${path}/../once`, link]) {
    const dialog = await tryPath(app, spelling);
    await dialog.getByRole("alert").getByText("Project already exists.").waitFor();
    await app.page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
  }
  await expectSoon(() => app.projectNames()).toEqual(["once"]);
});

test("TC-1.2a TC-1.3a a removed directory loses no file, and added again it has its sessions back", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  const path = await server.directory("kept");
  await writeFile(join(path, "notes.md"), "still here\n");
  await app.addProject(path);
  const session = await app.newSession("kept");
  await session.ask("stream 3 words", "w1 w2 w3");
  await app.removeProject("kept");
  await expectSoon(() => app.rowTitles()).toEqual([]);
  await expectSoon(() => Bun.file(join(path, "notes.md")).text()).toBe("still here\n");
  await app.addProject(`${path}/`);
  const again = await app.open("stream 3 words");
  expect(again.id).toBe(session.id);
  await again.untilSaid("w1 w2 w3");
});

test("TC-1.3b removing a project closes its open tabs and no others", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server);
  await app.addProject(await server.directory("stays"));
  await app.addProject(await server.directory("goes"));
  for (const [project, words] of [
    ["goes", 1],
    ["stays", 2],
    ["goes", 3],
  ] as const) {
    const session = await app.newSession(project);
    await session.ask(`stream ${words} words`, `w${words}`);
  }
  await app.untilTabs("stream 1 words", "stream 2 words", "stream 3 words");
  await app.removeProject("goes");
  await app.untilTabs("stream 2 words");
  await app.tab("stream 2 words").and(app.activeTab).waitFor();
  expect((await app.keptTabs()).openTabs).toHaveLength(1);
});

test("TC-1.4a collapsing hides the project's sessions; TC-1.4b the state survives a restart", async () => {
  await using server = await startTestServer();
  await using app = await chromium.open(server, { losesServer: true });
  await app.addProject(await server.directory("folded"));
  await app.addProject(await server.directory("open"));
  await (await app.newSession("folded")).ask("stream 1 words", "w1");
  await (await app.newSession("open")).ask("stream 2 words", "w2");
  await app.project("folded").click();
  await app.untilRows("stream 2 words");
  await expectSoon(() =>
    app.projects.getByRole("button", { name: "folded", exact: true }).getAttribute("aria-expanded"),
  ).toBe("false");
  await server.stop();
  await server.start();
  await app.refresh();
  await app.untilRows("stream 2 words");
  await app.project("folded").click();
  await app.untilRows("stream 1 words", "stream 2 words");
});
