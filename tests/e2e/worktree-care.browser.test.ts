import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { chmod, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expectSoon } from "../support/expect-soon.ts";
import { tempDir } from "../support/temp-dir.ts";
import { guideWith, startTestServer, type TestServer } from "../support/test-server.ts";
import { git, write } from "../workspace/git-scene.ts";
import { type AppPage, startAgent } from "./app-page.ts";
import { picturesOf } from "./pictures.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();
const EDITOR = "Editor";
const AGENTS = { editor: { ...guideWith(), name: EDITOR, permissions: "all" as const } };

async function repository(server: TestServer, files: Readonly<Record<string, string>>, name = "shop"): Promise<string> {
  const root = await server.directory(name);
  git(root, "init", "-q", "-b", "main");
  git(root, "config", "user.name", "The User");
  git(root, "config", "user.email", "user@example.org");
  await write(root, files);
  git(root, "add", "-A");
  git(root, "commit", "-qm", "first");
  return root;
}

/** The picker, with a worktree chosen and its details open. */
async function pickWorktree(app: AppPage) {
  const picker = await app.pickAgent("shop");
  await picker.getByText("on main").waitFor();
  await app.page.keyboard.press("Alt+t");
  await picker.getByRole("radio", { name: "In its own worktree", checked: true }).waitFor();
  return picker;
}

async function showWorktrees(app: AppPage) {
  await app.projects.getByRole("button", { name: "Worktrees of shop" }).click();
  const page = app.page.locator(".worktrees-page");
  const row = (name: string | RegExp) => page.getByRole("row", { name });
  return { page, row, dialog: app.page.getByRole("dialog") };
}

const GH = `#!/bin/sh
for word in "$@"; do printf '%s\\n' "$word"; done >> "$GH_LOG"
echo -- >> "$GH_LOG"
[ "$1" = auth ] && exit 0
[ -e "$GH_LOG.refuses" ] && { echo "pull request create failed: no commits between main and retry" >&2; exit 1; }
echo https://git.example/shop/pull/7
`;

test("a branch is pushed to a remote, and a pull request is opened by gh with the edited words; a refusal keeps them", async () => {
  await using dir = await tempDir();
  await write(dir.path, { "bin/gh": GH });
  await chmod(dir.join("bin/gh"), 0o755);
  const log = dir.join("gh.log");
  const env = { PATH: `${dir.join("bin")}:${process.env["PATH"]}`, GH_LOG: log };
  await using server = await startTestServer({ agents: AGENTS, env });
  // The project is a directory of its repository.
  const root = await repository(server, { "shop/a.txt": "one\n" }, "mono");
  const remote = dir.join("remote.git");
  git(root, "init", "-q", "--bare", remote);
  git(root, "remote", "add", "origin", "https://git.example/shop.git");
  git(root, "config", `url.${remote}.insteadOf`, "https://git.example/shop.git");
  git(root, "push", "-q", "origin", "main");
  await using app = await chromium.open(server);
  const picture = picturesOf(app.page);
  await app.addProject(join(root, "shop"));
  const picker = await pickWorktree(app);
  await picker.locator("summary").click();
  await picker.getByLabel("New branch").fill("retry");
  await startAgent(picker, EDITOR);
  await picker.waitFor({ state: "hidden" });
  const session = await app.shownSession();
  await session.ask("run echo two > a.txt", "succeeded");
  // Files of a turn are named from the top of the repository, and opened from the session's own directory.
  await session.entries("changes").getByRole("button", { name: "1 file" }).click();
  await session.entries("changes").getByRole("button", { name: "modified shop/a.txt" }).click();
  await session.frame.getByRole("button", { name: /^Open .*a\.txt$/ }).click();
  await session.frame.getByText("Line 1 of 1").waitFor();
  await picture("file-of-a-directory-in-a-worktree");
  await session.ask("run git commit -qam 'Try it twice'", "succeeded");

  const { row, dialog } = await showWorktrees(app);
  await row(/retry-/)
    .getByText("not yet")
    .waitFor();
  await row(/retry-/)
    .getByRole("button", { name: /^More actions for / })
    .click();
  await app.page.getByRole("menuitem", { name: "Push and pull request…" }).click();
  await dialog.getByText("1 commit of retry goes to origin.").waitFor();
  await dialog.getByLabel("Title").fill("Try it 'twice'");
  await dialog.getByLabel("Description").fill("Because once is not enough.");
  const commands = dialog.getByRole("region", { name: "Commands that run" });
  await picture("publish");
  await expectSoon(() => commands.textContent()).toContain("git push --set-upstream origin retry");
  // The commands that are shown are those that will run, with the words as they were edited.
  await commands.getByText("--title 'Try it '\\''twice'\\''' --body 'Because once is not enough.'").waitFor();

  // A hook of the user's refuses the push: what was typed stays.
  const hook = join(root, ".git/hooks/pre-push");
  await writeFile(hook, "#!/bin/sh\necho the tests fail >&2\nexit 1\n", { mode: 0o755 });
  const open = dialog.getByRole("button", { name: "Push and open pull request" });
  await open.click();
  await dialog.getByText("the tests fail").waitFor();
  await picture("push-refused");
  expect(git(remote, "branch", "--list", "retry")).toBe("");
  await rm(hook);
  await writeFile(`${log}.refuses`, "");
  await open.click();
  await dialog.getByText("pull request create failed").waitFor();
  await expectSoon(() => dialog.getByLabel("Title").inputValue()).toBe("Try it 'twice'");
  await rm(`${log}.refuses`);
  await dialog.getByRole("button", { name: "Look again" }).click();
  await dialog.getByText("All commits of retry are on origin.").waitFor();
  await open.click();
  await dialog.getByRole("link", { name: "https://git.example/shop/pull/7" }).waitFor();
  await picture("pull-request-is-open");
  expect(git(remote, "rev-parse", "retry")).toBe(git(root, "rev-parse", "retry"));
  const told = (await readFile(log, "utf8")).split("--\n");
  expect(told.at(-2)?.split("\n")).toEqual([
    ...["pr", "create", "--head", "retry", "--base", "main"],
    ...["--title", "Try it 'twice'", "--body", "Because once is not enough.", ""],
  ]);
  await app.page.keyboard.press("Escape");
  await row(/retry-/)
    .getByRole("cell", { name: "none" })
    .waitFor();
});

