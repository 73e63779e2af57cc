import { expect, test } from "bun:test";
import { playServer } from "../gallery/play-server.ts";
import { expectSoon } from "../support/expect-soon.ts";
import { startTestServer } from "../support/test-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { GUIDE } from "./app-page.ts";
import { prepareSessions } from "./open-sessions.ts";
import { useChromium } from "./use-chromium.ts";

const chromium = useChromium();

test("a preselected worktree has its reason, keys choose the place, and Enter starts the session there", async () => {
  await using server = await startTestServer();
  const { ids } = await prepareSessions(server, "demo", ["Busy"]);
  await using app = await chromium.open(server);
  const asked: unknown[] = [];
  await playServer(app, {
    "worktree:options": ({ projectId }) => ({
      ...{ type: "worktree:options", projectId, unavailable: null, branch: "main", branches: ["main", "next"] },
      ...{ behindCommits: null, uncommittedFiles: 2, busySessionIds: [...ids.values()], lastChoice: "project" },
      ...{ setup: { state: "none" }, includedFiles: null },
    }),
    "session:create": ({ worktree }) => {
      asked.push(worktree);
      return { type: "error", code: "GIT_REFUSED", message: "There is such a branch." };
    },
  });
  const picker = await app.pickAgent("demo");
  /** Until so many starts were refused: another one is made only then. */
  const untilAsked = async (times: number) => {
    await waitFor(
      () => asked.length,
      (count) => count === times,
      `${times} starts`,
    );
    await picker.getByText("There is such a branch.").waitFor();
  };
  await picker.getByText("Chosen because “Busy” has unreviewed changes in the project.").waitFor();
  await app.page.keyboard.press("Enter");
  await untilAsked(1);
  await app.page.keyboard.press("Alt+p");
  await picker.getByRole("radio", { name: "In the project", checked: true }).waitFor();
  await picker.getByRole("textbox", { name: "First message" }).press("Enter");
  await untilAsked(2);
  await app.page.keyboard.press("Alt+t");
  await picker.getByRole("textbox", { name: "First message" }).fill(" Retry the importer");
  await picker.locator("summary").click();
  await picker.getByLabel("From", { exact: true }).selectOption("next");
  await picker.getByLabel("New branch").fill("importer-retry");
  await picker.getByLabel(/^Bring uncommitted work along/).check();
  await picker.getByRole("radio", { name: GUIDE, exact: true }).press("Enter");
  await untilAsked(3);
  await expectSoon(() => picker.getByLabel("New branch").inputValue()).toBe("importer-retry");
  const last = { base: "next", branch: "importer-retry", carry: true, about: "Retry the importer" };
  expect(asked).toEqual([{ create: {} }, false, { create: last }]);
});

test("a refused merge keeps what was typed, and a branch that moved is compared anew", async () => {
  await using server = await startTestServer();
  await prepareSessions(server, "demo", ["Busy"]);
  await using app = await chromium.open(server);
  const place = { worktreeId: "w1", name: "busy", branch: "liminal/busy" };
  const runs: unknown[] = [];
  const refusals = ["GIT_REFUSED", "WORKDIR_CHANGED"];
  let previews = 0;
  await playServer(
    app,
    {
      "worktree:list": ({ projectId }) => ({ type: "worktree:list", projectId, worktrees: [] }),
      "merge:preview": () => {
        previews += 1;
        return {
          ...{
            type: "merge:preview",
            ...place,
            into: "main",
            targets: ["main"],
            result: "clean",
            commits: 1,
            files: [],
          },
          ...{ totalFiles: 0, added: 0, removed: 0, conflicts: [], uncommittedFiles: 0, inTheWay: [] },
          ...{ message: "Suggested", expect: `look-${previews}` },
        };
      },
      "merge:run": ({ how, message, expect: seen }) => {
        runs.push({ how, message, seen });
        const code = refusals.shift();
        if (code !== undefined) return { type: "error", code, message: "Not now." };
        return { type: "merge:done", worktreeId: "w1", into: "main", commit: "4f2a9c1b" };
      },
    },
    (message) =>
      message["type"] === "session:list"
        ? {
            ...message,
            sessions: (message["sessions"] as object[]).map((row) => ({ ...row, worktree: place })),
          }
        : message,
  );
  await app.open("Busy");
  await app.tab("Busy").click({ button: "right" });
  await app.page.getByRole("menuitem", { name: "Merge…" }).click();
  const dialog = app.dialog("Merge busy");
  await dialog.getByText("Squash into one commit").click();
  await dialog.getByLabel("Commit message").fill("My own words");
  const merge = dialog.getByRole("button", { name: "Squash and merge into main" });
  await merge.click();
  await dialog.getByText("Not now.").waitFor();
  await merge.click();
  await dialog.getByText("A branch moved while this was open.").waitFor();
  await merge.click();
  await dialog.getByText("Merged into main.").waitFor();
  const typed = { how: "squash", message: "My own words" };
  expect(runs).toEqual([
    { ...typed, seen: "look-1" },
    { ...typed, seen: "look-1" },
    { ...typed, seen: "look-2" },
  ]);
});
