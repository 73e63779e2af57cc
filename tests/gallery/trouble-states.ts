import { join } from "node:path";
import { killMarked } from "../../scripts/test/marked-processes.ts";
import { leaveCrashReport } from "../support/crash-report.ts";
import { failWrites, NO_FILE_LIMIT } from "../support/file-limit.ts";
import { type AgentSetting, guideWith, ROOT, type TestServer } from "../support/test-server.ts";
import type { GalleryState } from "./gallery-state.ts";
import { PROJECT } from "./seed-workspace.ts";
import { STORY, STORY_AGENT } from "./story-agent.ts";

const FAR_MS = "600000";
const MAIN = join(ROOT, "builtin-agent/main.ts");
/** Started a second time, it takes for ever. */
const RETURNING: AgentSetting = {
  name: "Returning",
  command: "/bin/sh",
  args: [
    "-c",
    `if [ -e "$HOME/came" ]; then exec '${process.execPath}' '${MAIN}' --start-delay-ms ${FAR_MS}; fi
    touch "$HOME/came"; exec '${process.execPath}' '${MAIN}'`,
  ],
  retryMs: [1],
};

/** `kill -9` of every built-in agent of this server. */
function killGuides(server: TestServer): void {
  killMarked(server.agentProcesses().filter(({ commandLine }) => commandLine.includes("builtin-agent/main.ts")));
}

/** What goes wrong, and the way out of it. */
export const TROUBLE_STATES: readonly GalleryState[] = [
  {
    name: "error",
    shows: "a turn that failed",
    reach: async ({ app }) => {
      const session = await app.newSession(PROJECT);
      await session.say("fail");
      await session.button("Try again").waitFor();
    },
  },
  {
    name: "refusal",
    shows: "a turn the agent declined",
    reach: async ({ app }) => {
      const session = await app.newSession(PROJECT);
      await session.ask("scenario refusal", "So far, so good.");
      await session.entries("notice").waitFor();
    },
  },
  {
    name: "agent-gone",
    shows: "an agent that ended and does not come back",
    server: { agents: { frail: { ...guideWith(), name: "Frail", retryMs: [] } } },
    reach: async ({ app, server }) => {
      const session = await app.newSession(PROJECT, "Frail");
      await session.ask("help", "Try these first");
      killGuides(server);
      await session.untilStatus("disconnected");
      await session.button("Reconnect").waitFor();
    },
  },
  {
    name: "reconnecting",
    shows: "an agent on its way back",
    server: { agents: { returning: RETURNING } },
    reach: async ({ app, server }) => {
      const session = await app.newSession(PROJECT, "Returning");
      await session.ask("help", "Try these first");
      killGuides(server);
      await session.untilStatus("reconnecting");
    },
  },
  {
    name: "starting",
    shows: "an agent that is being started",
    server: { agents: { slow: { ...guideWith("--start-delay-ms", FAR_MS), name: "Slowpoke" } } },
    reach: async ({ app }) => {
      const session = await app.newSession(PROJECT, "Slowpoke");
      await session.status.getByText("Starting Slowpoke…").waitFor();
      await session.message.fill("Why is the build slow?");
    },
  },
  {
    name: "not-installed",
    shows: "an agent that could not be started",
    server: { agents: { ghost: { name: "Ghost", command: "/nowhere/ghost" } } },
    reach: async ({ app }) => {
      const session = await app.newSession(PROJECT, "Ghost");
      await session.frame.getByText("Could not start Ghost. Check that it's installed.").waitFor();
      await session.message.fill("Why is the build slow?");
    },
  },
  {
    name: "stalled",
    shows: "a turn without a word for a while",
    server: { env: { ACP_PROMPT_TIMEOUT_MS: "250" } },
    reach: async ({ app }) => {
      const session = await app.newSession(PROJECT, STORY_AGENT);
      await session.say(STORY.streams);
      await session.frame.getByText("No output for a while").waitFor();
    },
  },
  {
    name: "read-only",
    shows: "a disk that takes nothing, with a message half written",
    absentBecause: NO_FILE_LIMIT,
    // Holders keep what could not be stored beyond the end of the server.
    server: { env: { LIMINAL_HOLD_MS: "0" } },
    reach: async ({ app, server }) => {
      const session = await app.newSession(PROJECT, STORY_AGENT);
      await session.ask(STORY.whole, "at most a minute");
      failWrites(server.pid);
      await session.message.fill("And now the jitter");
      await app.page.getByRole("alert").filter({ hasText: "Read-only" }).waitFor();
      await session.untilSendIs("off");
    },
  },
  {
    name: "crash-report",
    shows: "an earlier run that ended unexpectedly",
    prepare: leaveCrashReport,
    reach: async ({ app }) => {
      await app.page.getByRole("status").filter({ hasText: "ended unexpectedly" }).waitFor();
      await app.row("Rate limits per tenant").waitFor();
    },
  },
  {
    name: "offline",
    shows: "a server that is away, with a message half written",
    losesServer: true,
    reach: async ({ app, server }) => {
      const session = await app.newSession(PROJECT, STORY_AGENT);
      await session.ask(STORY.whole, "at most a minute");
      await session.message.fill("And now the jitter");
      await server.kill();
      await app.page.getByRole("status").filter({ hasText: "Connection lost" }).waitFor();
    },
  },
];
