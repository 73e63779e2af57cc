import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { FrameLocator } from "playwright-core";
import { git, write } from "../workspace/git-scene.ts";
import type { GalleryStage, GalleryState } from "./gallery-state.ts";
import { playServer } from "./play-server.ts";
import { PROJECT } from "./seed-workspace.ts";
import { tellStory } from "./session-states.ts";

const BACKOFF = `import { sleep } from "./clock.ts";
import { retryAfter } from "./retry-after.ts";

const BASE_MS = 500;
const CAP_MS = 60_000;

/** Delay before the next attempt, in milliseconds. */
export function delayFor(attempt: number, random = Math.random): number {
  const ceiling = Math.min(CAP_MS, BASE_MS * 2 ** attempt);
  return Math.round(random() * ceiling);
}
`;
const RETRY_AFTER = `/** Retry-After in milliseconds; undefined when there is none. */
export function retryAfter(error: unknown): number | undefined {
  const seconds = Number(headerOf(error, "retry-after"));
  return Number.isFinite(seconds) ? seconds * 1000 : undefined;
}
`;

/** The project of the story as a repository, with or without changes since its commit. */
async function openChanges(stage: GalleryStage, hasChanges = true): Promise<FrameLocator> {
  const root = join(dirname(stage.server.dataDir), "work", PROJECT);
  if (!existsSync(join(root, ".git"))) {
    git(root, "init", "-q", "-b", "webhook-backoff");
    git(root, "add", "-A");
    git(root, "commit", "-qm", "first");
  }
  const files = { "src/backoff.ts": BACKOFF, "src/retry-after.ts": RETRY_AFTER, "README.md": "# atlas-api\n" };
  if (hasChanges) await write(root, files);
  const session = await tellStory(stage);
  await session.transcript.press("g");
  const { frame } = session;
  await (hasChanges
    ? frame
        .locator(".hunk[aria-current] .hljs-keyword")
        .or(frame.getByText("A restore was interrupted"))
        .or(frame.getByText("Not discarded"))
    : frame.getByRole("complementary", { name: "Changes" }).getByRole("heading", { level: 3 })
  )
    .first()
    .waitFor();
  return frame;
}

/** Answers requests of the page, or changes messages of the server, before the page is loaded again. */
async function between(
  { app }: GalleryStage,
  change: {
    readonly refuses?: { readonly type: string; readonly code: string; readonly message: string };
    readonly adds?: object;
  },
): Promise<void> {
  const { refuses, adds } = change;
  await app.page.routeWebSocket(/\/ws/, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((frame) => {
      const { type, requestId } = JSON.parse(String(frame));
      if (type === refuses?.type) socket.send(JSON.stringify({ ...refuses, type: "error", requestId }));
      else server.send(frame);
    });
    server.onMessage((frame) => {
      const isState = adds !== undefined && String(frame).includes('"changes:state"');
      socket.send(isState ? JSON.stringify({ ...JSON.parse(String(frame)), ...adds }) : frame);
    });
  });
  await app.refresh();
}

/** The review of what agents changed. */
export const CHANGES_STATES: readonly GalleryState[] = [
  {
    name: "changes-empty",
    shows: "nothing changed since the last commit",
    reach: async (stage) => {
      await openChanges(stage, false);
    },
  },
  {
    name: "changes",
    shows: "changed files, with a hunk that was kept and one that was discarded",
    reach: async (stage) => {
      const frame = await openChanges(stage);
      const { keyboard } = stage.app.page;
      await keyboard.press("n");
      await keyboard.press("y");
      await frame.getByText("Kept", { exact: true }).first().waitFor();
      await keyboard.press("x");
      await frame.getByText("Discarded", { exact: true }).first().waitFor();
    },
  },
  {
    name: "changes-remark",
    shows: "a remark on changed lines",
    reach: async (stage) => {
      const frame = await openChanges(stage);
      const current = frame.locator(".hunk[aria-current]");
      await current.waitFor();
      await stage.app.page.keyboard.press("j");
      await current.waitFor();
      await stage.app.page.keyboard.press("r");
      const field = frame.getByRole("textbox", { name: /^Remark on/ });
      await field.fill("Full jitter can return 0. Keep at least BASE_MS, so that a failed hook never retries at once.");
    },
  },
  {
    name: "changes-commit",
    shows: "the form for a commit",
    reach: async (stage) => {
      const frame = await openChanges(stage);
      await stage.app.page.keyboard.press("c");
      await frame.getByRole("textbox", { name: "Commit message" }).fill("Cap the backoff and add jitter");
    },
  },
  {
    name: "changes-commit-many",
    shows: "the form for a commit where more files changed than are listed",
    isLast: true,
    reach: async (stage) => {
      await playServer(stage.app, {}, (message) =>
        message["type"] === "changes:state" ? { ...message, total: 2_500 } : message,
      );
      const frame = await openChanges(stage);
      await stage.app.page.keyboard.press("c");
      await frame.getByRole("textbox", { name: "Commit message" }).fill("Cap the backoff and add jitter");
      await frame.getByText("All files (2,500)").waitFor();
      await frame.getByRole("radio", { name: "Kept changes" }).check();
      await frame.getByText("kept ones after them are not committed").waitFor();
    },
  },
  {
    name: "changes-split",
    shows: "changes side by side",
    isLast: true,
    reach: async (stage) => {
      const frame = await openChanges(stage);
      await stage.app.page.keyboard.press("s");
      await frame.locator(".diff.split, .hunk").first().waitFor();
    },
  },
  {
    name: "changes-cut-off",
    shows: "a restore that was interrupted",
    isLast: true,
    reach: async (stage) => {
      await between(stage, { adds: { cutOff: { checkpointId: "c1", files: 3 } } });
      await openChanges(stage);
    },
  },
  {
    name: "changes-waiting",
    shows: "discards that wait for the end of a turn, and one that could not be carried out",
    isLast: true,
    reach: async (stage) => {
      const at = "2026-01-01T00:00:00Z";
      const waiting = [
        { waitId: "w1", at, files: 1, path: "src/backoff.ts", items: [{ path: "src/backoff.ts" }] },
        { waitId: "w2", at, files: 3, path: "README.md", items: [{ path: "README.md" }] },
        {
          ...{ waitId: "w3", at, files: 1, path: "src/clock.ts", items: [{ path: "src/clock.ts" }] },
          problem:
            "src/clock.ts changed in the same place until the turn ended. Nothing was touched. Look at it again.",
        },
      ];
      await between(stage, { adds: { waiting } });
      await openChanges(stage);
    },
  },
  {
    name: "changes-not-held",
    shows: "a submodule that points elsewhere, and files that checkpoints do not hold",
    isLast: true,
    reach: async (stage) => {
      const [from, to] = ["3f2a9c1e5b7d", "90ab12cd34ef"];
      const submodules = [
        { path: "vendor/http-client", from, to },
        { path: "vendor/old-queue", from, to: null },
      ];
      const leftOut = [
        { path: "fixtures/dump.sqlite", reason: "too large" },
        { path: "assets/intro.mp4", reason: "filtered" },
      ];
      await between(stage, { adds: { submodules, leftOut } });
      const frame = await openChanges(stage);
      await frame.getByText(/not covered by checkpoints/).click();
    },
  },
  {
    name: "changes-error",
    shows: "changes that cannot be shown",
    isLast: true,
    reach: async (stage) => {
      const message = "Git is not installed. Install Git 2.38 or later, then try again.";
      await between(stage, { refuses: { type: "changes:open", code: "GIT_UNAVAILABLE", message } });
      await openChanges(stage, false);
    },
  },
];
