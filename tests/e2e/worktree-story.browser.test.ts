import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { COMMANDS_TIMEOUT_MS } from "../cli/liminal.ts";
import { chunk, scriptedAgent } from "../integration/scripted-agent.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer } from "../support/test-server.ts";

import { git, write } from "../workspace/git-scene.ts";
import { startAgent } from "./app-page.ts";
import { picturesOf } from "./pictures.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();
const AGENT = "Editor";
const IMPORTER = [
  "export function importAll(rows) {",
  "  const attempts = 1;",
  "  return rows.map((row) => importRow(row, attempts));",
  "}",
  "",
].join("\n");

/** What each message makes the agent do, in the directory of its session. */
const doing = (command: string, words: string) => [
  {
    update: {
      ...{ sessionUpdate: "tool_call", toolCallId: command, title: command, kind: "execute", status: "in_progress" },
    },
  },
  { shell: command },
  { update: { sessionUpdate: "tool_call_update", toolCallId: command, status: "completed" } },
  chunk(words),
  { end: "end_turn" },
];
const RETRY = "Retry a row three times";
const SETTING = "Read the attempts from a setting";
const DOCS = "Describe the importer";
const BRING_IN = [
  "Merge the branch “main” into the branch “setting” that is checked out here.",
  "Commit your own uncommitted work first.",
  "Resolve every conflict so that what both sides intended is kept, and ask me where you cannot tell.",
  "Then run the tests, mend what the merge broke, and commit the merge.",
  "Leave all other branches as they are, and push nothing.",
].join(" ");
const SCRIPTS = {
  [RETRY]: doing("sed -i 's/= 1;/= 3;/' importer.js && git commit -qam 'Retry a row three times'", "It tries 3 times."),
  [SETTING]: doing("sed -i 's/= 1;/= settings.attempts;/' importer.js", "The number is a setting now."),
  [DOCS]: doing("echo '# Importer' > README.md && git add README.md && git commit -qm 'Describe it'", "Described."),
  [BRING_IN]: doing(
    "git commit -qam 'Read the attempts from a setting'; git merge main; sed -i '/^[<=>]/d; /= 3;/d' importer.js && git commit -qam 'Bring main in'",
    "main is in, the setting wins.",
  ),
};

