import type { Locator } from "playwright-core";
import { ProjectId } from "../../src/protocol/ids.ts";
import { WorktreeId } from "../../src/protocol/worktree-ref.ts";
import {
  type MergePreview,
  NOT_LOOKED_AT,
  type PublishPreview,
  type Worktree,
  type WorktreeOptions,
} from "../../src/protocol/worktrees.ts";
import type { GalleryStage, GalleryState } from "./gallery-state.ts";
import { type Answers, playServer } from "./play-server.ts";
import { EDITED_TITLE, PROJECT } from "./seed-workspace.ts";

const projectId = ProjectId.parse(PROJECT);
const BACKOFF = { worktreeId: "w1", name: "webhook-backoff", branch: "liminal/webhook-backoff-3f1a" };
const IMPORTER = { worktreeId: "w2", name: "importer-retry", branch: "liminal/importer-retry-90bc" };
/** By the titles of the sessions that work there. */
const PLACES: Readonly<Record<string, typeof BACKOFF>> = {
  [EDITED_TITLE]: BACKOFF,
  "Trace the flaky login test": IMPORTER,
};
const MINUTE_MS = 60_000;
const ago = (minutes: number) => new Date(Date.now() - minutes * MINUTE_MS).toISOString();

interface Row {
  readonly id: string;
  readonly title: string;
}

const ROWS = new Map<string, string>();

/** Some sessions of the project work in worktrees. */
function inWorktrees(message: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (message["type"] === "session:list") {
    const rows = message["sessions"] as readonly Row[];
    for (const { id, title } of rows) ROWS.set(title, id);
    return { ...message, sessions: rows.map((row) => ({ ...row, worktree: PLACES[row.title] ?? null })) };
  }
  const title = [...ROWS].find(([, id]) => id === message["sessionId"])?.[0];
  return message["type"] === "session:history" ? { ...message, worktree: PLACES[title ?? ""] ?? null } : message;
}

function worktree(part: Omit<Partial<Worktree>, "worktreeId"> & { worktreeId: string; name: string }): Worktree {
  return {
    projectId,
    path: `/home/ada/.liminal-worktrees/${PROJECT}/${part.name}`,
    branch: `liminal/${part.name}`,
    base: "main",
    isOurs: true,
    status: "ready",
    createdAt: ago(300),
    lastUsedAt: ago(2),
    sessionIds: [],
    setup: { state: "none" },
    radar: { state: "clean", overlaps: [] },
    ...part,
    worktreeId: WorktreeId.parse(part.worktreeId),
    facts: {
      uncommittedFiles: 0,
      hasRemote: true,
      unpushedCommits: 0,
      aheadCommits: 0,
      behindCommits: 0,
      isMerged: false,
      isContained: false,
      ignoredFiles: 3,
      sizeBytes: 412e6,
      lookedAt: ago(0),
      ...part.facts,
    },
  };
}

const overlaps = (other: string, name: string): Worktree["radar"] => ({
  state: "overlap",
  overlaps: [
    {
      with: { worktreeId: WorktreeId.parse(other), name },
      kind: "conflict",
      paths: ["packages/core/src/retry.ts"],
      total: 1,
    },
  ],
});
const FACTS = worktree({ worktreeId: "f", name: "f" }).facts;

