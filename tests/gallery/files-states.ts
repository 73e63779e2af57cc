import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { FrameLocator } from "playwright-core";
import { git, write } from "../workspace/git-scene.ts";
import type { GalleryStage, GalleryState } from "./gallery-state.ts";
import { PROJECT } from "./seed-workspace.ts";
import { tellStory } from "./session-states.ts";

const SOURCE = `/** Retry-After in milliseconds; undefined when there is none. */
export function retryAfter(error: unknown): number | undefined {
  const value = headerOf(error, "retry-after")?.trim();
  if (!value) return undefined;

  // Seconds: digits only, so "1e3" and "-5" do not count
  if (isDigits(value)) return Number(value) * 1000;

  // HTTP date: the past means "now", which is no wait at all
  const at = Date.parse(value);
  if (Number.isNaN(at)) return undefined;
  const wait = at - Date.now();
  return wait > 0 ? wait : undefined;
}

const isDigits = (value: string) => /^[0-9]+$/.test(value);

/* hidden: \u202e } */
function headerOf(error: unknown, name: string) {
  if (!(error instanceof DeliveryError)) return undefined;
  return error.response?.headers.get(name) ?? undefined;
}
`;

/** The project of the story as a repository with changes in it, and its files beside the story. */
async function openFiles(stage: GalleryStage): Promise<FrameLocator> {
  const root = join(dirname(stage.server.dataDir), "work", PROJECT);
  if (!existsSync(join(root, ".git"))) {
    const fixtures = Array.from(
      { length: 700 },
      (_, index) => [`fixtures/delivery-${index + 1}.json`, "{}\n"] as const,
    );
    await write(root, {
      ...Object.fromEntries(fixtures),
      ".gitignore": "node_modules\n.env.local\n",
      "docs/runbook.md": "",
    });
    git(root, "init", "-q", "-b", "main");
    git(root, "add", "-A");
    git(root, "commit", "-qm", "first");
    await write(root, {
      "src/retry/retry-after.ts": SOURCE,
      "docs/runbook.md": "# Runbook\n",
      "node_modules/x/index.js": "",
      ".env.local": "",
      "logo.png": new Uint8Array([137, 80, 78, 71, 0, 0]),
      "empty.txt": "",
    });
  }
  const { frame } = await tellStory(stage);
  await frame.getByRole("button", { name: "Files", exact: true }).click();
  await frame.getByRole("treeitem", { name: "docs" }).waitFor();
  return frame;
}

const rowOf = (frame: FrameLocator, name: string | RegExp) => frame.getByRole("treeitem", { name });

async function openSource(stage: GalleryStage): Promise<FrameLocator> {
  const frame = await openFiles(stage);
  await rowOf(frame, /^src/).click();
  await rowOf(frame, /^retry/)
    .first()
    .click();
  await rowOf(frame, /^retry-after\.ts/).click();
  await frame.locator(".source .hljs-keyword").first().waitFor();
  return frame;
}

/** Files beside a session. */
export const FILES_STATES: readonly GalleryState[] = [
  {
    name: "files",
    shows: "the files of a session, none of them open",
    reach: async (stage) => {
      await openFiles(stage);
    },
  },
  {
    name: "files-lines",
    shows: "a file with selected lines, and characters that nobody would see",
    reach: async (stage) => {
      const frame = await openSource(stage);
      await frame.locator('.n[data-line="9"]').click();
      await frame.locator('.n[data-line="13"]').click({ modifiers: ["Shift"] });
      await frame.getByText("Lines 9–13 of 22").waitFor();
    },
  },
  {
    name: "files-more",
    shows: "a directory with more files than are listed at once",
    reach: async (stage) => {
      const frame = await openFiles(stage);
      await rowOf(frame, /^fixtures/).click();
      await rowOf(frame, "delivery-1.json").waitFor();
      await frame.getByRole("tree").press("End");
      await rowOf(frame, "Show 200 more").waitFor();
    },
  },
  {
    name: "files-filter",
    shows: "files that match what is typed",
    reach: async (stage) => {
      const frame = await openFiles(stage);
      await frame.getByRole("textbox", { name: "Filter files" }).fill("back");
      await rowOf(frame, /backoff\.test\.ts/).waitFor();
    },
  },
  {
    name: "files-binary",
    shows: "a file that is no text",
    reach: async (stage) => {
      const frame = await openFiles(stage);
      await rowOf(frame, /^logo/).click();
      await frame.getByText(/Binary file/).waitFor();
    },
  },
  {
    name: "files-empty",
    shows: "an empty file, and no editor to open it in",
    reach: async (stage) => {
      const frame = await openFiles(stage);
      await rowOf(frame, /^empty/).click();
      await frame.getByText("This file is empty.").waitFor();
      await frame.getByRole("button", { name: "Open in editor" }).click();
      await frame.getByText(/No editor is set/).waitFor();
    },
  },
];
