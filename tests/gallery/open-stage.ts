import type { Browser } from "playwright-core";
import { openApp } from "../e2e/app-page.ts";
import { scriptedAgent } from "../integration/scripted-agent.ts";
import { startTestServer } from "../support/test-server.ts";
import type { GalleryStage, GalleryState } from "./gallery-state.ts";
import { seedWorkspace } from "./seed-workspace.ts";
import { storyAgent } from "./story-agent.ts";

export const WIDE = { width: 1_440, height: 900 };
export const NARROW = { width: 390, height: 844 };

/** Agents by their names in the picker. */
const AGENTS = {
  "claude-code": storyAgent(),
  codex: { ...scriptedAgent(), name: "Codex" },
};

/** Opens a page on a server of its own and brings it into a state; the theme follows `page.emulateMedia`. */
export async function openStage(browser: Browser, state: GalleryState, onProblem?: (words: string) => void) {
  const {
    seed = {},
    isNarrow = false,
    isPhone = false,
    losesServer = false,
    isRefused = false,
    hasOwnCertificate = false,
  } = state;
  const server = await startTestServer({
    agents: { ...AGENTS, ...state.server?.agents },
    ...(state.server?.env && { env: state.server.env }),
    prepare: async (dataDir) => {
      if (seed !== "empty") await seedWorkspace(dataDir, seed);
      await state.prepare?.(dataDir);
    },
  });
  const viewport = state.viewport ?? (isNarrow || isPhone ? NARROW : WIDE);
  const options = {
    viewport,
    theme: "system" as const,
    isPhone,
    losesServer,
    isRefused,
    acceptsCertificate: hasOwnCertificate,
    ...(onProblem && { onProblem }),
  };
  const app = await openApp(browser, server, options).catch(async (error: unknown) => {
    await server[Symbol.asyncDispose]();
    throw error;
  });
  const stage: GalleryStage = { server, app };
  return {
    ...stage,
    reach: () => state.reach(stage),
    async [Symbol.asyncDispose]() {
      try {
        await app[Symbol.asyncDispose]();
      } finally {
        // Also when the page had errors: a server that is left keeps this process.
        await server[Symbol.asyncDispose]();
      }
    },
  };
}