function listed(): readonly Worktree[] {
  const of = (title: string) => [ROWS.get(title) ?? ""] as unknown as Worktree["sessionIds"];
  return [
    worktree({
      ...BACKOFF,
      sessionIds: of(EDITED_TITLE),
      facts: { ...FACTS, uncommittedFiles: 3, unpushedCommits: 2 },
      radar: overlaps("w2", IMPORTER.name),
    }),
    worktree({
      ...IMPORTER,
      sessionIds: of("Trace the flaky login test"),
      facts: { ...FACTS, uncommittedFiles: 1, sizeBytes: 398e6 },
      radar: overlaps("w1", BACKOFF.name),
      setup: { state: "failed", command: "bun install", hash: "h", exitCode: 1 },
    }),
    worktree({
      worktreeId: "w3",
      name: "a-worktree-with-a-name-that-nobody-would-call-short-and-no-column-is-wide-enough-for",
      base: "split-billing",
      setup: { state: "asks", command: "bun install && bun run generate --all-tenants", hash: "h" },
      facts: { ...FACTS, uncommittedFiles: 1_204, unpushedCommits: 14, sizeBytes: 1_240e6 },
    }),
    worktree({
      worktreeId: "w4",
      name: "rate-limiter-docs",
      facts: { ...FACTS, isMerged: true },
      lastUsedAt: ago(200),
    }),
    worktree({
      worktreeId: "w5",
      name: "postgres-18",
      status: "stuck",
      problem: "Removing it was cut off. Repair finishes it; nothing was deleted.",
      facts: NOT_LOOKED_AT,
      radar: { state: "unknown", overlaps: [] },
    }),
    worktree({ worktreeId: "w6", name: "invoice-types", status: "making", facts: NOT_LOOKED_AT, lastUsedAt: null }),
    worktree({
      worktreeId: "w8",
      name: "tax-tables",
      facts: NOT_LOOKED_AT,
      radar: { state: "unknown", overlaps: [] },
    }),
    worktree({
      worktreeId: "w7",
      name: "spike",
      branch: "spike/temporal",
      isOurs: false,
      facts: { ...FACTS, unpushedCommits: 6, sizeBytes: 377e6 },
      lastUsedAt: ago(17_280),
      radar: { state: "unknown", overlaps: [] },
    }),
    worktree({
      worktreeId: "q1",
      name: "auth-cookie-flags",
      status: "removed",
      removedAt: ago(1_500),
      facts: { ...FACTS, unpushedCommits: 1, uncommittedFiles: 4 },
    }),
    worktree({
      worktreeId: "q2",
      name: "attempt-2-of-3",
      status: "removed",
      removedAt: ago(4_500),
      facts: { ...FACTS, ignoredFiles: 0, sizeBytes: 391e6 },
    }),
  ];
}

const LIST = () => ({ type: "worktree:list", projectId, worktrees: listed() });
const refused = (code: string, message: string) => ({ type: "error", code, message });

const CONSENTS = () => ({
  type: "service:consents",
  projectId,
  consents: [
    { hash: "h1", kind: "setup", command: "bun install && bun run generate --all-tenants", at: ago(3_000) },
    { hash: "h2", kind: "service:dev", command: "bun run dev --port $PORT", at: ago(40) },
  ],
});

async function openWorktrees(stage: GalleryStage, answers: Answers = {}): Promise<Locator> {
  await playServer(stage.app, { "worktree:list": LIST, "service:consents": CONSENTS, ...answers }, inWorktrees);
  await stage.app.projects.getByRole("button", { name: `Worktrees of ${PROJECT}` }).click();
  const page = stage.app.page.locator(".worktrees-page");
  await page.getByRole("heading", { level: 1 }).waitFor();
  return page;
}

const CLEAN: MergePreview = {
  worktreeId: WorktreeId.parse("w1"),
  branch: BACKOFF.branch,
  into: "main",
  targets: ["main", "split-billing"],
  result: "clean",
  commits: 4,
  files: [
    { path: "packages/billing-types/src/invoice.ts", status: "modified", added: 148, removed: 96 },
    { path: "packages/billing-types/src/tax-line.ts", status: "modified", added: 41, removed: 62 },
    { path: "packages/billing/package.json", status: "modified", added: 2, removed: 1 },
  ],
  totalFiles: 7,
  added: 212,
  removed: 180,
  conflicts: [],
  uncommittedFiles: 3,
  inTheWay: [],
  message: "Add jittered backoff to webhook retries\n\nThe delay grows with each attempt and has a random part.",
  expect: "e1",
};
const preview = (part: Partial<MergePreview> = {}) => ({ type: "merge:preview", ...CLEAN, ...part });

async function openMerge(stage: GalleryStage, answers: Answers): Promise<Locator> {
  const page = await openWorktrees(stage, answers);
  await page.getByRole("button", { name: "Merge webhook-backoff…" }).click();
  const dialog = stage.app.page.getByRole("dialog");
  await dialog.waitFor();
  return dialog;
}

const PUBLISH: PublishPreview = {
  worktreeId: WorktreeId.parse("w1"),
  branch: BACKOFF.branch,
  remote: "origin",
  tool: "gh",
  commands: [
    ["git", "push", "--set-upstream", "origin", BACKOFF.branch],
    ["gh", "pr", "create", "--head", BACKOFF.branch, "--base", "main", "--title", "", "--body", ""],
  ],
  title: "Add jittered backoff to webhook retries",
  body: "The delay grows with each attempt and has a random part.",
  unpushedCommits: 4,
  expect: "e1",
};

