import type { AppPage } from "../e2e/app-page.ts";
import { loadedFrames } from "../e2e/loaded-frames.ts";
import type { GalleryState } from "./gallery-state.ts";
import { WIDE } from "./open-stage.ts";
import { PROJECT } from "./seed-workspace.ts";
import { tellStory } from "./session-states.ts";

/** 1,440 pixels at twice the size. */
const ZOOMED = { width: 720, height: 450 };

/** Text at twice its size, and nothing else: what a reader's own settings ask for. */
export async function doubleText(app: AppPage): Promise<void> {
  for (const frame of await loadedFrames(app.page))
    await frame.evaluate("document.documentElement.style.fontSize = '200%'");
}

/** Prints to nowhere, by the key or another way: the frame is left as the printer would have met it. */
export async function printToNowhere(app: AppPage, ask = () => app.page.keyboard.press("Control+p")): Promise<void> {
  for (const frame of await loadedFrames(app.page))
    await frame.evaluate("window.print = () => document.body.setAttribute('data-printed', document.title)");
  await ask();
  await app.page.locator("iframe[data-session-id]:visible").contentFrame().locator("[data-printed]").waitFor();
  await app.page.emulateMedia({ media: "print" });
}

/** The same things for eyes that want them larger, and on paper. */
export const READING_STATES: readonly GalleryState[] = [
  {
    name: "zoomed",
    shows: "a session at 200 %",
    viewport: ZOOMED,
    reach: async (stage) => {
      await stage.app.page.setViewportSize(WIDE);
      await tellStory(stage);
      await stage.app.page.setViewportSize(ZOOMED);
    },
  },
  {
    name: "zoomed-dialog",
    shows: "a new session at 200 %",
    viewport: ZOOMED,
    reach: async ({ app }) => {
      await app.page.keyboard.press("n");
      await app.dialog("New session").waitFor();
    },
  },
  {
    name: "large-text",
    isLast: true,
    shows: "a session with text at 200 %",
    isWide: true,
    reach: async (stage) => {
      await tellStory(stage);
      await doubleText(stage.app);
    },
  },
  {
    name: "large-text-permission",
    isLast: true,
    shows: "a question with text at 200 %",
    isWide: true,
    reach: async ({ app }) => {
      const session = await app.newSession(PROJECT);
      await session.say("ask");
      await session.question.waitFor();
      await doubleText(app);
    },
  },
  {
    name: "print",
    isLast: true,
    shows: "a session on paper",
    isWide: true,
    reach: async (stage) => {
      await tellStory(stage);
      await printToNowhere(stage.app);
    },
  },
];
