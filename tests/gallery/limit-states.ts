import { claudeLimit, refusingAgent } from "../limits/limited-agent.ts";
import type { GalleryStage, GalleryState } from "./gallery-state.ts";
import { PROJECT } from "./seed-workspace.ts";

const LIMITED = "Limited";
const MINUTES = 47;
const soon = () => Date.now() + MINUTES * 60_000;
const nearlyUsed = {
  meta: {
    "_claude/rateLimit": {
      status: "allowed_warning",
      utilization: 0.92,
      resetsAt: 4_000_000_000,
      rateLimitType: "five_hour",
    },
  },
  said: "The list now keeps 40 rows in the page, whatever its length.",
  error: null,
};

/** A session whose agent has met the limit of its account. */
async function meetLimit({ app }: GalleryStage) {
  const session = await app.newSession(PROJECT, LIMITED);
  await session.say("Measure the jump when a row above the fold changes height");
  await session.frame.getByRole("group", { name: "Usage limit" }).waitFor();
  return session;
}

/** Usage limits of an agent's account. */
export const LIMIT_STATES: readonly GalleryState[] = [
  {
    name: "usage-limit",
    shows: "a session at a usage limit, and what can become of it",
    server: { agents: { limited: refusingAgent({ ...claudeLimit(soon()), works: true }) } },
    reach: async (stage) => {
      await meetLimit(stage);
    },
  },
  {
    name: "usage-limit-agreed",
    shows: "a session that continues when its limit ends, with a message that waits",
    server: { agents: { limited: refusingAgent(claudeLimit(soon())) } },
    reach: async (stage) => {
      const session = await meetLimit(stage);
      await session.frame.getByRole("button", { name: "Resume then" }).click();
      await session.frame.getByRole("heading", { name: /resumes/ }).waitFor();
      await session.say("Then compare with the old list");
      await session.frame.getByText("1 queued message follows.").waitFor();
    },
  },
  {
    name: "quota",
    shows: "a used up quota without an end",
    server: {
      agents: {
        limited: refusingAgent({
          error: { code: 429, message: "Quota exceeded. Check your plan and billing details." },
        }),
      },
    },
    reach: async (stage) => {
      await meetLimit(stage);
    },
  },
  {
    name: "agent-windows",
    shows: "an agent whose account is nearly used up",
    server: { agents: { limited: refusingAgent(nearlyUsed) } },
    reach: async ({ app }) => {
      const session = await app.newSession(PROJECT, LIMITED);
      await session.ask("Keep the page small", "whatever its length");
      await app.page.getByRole("button", { name: "Agents", exact: true }).click();
      await app.page.getByText("5-hour limit 92 % used").waitFor();
    },
  },
];