test(
  "X-8 [WS-25] [WS-35] [WS-38] in the page: three agents in three worktrees, two conflict, one merges, the other brings the base in and merges, all are removed, one returns, one is deleted",
  async () => {
    const agents = { editor: { ...scriptedAgent({ scripts: SCRIPTS }), name: AGENT, permissions: "all" as const } };
    await using server = await startTestServer({ agents });
    const root = await server.directory("shop");
    git(root, "init", "-q", "-b", "main");
    git(root, "config", "user.name", "The User");
    git(root, "config", "user.email", "user@example.org");
    await write(root, { "importer.js": IMPORTER, "notes.md": "one\n" });
    git(root, "add", "-A");
    git(root, "commit", "-qm", "first");
    // The user is in the middle of something else.
    await write(root, { "notes.md": "staged\n" });
    git(root, "add", "notes.md");
    await write(root, { "notes.md": "edited\n", "todo.txt": "mine\n" });
    const ofTheUser = async () => ({
      config: await readFile(join(root, ".git/config"), "utf8"),
      staged: git(root, "diff", "--cached"),
      status: git(root, "status", "--porcelain"),
    });
    const before = await ofTheUser();
    await using app = await chromium.open(server);
    const picture = picturesOf(app.page);
    await app.addProject(root);

    const begin = async (branch: string, message: string) => {
      const picker = await app.pickAgent("shop");
      await picker.getByText("on main").waitFor();
      await app.page.keyboard.press("Alt+t");
      await picker.getByRole("radio", { name: "In its own worktree", checked: true }).waitFor();
      await picker.locator("summary").click();
      await picker.getByLabel("New branch").fill(branch);
      await picture(`new-session-${branch}`);
      await startAgent(picker, AGENT);
      await picker.waitFor({ state: "hidden" });
      const session = await app.shownSession();
      await session.say(message);
      await session.untilIdle();
      await session.entries("changes").waitFor();
      return session;
    };
    await begin("retry", RETRY);
    await picture("agent-has-committed");
    const setting = await begin("setting", SETTING);
    await begin("docs", DOCS);
    await expectSoon(() => readFile(join(root, "importer.js"), "utf8")).toBe(IMPORTER);

    // The radar warns of the two, in the list and in the sidebar.
    await app.projects.getByRole("button", { name: "Worktrees of shop" }).click();
    const page = app.page.locator(".worktrees-page");
    const row = (name: string) => page.getByRole("row", { name: new RegExp(name) });
    await row(RETRY)
      .getByText(/^overlaps setting-/)
      .waitFor();
    await row(SETTING)
      .getByText(/^overlaps retry-/)
      .waitFor();
    await row(SETTING).getByText("1 file").waitFor();
    await row(DOCS)
      .getByText(/^overlaps/)
      .waitFor({ state: "detached" });
    await picture("radar-warns");
    await using phone = await chromium.open(server, { isPhone: true });
    await phone.page.getByRole("button", { name: "Show projects" }).tap();
    const warned = phone.page.locator(".session-row[data-overlap]").first();
    const sideOf = (part: string, side: "left" | "right") =>
      warned.locator(part).evaluate((element, side) => element.getBoundingClientRect()[side], side);
    await warned.waitFor();
    await expectSoon(
      async () => (await sideOf(".overlap", "left")) - (await sideOf(".title-line", "right")),
    ).toBeGreaterThan(0);
    const paths = new Map<string, string>();
    for (const title of [RETRY, SETTING, DOCS])
      paths.set(title, (await row(title).locator(".name").getAttribute("title")) ?? "");

    const dialog = app.page.getByRole("dialog");
    const merge = async (title: string) => {
      await row(title)
        .getByRole("button", { name: /^Merge / })
        .click();
      await dialog.getByText("Merges cleanly").waitFor();
      await picture(`merges-cleanly-${title}`);
      await dialog.getByRole("button", { name: "Merge into main" }).click();
      await dialog.getByText("Merged into main.").waitFor();
      await picture(`merged-${title}`);
    };
    await merge(RETRY);
    await dialog.getByRole("button", { name: "Remove worktree" }).click();
    await page.getByRole("button", { name: /^Return retry-/ }).waitFor();
    expect(existsSync(paths.get(RETRY) ?? "")).toBe(false);

    // The other conflicts with what main has now, uncommitted as its work is. Nothing is touched.
    await row(SETTING)
      .getByText(/^overlaps main/)
      .waitFor();
    await row(SETTING)
      .getByRole("button", { name: /^Merge / })
      .click();
    await dialog.getByText("No commit to merge").waitFor();
    await dialog.getByText("A merge takes commits only").waitFor();
    await picture("uncommitted-is-no-part");
    const head = git(root, "rev-parse", "main");
    const commit = dialog.getByRole("button", { name: "Commit 1 file" });
    // The button that had the keyboard while the dialog looked is gone.
    await commit.and(app.page.locator(":focus")).waitFor();
    await commit.click();
    await dialog.getByText("1 file conflicts").waitFor();
    await picture("conflict");
    expect(git(root, "rev-parse", "main")).toBe(head);
    await dialog.getByRole("button", { name: "Let the agent bring main in" }).click();
    await dialog.waitFor({ state: "hidden" });
    await setting.untilSaid("main is in");
    await setting.untilIdle();
    await picture("agent-brought-main-in");
    await app.projects.getByRole("button", { name: "Worktrees of shop" }).click();
    await merge(SETTING);
    await expectSoon(() => readFile(join(root, "importer.js"), "utf8")).toContain("= settings.attempts;");
    await dialog.getByRole("button", { name: "Remove worktree" }).click();
    await page.getByRole("button", { name: /^Return setting-/ }).waitFor();

    // The third is squashed by hand and removed from its row, where its session asks first.
    await row(DOCS)
      .getByRole("button", { name: /^Merge / })
      .click();
    await dialog.getByText("Squash into one commit").click();
    await dialog.getByLabel("Commit message").fill("Describe the importer");
    await dialog.getByRole("button", { name: "Squash and merge into main" }).click();
    await dialog.getByText("Merged into main.").waitFor();
    await app.page.keyboard.press("Escape");
    await row(DOCS)
      .getByRole("button", { name: /^More actions for / })
      .click();
    await app.page.getByRole("menuitem", { name: "Remove" }).click();
    await dialog.getByText("1 session works there.").waitFor();
    await picture("remove-asks");
    await dialog.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("button", { name: /^Return docs-/ }).waitFor();
    await picture("all-in-quarantine");

    // One comes back whole, one goes for good.
    const docs = paths.get(DOCS) ?? "";
    expect(existsSync(docs)).toBe(false);
    await page.getByRole("button", { name: /^Return docs-/ }).click();
    await row(DOCS).getByText("clean").waitFor();
    await expectSoon(() => readFile(join(docs, "README.md"), "utf8")).toBe("# Importer\n");
    await page.getByRole("button", { name: /^Delete permanently… retry-/ }).click();
    await dialog.getByText("The directory is deleted from disk.").waitFor();
    await picture("delete-asks");
    await dialog.getByRole("button", { name: "Delete permanently" }).click();
    await page.getByRole("button", { name: /^Return retry-/ }).waitFor({ state: "detached" });
    await picture("one-returned-one-deleted");
    // Its branch is merged, so it went along; the one of the worktree in quarantine is still there.
    expect(git(root, "branch", "--format=%(refname:short)").trim().split("\n").toSorted()).toEqual([
      ...["docs", "main", "setting"],
    ]);

    expect(git(root, "fsck", "--no-dangling", "--no-progress").trim()).toBe("");
    await expectSoon(() => ofTheUser()).toEqual(before);
  },
  COMMANDS_TIMEOUT_MS,
);
