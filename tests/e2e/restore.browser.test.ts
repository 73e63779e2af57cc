import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { expectSoon } from "../support/expect-soon.ts";
import { guideWith, startTestServer } from "../support/test-server.ts";
import { git, write } from "../workspace/git-scene.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();

const namesIn = (dialog: Locator, group: string, isTicked: boolean) =>
  dialog
    .getByRole("region", { name: group })
    .getByRole("checkbox", { checked: isTicked })
    .evaluateAll((all) => all.map((one) => one.closest("label")?.querySelector(".file-path")?.textContent ?? ""));

test("[WS-1] [WS-11] [WS-12] what an agent did to files by tool and by shell goes back from the line of its turn, edits of the user's stay, and Undo brings all of it back", async () => {
  await using server = await startTestServer({
    agents: { editor: { ...guideWith(), name: "Editor", permissions: "all" } },
  });
  const root = await server.directory("shop");
  git(root, "init", "-q", "-b", "main");
  await write(root, { "a.txt": "one\n", "b.txt": "b\n" });
  git(root, "add", "-A");
  git(root, "commit", "-qm", "first");
  await using app = await chromium.open(server);
  await app.addProject(root);
  const session = await app.newSession("shop", "Editor");
  const lines = session.transcript.getByRole("group", { name: "Changes of this turn" });
  await session.ask('edit a.txt "one" "two"', "I changed");
  await lines.first().getByText("1 file", { exact: true }).waitFor();
  await session.ask("run echo more >> b.txt; echo new > c.txt", "succeeded");
  await lines.nth(1).getByText("2 files", { exact: true }).waitFor();
  await lines.nth(1).getByRole("button", { expanded: false }).click();
  await expectSoon(() => session.entries("changes").nth(1).getByRole("listitem").allInnerTexts()).toEqual([
    expect.stringContaining("b.txt"),
    expect.stringContaining("c.txt"),
  ]);
  await writeFile(join(root, "b.txt"), "mine\n");

  await lines.first().getByRole("button", { name: "Restore files to before this turn" }).press("Enter");
  const dialog = app.dialog("Restore files to before this turn?");
  await dialog.getByRole("button", { name: "Restore 2 files" }).waitFor();
  expect(await namesIn(dialog, "Goes back", true)).toEqual(["a.txt", "c.txt"]);
  expect(await namesIn(dialog, "Changed since", false)).toEqual(["b.txt"]);
  await expectSoon(() => dialog.getByText("before “edit a.txt").count()).toBe(1);
  await app.page.keyboard.press("Enter");
  await dialog.waitFor({ state: "hidden" });
  const read = (name: string) => readFile(join(root, name), "utf8");
  expect([await read("a.txt"), await read("b.txt"), existsSync(join(root, "c.txt"))]).toEqual([
    "one\n",
    "mine\n",
    false,
  ]);

  await session.button("Undo this restore").press("Enter");
  await session.frame.getByText("Undone", { exact: true }).waitFor();
  expect([await read("a.txt"), await read("b.txt"), await read("c.txt")]).toEqual(["two\n", "mine\n", "new\n"]);

  await app.activeTab.click({ button: "right" });
  await app.page.getByRole("menuitem", { name: "Checkpoints…" }).click();
  const list = app.page.getByRole("dialog").getByRole("list", { name: "Checkpoints" });
  await list.getByText("Before “edit a.txt").waitFor();
  await list.getByText("Safety copy").first().waitFor();
});