const OPTIONS: WorktreeOptions = {
  projectId,
  unavailable: null,
  branch: "main",
  branches: ["main", "split-billing", "release/2026-01"],
  behindCommits: 3,
  uncommittedFiles: 4,
  busySessionIds: [],
  lastChoice: null,
  setup: { state: "done", command: "bun install" },
  includedFiles: 2,
};
const options = (part: Partial<WorktreeOptions> = {}) => ({
  type: "worktree:options",
  ...OPTIONS,
  busySessionIds: [ROWS.get("Rate limits per tenant")],
  ...part,
});

/** Worktrees: where sessions work, and how their work gets back. */
export const WORKTREE_STATES: readonly GalleryState[] = [
  {
    name: "new-session-worktree",
    shows: "a worktree that is pre-chosen, with the reason, and all that can be set",
    reach: async ({ app }) => {
      await playServer(
        app,
        {
          "worktree:list": LIST,
          "worktree:options": () => options({ setup: { state: "asks", command: "bun install", hash: "h" } }),
        },
        inWorktrees,
      );
      const picker = await app.pickAgent(PROJECT);
      await picker.getByText("Chosen because").waitFor();
      await picker.locator("summary").click();
      await picker.getByLabel("New branch").fill("importer-retry");
    },
  },
  {
    name: "new-session-no-worktree",
    shows: "a project that can have no worktrees, with the reason",
    reach: async ({ app }) => {
      const unavailable = "The repository has no commit yet. Make a first commit to use worktrees.";
      await playServer(app, { "worktree:list": LIST, "worktree:options": () => options({ unavailable }) }, inWorktrees);
      const picker = await app.pickAgent(PROJECT);
      await picker.getByText("no commit yet").waitFor();
    },
  },
  {
    name: "worktrees",
    shows: "worktrees in every state, and those in quarantine",
    reach: async (stage) => {
      const page = await openWorktrees(stage);
      await page.getByRole("heading", { name: "Quarantine" }).waitFor();
    },
  },
  {
    name: "worktrees-empty",
    shows: "a project without worktrees",
    reach: async (stage) => {
      const page = await openWorktrees(stage, { "worktree:list": { type: "worktree:list", projectId, worktrees: [] } });
      await page.getByText("No worktrees").waitFor();
    },
  },
  {
    name: "worktrees-busy",
    shows: "a worktree that is being removed, and another one that could not be returned",
    reach: async (stage) => {
      const page = await openWorktrees(stage, {
        "worktree:remove": null,
        "worktree:return": refused("GIT_REFUSED", "Its place is taken: there is a directory of that name."),
      });
      await page.getByRole("button", { name: "Remove rate-limiter-docs" }).click();
      await page.getByRole("button", { name: "Return attempt-2-of-3" }).click();
      await page.getByRole("alert").waitFor();
      await page.getByText("Removing…").waitFor();
    },
  },
  {
    name: "merge",
    shows: "a merge without conflicts, squashed with a message",
    reach: async (stage) => {
      const dialog = await openMerge(stage, { "merge:preview": preview() });
      await dialog.getByText("Squash into one commit").click();
      await dialog.getByLabel("Commit message").waitFor();
    },
  },
  {
    name: "merge-uncommitted",
    shows: "uncommitted work that can be committed before a merge, after a hook refused it once",
    reach: async (stage) => {
      const paths = ["packages/core/src/retry/backoff.ts", "packages/core/src/retry/backoff.test.ts"];
      const dialog = await openMerge(stage, {
        "merge:preview": preview({ uncommittedFiles: 2, uncommitted: { paths, expect: "seen" } }),
        "merge:commit": { ...refused("GIT_REFUSED", "Git did not commit."), details: "2 problems (2 errors)" },
      });
      await dialog.getByRole("button", { name: "Commit 2 files" }).click();
      await dialog.getByRole("alert").waitFor();
    },
  },
  {
    name: "merge-conflicts",
    shows: "a merge with conflicts, which the agent can resolve",
    reach: async (stage) => {
      const conflicts = [
        { path: "packages/core/src/retry/backoff.ts", kind: "both changed" },
        { path: "packages/core/src/webhooks/deliver.ts", kind: "deleted in main" },
      ];
      const dialog = await openMerge(stage, { "merge:preview": preview({ result: "conflicts", conflicts }) });
      await dialog.getByRole("button", { name: "Let the agent bring main in" }).waitFor();
    },
  },
  {
    name: "merge-blocked",
    shows: "uncommitted files of the target in the way of a merge that was tried",
    reach: async (stage) => {
      const inTheWay = ["packages/billing/package.json", "packages/billing-types/src/invoice.ts"];
      const checkout = `/srv/code/${PROJECT}`;
      const dialog = await openMerge(stage, { "merge:preview": preview({ inTheWay, checkout }) });
      await dialog.getByText("2 files in the way").waitFor();
      await dialog.getByText(`Uncommitted in ${checkout}`).waitFor();
    },
  },
  {
    name: "merge-nothing",
    shows: "a worktree whose work is merged already",
    reach: async (stage) => {
      const nothing: Partial<MergePreview> = {
        result: "nothing",
        commits: 0,
        files: [],
        totalFiles: 0,
        added: 0,
        removed: 0,
        uncommittedFiles: 0,
      };
      const dialog = await openMerge(stage, { "merge:preview": preview(nothing) });
      await dialog.getByText("Everything is in main already").waitFor();
    },
  },
  {
    name: "merge-done",
    shows: "a merge that is done, and the worktree that could not be removed",
    reach: async (stage) => {
      const dialog = await openMerge(stage, {
        "merge:preview": preview(),
        "merge:run": { type: "merge:done", worktreeId: "w1", into: "main", commit: "4f2a9c1b77d0" },
        "worktree:remove": refused("WORKDIR_BUSY", "An agent is working in this directory. Stop it first."),
      });
      await dialog.getByRole("button", { name: "Merge into main" }).click();
      await dialog.getByRole("button", { name: "Remove worktree" }).click();
      await dialog.getByRole("alert").waitFor();
    },
  },
  {
    name: "publish",
    shows: "a pull request before anything runs, after one try was refused",
    reach: async (stage) => {
      const dialog = await openMerge(stage, {
        "merge:preview": preview(),
        "publish:preview": { type: "publish:preview", ...PUBLISH },
        "publish:run": {
          ...refused("GIT_REFUSED", "The push was refused."),
          details: "! [rejected] (fetch first)",
        },
      });
      await dialog.getByRole("button", { name: "Pull request", exact: true }).click();
      await dialog.getByRole("button", { name: "Push and open pull request" }).click();
      await dialog.getByRole("alert").waitFor();
    },
  },
  {
    name: "publish-done",
    shows: "an open pull request",
    reach: async (stage) => {
      const url = "https://example.com/atlas/api/pull/1234";
      const dialog = await openMerge(stage, {
        "merge:preview": preview(),
        "publish:preview": { type: "publish:preview", ...PUBLISH },
        "publish:run": { type: "publish:done", worktreeId: "w1", url, output: `To origin\n * [new branch]\n${url}` },
      });
      await dialog.getByRole("button", { name: "Pull request", exact: true }).click();
      await dialog.getByRole("button", { name: "Push and open pull request" }).click();
      await dialog.getByRole("link", { name: url }).waitFor();
    },
  },
  {
    name: "purge",
    shows: "what would be lost with a worktree",
    reach: async (stage) => {
      const page = await openWorktrees(stage);
      await page.getByRole("button", { name: "Delete permanently… auth-cookie-flags" }).click();
      await stage.app.page.getByRole("dialog").getByText("1 unpushed commit").waitFor();
    },
  },
  {
    name: "move-session",
    shows: "a session that goes on in a worktree",
    reach: async ({ app }) => {
      const answers = { "worktree:list": LIST, "worktree:options": () => options() };
      await playServer(app, answers, inWorktrees);
      await app.row("Rate limits per tenant").hover();
      await app.projects.getByRole("button", { name: "More actions for Rate limits per tenant" }).click();
      await app.page.getByRole("menuitem", { name: "Continue in a worktree…" }).click();
      await app.dialog("Continue in a worktree").getByText("In another worktree").waitFor();
    },
  },
  {
    name: "session-in-worktree",
    shows: "a session in a worktree that overlaps another one",
    reach: async ({ app }) => {
      await playServer(app, { "worktree:list": LIST }, inWorktrees);
      const session = await app.open(EDITED_TITLE);
      await session.untilSaid("with the next build");
      await session.button("Worktree webhook-backoff: show all worktrees").waitFor();
      await session.transcript.press("g");
      await session.frame.getByText("overlaps importer-retry").waitFor();
      await session.frame.getByText("New changes appear here").waitFor();
    },
  },
];
