import type { Locator } from "playwright-core";
import type { AttemptResult } from "../../src/protocol/attempts.ts";
import { SessionId } from "../../src/protocol/ids.ts";
import type { GalleryStage, GalleryState } from "./gallery-state.ts";
import { type Answers, playServer } from "./play-server.ts";
import { EDITED_TITLE, PROJECT } from "./seed-workspace.ts";

const GROUP = "g1";
/** By the titles of the sessions that are attempts. */
const NUMBERS: Readonly<Record<string, number>> = { [EDITED_TITLE]: 1, "Trace the flaky login test": 2 };

interface Row {
  readonly id: string;
  readonly title: string;
}

const IDS = new Map<number, string>();

/** Two sessions of the project are attempts at one task. */
function asAttempts(message: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (message["type"] !== "session:list") return message;
  const rows = (message["sessions"] as readonly Row[]).map((row) => {
    const number = NUMBERS[row.title];
    if (number === undefined) return row;
    IDS.set(number, row.id);
    const worktree = { worktreeId: `w${number}`, name: `importer-${number}`, branch: `liminal/importer-${number}` };
    const usage = { used: 40_000, size: 200_000, cost: { amount: number * 0.71, currency: "USD" } };
    return { ...row, title: "Retry the importer on 502", attempt: { groupId: GROUP, number }, worktree, usage };
  });
  return { ...message, sessions: rows };
}

function result(number: number, part: Partial<AttemptResult>): AttemptResult {
  return {
    sessionId: SessionId.parse(IDS.get(number)),
    files: [],
    totalFiles: 0,
    added: 0,
    removed: 0,
    commits: 0,
    uncommittedFiles: 0,
    into: "main",
    lastLine: "",
    ...part,
  };
}

const COMPARED = () => ({
  type: "attempts:compared",
  groupId: GROUP,
  results: [
    result(1, {
      lastLine:
        "Reuses the webhook backoff through one shared helper. Timeouts count as attempts; a 4xx is not retried.",
      files: [
        { path: "src/fetch-page.ts", added: 38, removed: 14 },
        { path: "src/retry.ts", added: 9, removed: 7 },
        { path: "test/retry.test.ts", added: 33, removed: 0 },
        { path: "assets/flow.png", added: null, removed: null },
      ],
      totalFiles: 4,
      added: 80,
      removed: 21,
      uncommittedFiles: 4,
      model: "Opus 4.8",
    }),
    result(2, {
      lastLine: "Smallest change: a loop around the request with its own constants.",
      files: [{ path: "src/fetch-page.ts", added: 19, removed: 8 }],
      totalFiles: 12,
      added: 31,
      removed: 8,
      commits: 2,
    }),
  ],
});

const CONTEXT = ["async function fetchPage(number) {", "  const url = pageUrl(number);"];
const NEW_LINES: readonly (readonly string[])[] = [
  ["  return retry(() => get(url), {", "    attempts: 5, delay: backoff,", "    retryIf: isTransient,", "  });"],
  [
    "  for (let attempt = 0; ; attempt++) {",
    "    try { return await get(url); }",
    "    catch (error) { await sleep(500 << attempt); }",
    "  }",
  ],
];

/** The file that both attempts changed, as the asked one did. */
function patchOf({ sessionId, path }: Readonly<Record<string, unknown>>) {
  const newLines = NEW_LINES[sessionId === IDS.get(1) ? 0 : 1] ?? [];
  const place = { hunkId: "h1", isKept: false, oldStart: 41, oldCount: 1, newStart: 41, newCount: newLines.length };
  const lines = { before: CONTEXT, oldLines: ["  return get(url);"], newLines, after: ["}"] };
  const patch = { kind: "text", isWholeFile: false, hunks: [{ ...place, ...lines }] };
  return { type: "changes:patch", sessionId, path, version: "1", patch };
}

async function compare(stage: GalleryStage, answers: Answers = {}): Promise<Locator> {
  const { app } = stage;
  await playServer(app, { "attempts:compare": COMPARED, "changes:patch": patchOf, ...answers }, asAttempts);
  await app.projects.getByRole("button", { name: "More actions for Retry the importer on 502" }).first().click();
  await app.page.getByRole("menuitem", { name: "Compare attempts" }).click();
  const page = app.page.locator(".attempts-page");
  await page.getByRole("heading", { level: 1 }).waitFor();
  return page;
}

/** One task for several agents. */
export const ATTEMPT_STATES: readonly GalleryState[] = [
  {
    name: "attempts-start",
    shows: "one task, and how many attempts each agent makes at it",
    reach: async ({ app }) => {
      const picker = await app.pickAgent(PROJECT);
      await picker.getByRole("button", { name: "Best of N…" }).click();
      await app.page.getByRole("dialog", { name: "Best of N" }).getByLabel("Task").fill("Retry the importer on 502");
    },
  },
  {
    name: "attempts",
    shows: "attempts at one task, side by side",
    reach: async (stage) => {
      const page = await compare(stage);
      for (const number of [1, 2])
        await page.getByRole("group", { name: `src/fetch-page.ts in attempt ${number}` }).waitFor();
    },
  },
  {
    name: "attempts-failed",
    shows: "attempts whose results could not be read",
    reach: async (stage) => {
      const page = await compare(stage, {
        "attempts:compare": { type: "error", code: "GIT_UNAVAILABLE", message: "Git is not installed." },
      });
      await page.getByRole("alert").waitFor();
    },
  },
  {
    name: "attempts-keep",
    shows: "what keeping an attempt does, and a merge that conflicts",
    reach: async (stage) => {
      const page = await compare(stage, {
        "attempts:keep": {
          type: "error",
          code: "GIT_REFUSED",
          message:
            "This attempt conflicts with main. Nothing was merged, and the other attempts are as they were. Open its merge to go on.",
          details: "src/fetch-page.ts",
        },
      });
      await page.getByRole("button", { name: "Keep this: attempt 1" }).click();
      const dialog = stage.app.page.getByRole("dialog");
      await dialog.getByRole("button", { name: "Keep this" }).click();
      await dialog.getByRole("button", { name: "Open merge" }).waitFor();
    },
  },
];
