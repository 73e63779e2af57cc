import type { Locator } from "playwright-core";
import { CheckpointId, type CheckpointInfo, type RestorePreview } from "../../src/protocol/changes.ts";
import type { SessionView } from "../e2e/session-view.ts";
import type { GalleryStage, GalleryState } from "./gallery-state.ts";
import { type Answers, playServer } from "./play-server.ts";
import { EDITED_TITLE } from "./seed-workspace.ts";

async function openEdited({ app }: GalleryStage): Promise<SessionView> {
  const session = await app.open(EDITED_TITLE);
  await session.untilSaid("with the next build");
  return session;
}

async function askToRestore(stage: GalleryStage, preview: RestorePreview, more: Answers = {}): Promise<Locator> {
  await playServer(stage.app, { "checkpoint:preview": answered(preview), ...more });
  const session = await openEdited(stage);
  await session.button("Restore files to before this turn").first().click();
  return stage.app.dialog("Restore files to before this turn?");
}

const SESSION_ID = "claude-code:gallery";
const answered = (preview: RestorePreview) => ({ type: "checkpoint:preview", sessionId: SESSION_ID, ...preview });
const refused = (code: string, message: string) => ({ type: "error", code, message });

const NOW = new Date().toISOString();
const BEFORE: CheckpointInfo = { checkpointId: CheckpointId.parse("c1-before"), phase: "before", at: NOW };
const NOTHING: RestorePreview = {
  checkpoint: BEFORE,
  version: "a1",
  own: [],
  changedSince: [],
  impossible: [],
  total: 0,
};
const GROUPS: RestorePreview = {
  ...NOTHING,
  own: [
    { path: "packages/core/src/retry/backoff.ts", effect: "changed", added: 2, removed: 11 },
    { path: "packages/core/src/retry/retry-after.ts", effect: "deleted", added: 0, removed: 22 },
    { path: "packages/core/src/retry/linear.ts", effect: "created", added: 31, removed: 0 },
    { path: "assets/logo.png", effect: "changed", added: null, removed: null },
  ],
  changedSince: [{ path: "docs/runbook.md", effect: "changed", added: 1, removed: 3 }],
  impossible: [
    { path: "load/deliveries.sqlite", reason: "too large" },
    { path: ".env.local", reason: "ignored" },
  ],
  total: 5,
};
const MANY: RestorePreview = {
  ...NOTHING,
  own: Array.from({ length: 1_900 }, (_, index) => ({
    path: `packages/generated/src/module-${Math.floor(index / 40)}/type-${index}.ts`,
    effect: "changed",
    added: index % 9,
    removed: index % 7,
  })),
  changedSince: Array.from({ length: 100 }, (_, index) => ({
    path: `docs/page-${index}.md`,
    effect: "changed",
    added: 1,
    removed: 1,
  })),
  total: 5_400,
};
const CHECKPOINTS: readonly CheckpointInfo[] = [
  { ...BEFORE, checkpointId: CheckpointId.parse("s1"), phase: "safety" },
  {
    ...BEFORE,
    checkpointId: CheckpointId.parse("c2-after"),
    phase: "after",
    message: "Now remove the generated types.",
  },
  {
    ...BEFORE,
    checkpointId: CheckpointId.parse("c2-before"),
    late: true,
    message: "Now remove the generated types.",
  },
  {
    ...BEFORE,
    at: "2026-01-15T09:58:00.000Z",
    message: "Use the header: seconds and the HTTP date form. Note it in the runbook, and tell the team about it.",
  },
  { ...BEFORE, at: "2026-01-14T17:20:00.000Z", checkpointId: CheckpointId.parse("c0") },
];

/** What agents did to the files, and the way back. */
export const RESTORE_STATES: readonly GalleryState[] = [
  {
    name: "turn-changes",
    shows: "the files of two turns, one of them opened, and a restore that can be undone",
    reach: async (stage) => {
      const session = await openEdited(stage);
      const line = session.transcript.getByRole("group", { name: "Changes of this turn" }).nth(1);
      await line.getByRole("button", { expanded: false }).click();
      await session.button("Undo this restore").waitFor();
    },
  },
  {
    name: "undo-failed",
    shows: "a restore that could not be undone",
    reach: async (stage) => {
      await playServer(stage.app, {
        "changes:undo": refused("WORKDIR_BUSY", "An agent is working in this directory. Wait for the end of its turn."),
      });
      const session = await openEdited(stage);
      await session.button("Undo this restore").click();
      await session.frame.getByRole("alert").getByText("An agent is working").waitFor();
    },
  },
  {
    name: "restore",
    shows: "files that go back, that were edited since, and that cannot be restored",
    reach: async (stage) => {
      const dialog = await askToRestore(stage, GROUPS);
      await dialog.getByRole("button", { name: "Restore 4 files" }).waitFor();
    },
  },
  {
    name: "restore-loading",
    shows: "files that are being compared",
    reach: async (stage) => {
      const dialog = await askToRestore(stage, GROUPS, { "checkpoint:preview": null });
      await dialog.getByText("Comparing files").waitFor();
    },
  },
  {
    name: "restore-nothing",
    shows: "files that are as they were",
    reach: async (stage) => {
      const dialog = await askToRestore(stage, NOTHING);
      await dialog.getByText("Nothing to restore").waitFor();
    },
  },
  {
    name: "restore-busy",
    shows: "an agent at work where files would be restored",
    reach: async (stage) => {
      const busy = refused("WORKDIR_BUSY", "An agent is working in this directory.");
      const dialog = await askToRestore(stage, GROUPS, { "checkpoint:restore": busy });
      await dialog.getByRole("button", { name: "Restore 4 files" }).click();
      await dialog.getByRole("button", { name: "Stop the agent and restore" }).waitFor();
    },
  },
  {
    name: "restore-changed",
    shows: "files that changed while they were shown",
    reach: async (stage) => {
      const changed = refused("WORKDIR_CHANGED", "Files changed since they were shown.");
      const dialog = await askToRestore(stage, GROUPS, { "checkpoint:restore": changed });
      await dialog.getByRole("button", { name: "Restore 4 files" }).click();
      await dialog.getByText("Files changed while this was open").waitFor();
    },
  },
  {
    name: "restore-refused",
    shows: "a checkpoint that is gone",
    reach: async (stage) => {
      const gone = refused(
        "CHECKPOINT_NOT_FOUND",
        "This checkpoint is no longer there. Choose another one from the list.",
      );
      const dialog = await askToRestore(stage, GROUPS, { "checkpoint:preview": gone });
      await dialog.getByText("no longer there").waitFor();
    },
  },
  {
    name: "restore-many",
    shows: "two thousand files",
    reach: async (stage) => {
      const dialog = await askToRestore(stage, MANY);
      await dialog.getByRole("button", { name: "Restore 1,900 files" }).waitFor();
    },
  },
  {
    name: "checkpoints",
    shows: "the stored states of a session's files",
    reach: async (stage) => {
      const { app } = stage;
      const list = { type: "checkpoint:list", sessionId: SESSION_ID, checkpoints: CHECKPOINTS };
      await playServer(app, { "checkpoint:list": list });
      await openEdited(stage);
      await app.tab(EDITED_TITLE).click({ button: "right" });
      await app.page.getByRole("menuitem", { name: "Checkpoints…" }).click();
      await app.page.getByRole("dialog").getByText("Safety copy").waitFor();
    },
  },
];