test("[WS-16] [WS-23] [WS-27] [WS-33] a setup asks, fails and runs again; a conversation moves into a worktree with its work, which is committed before its merge; a worktree that is gone is said, repaired, and forgotten", async () => {
  await using server = await startTestServer({ agents: AGENTS });
  const setup = "test -e ready.txt && echo prepared > prepared.txt";
  const root = await repository(server, {
    "a.txt": "one\n",
    ".gitignore": "prepared.txt\nready.txt\n",
    "liminal.json": JSON.stringify({ setup }),
  });
  await using app = await chromium.open(server, { losesServer: true });
  const picture = picturesOf(app.page);
  await app.addProject(root);

  // A conversation in the project, with work that is not committed.
  const session = await app.newSession("shop", EDITOR);
  await session.ask("run echo two > a.txt; echo new > b.txt", "succeeded");
  await session.entries("changes").waitFor();
  const title = (await app.tabTitles())[0] ?? "";
  const menu = async (words: string) => {
    await app.tab(title).click({ button: "right" });
    await app.page.getByRole("menuitem", { name: words }).click();
  };
  await menu("Continue in a worktree…");
  const moving = app.page.getByRole("dialog", { name: "Continue in a worktree" });
  await picture("continue-in-a-worktree");
  await moving.getByRole("button", { name: "Continue there" }).click();
  await moving.waitFor({ state: "hidden" });
  await session.transcript.getByText(/2 uncommitted files came along/).waitFor();
  await picture("moved");
  await session.ask("run cat a.txt b.txt; echo three > a.txt", "succeeded");
  await expectSoon(() => readFile(join(root, "a.txt"), "utf8")).toBe("two\n");
  // What it did before the move can still be looked at.
  await session.entries("changes").nth(1).waitFor();

  // The setup has not run: the user has not agreed to it.
  const { page, row, dialog } = await showWorktrees(app);
  const moved = row(new RegExp(title.slice(0, 20)));
  const path = (await moved.locator(".name").getAttribute("title")) ?? "";
  await expectSoon(() => readFile(join(path, "a.txt"), "utf8")).toBe("three\n");
  await moved.getByText("Setup did not run:").waitFor();
  await expectSoon(() => moved.locator("code").textContent()).toBe(setup);
  await picture("setup-asks");
  expect(existsSync(join(path, "prepared.txt"))).toBe(false);
  await moved.getByRole("button", { name: /^Run setup of / }).click();
  await moved.getByText("Setup failed:").waitFor();
  await moved.getByText("(exit 1)").waitFor();
  await picture("setup-failed");
  await write(path, { "ready.txt": "" });
  await moved.getByRole("button", { name: /^Run again: setup of / }).click();
  await moved.getByText(/^Setup/).waitFor({ state: "detached" });
  await expectSoon(() => readFile(join(path, "prepared.txt"), "utf8")).toBe("prepared\n");

  // What was agreed to is listed, and can be revoked.
  await app.refresh();
  await showWorktrees(app);
  await page.getByRole("heading", { name: "Agreed commands" }).waitFor();
  await picture("agreed-commands");
  await page.getByRole("button", { name: "Revoke setup" }).click();
  await page.getByRole("heading", { name: "Agreed commands" }).waitFor({ state: "detached" });

  // A merge takes commits only: what is not committed is committed first, unless a hook of the user's refuses.
  const hook = join(root, ".git/hooks/pre-commit");
  await writeFile(hook, "#!/bin/sh\necho the linter fails >&2\nexit 1\n", { mode: 0o755 });
  await moved.getByRole("button", { name: /^Merge .*…$/ }).click();
  const uncommitted = dialog.getByRole("region", { name: "Uncommitted work" });
  await uncommitted.getByText("2 uncommitted files").waitFor();
  await expectSoon(() => uncommitted.getByRole("listitem").allTextContents()).toEqual(["a.txt", "b.txt"]);
  await expectSoon(() => uncommitted.getByLabel("Message of the commit").inputValue()).toBe(title);
  await picture("merge-with-uncommitted-work");
  await uncommitted.getByLabel("Message of the commit").fill("Count to three");
  await uncommitted.getByRole("button", { name: "Commit 2 files" }).click();
  await dialog.getByRole("alert").getByText("the linter fails").waitFor();
  await picture("commit-refused-by-a-hook");
  await rm(hook);
  await uncommitted.getByRole("button", { name: "Commit 2 files" }).click();
  await dialog.getByText("Committed 2 files.").waitFor();
  await uncommitted.waitFor({ state: "detached" });
  // One of them is in the project as it is here.
  await dialog.getByText("1 file in the way").waitFor();
  await picture("committed-before-the-merge");
  expect(git(path, "log", "-1", "--format=%s").trim()).toBe("Count to three");
  expect(git(path, "status", "--porcelain")).toBe("");
  await app.page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });

  // Its directory is gone: session and list show that, and nothing works in the project instead.
  await rename(path, `${path}.away`);
  await app.refresh();
  await app.open(title);
  await session.say("run pwd");
  await session.frame
    .getByText(/worktree .* is not there/i)
    .first()
    .waitFor();
  await picture("worktree-is-not-there");
  await showWorktrees(app);
  await moved.getByText("directory is missing").first().waitFor();
  await picture("directory-is-missing");
  // As a server leaves it that was killed while it removed the worktree.
  await server.stop();
  const [record = ""] = await Array.fromAsync(new Bun.Glob("worktrees/*.json").scan({ cwd: server.dataDir }));
  const file = join(server.dataDir, record);
  await writeFile(file, (await readFile(file, "utf8")).replace('"ready"', '"removing"'));
  await server.start();
  await app.refresh();
  await showWorktrees(app);
  await moved.getByText("needs repair").first().waitFor();
  await picture("needs-repair");
  const repair = moved.getByRole("button", { name: /^Repair / });
  await repair.click();
  await page.getByRole("alert").getByText(`neither at ${path} nor at`).waitFor();
  await picture("repair-refused");
  await rename(`${path}.away`, path);
  await repair.click();
  await moved.getByText("needs repair").first().waitFor({ state: "detached" });
  await page.getByRole("alert").waitFor({ state: "detached" });
  await app.open(title);
  await session.ask("run echo four > a.txt", "succeeded");
  await expectSoon(() => readFile(join(path, "a.txt"), "utf8")).toBe("four\n");

  // Then it is gone for good, and forgotten.
  await rm(path, { recursive: true });
  await app.refresh();
  await showWorktrees(app);
  await moved.getByRole("button", { name: /^Forget / }).click();
  await dialog.getByRole("button", { name: "Forget" }).click();
  await page.getByRole("heading", { name: "No worktrees" }).waitFor();
  await expectSoon(async () => git(root, "worktree", "list").trim().split("\n").length).toBe(1);
  await menu("Continue elsewhere…");
  await dialog.getByRole("button", { name: "Continue there" }).click();
  await session.transcript.getByText(/The worktree before was not there/).waitFor();
  await session.ask("run echo five >> a.txt", "succeeded");
  await expectSoon(() => readFile(join(root, "a.txt"), "utf8")).toBe("two\nfive\n");
});
