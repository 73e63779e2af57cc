import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { CliType, ProjectId, SessionId } from "../../src/protocol/ids.ts";
import type { UsageRow } from "../../src/protocol/usage.ts";
import { scriptedAgent } from "../integration/scripted-agent.ts";
import type { GalleryStage, GalleryState } from "./gallery-state.ts";
import { playServer } from "./play-server.ts";
import { PROJECT } from "./seed-workspace.ts";
import { STORY_AGENT } from "./story-agent.ts";

const DAY_MS = 86_400_000;
const dayBefore = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
const DAYS = Array.from({ length: 14 }, (_, at) => dayBefore(13 - at));

/** Two weeks of three agents in two projects: a day without work, and one with much. */
function usageRows(): UsageRow[] {
  const shares = [
    { cliType: "claude-code", project: PROJECT, account: "ada@example.org", part: 1 },
    { cliType: "codex", project: PROJECT, account: undefined, part: 0.4 },
    { cliType: "claude-code", project: "liminal-web", account: "ada@example.org", part: 0.25 },
  ];
  return DAYS.flatMap((day, at) =>
    shares.flatMap(({ cliType, project, account, part }, index): UsageRow[] => {
      const cost = at === 4 || at === 11 ? 0 : Number((part * (1 + ((at * 5) % 7)) * 0.9).toFixed(2));
      if (cost === 0) return [];
      return [
        {
          day,
          sessionId: SessionId.parse(`${cliType}:s${index}-${at % 3}`),
          projectId: ProjectId.parse(project),
          cliType: CliType.parse(cliType),
          ...(account !== undefined && { account }),
          turns: 1 + (at % 5),
          tokens: Math.round(cost * 310_000),
          cost,
          currency: "USD",
        },
      ];
    }),
  );
}

async function openAgents({ app }: GalleryStage): Promise<Locator> {
  await app.projects.getByRole("button", { name: "Agents", exact: true }).click();
  await app.agents.getByRole("button", { name: "Own agent" }).waitFor();
  return app.agents;
}

const MODEL_NAMES = ["Opus 4.8", "Sonnet 5", "Haiku 5", "Opus 4.8 with a million tokens", "Opus Plan Mode"];
/** As an agent of many providers offers them: more than fit. */
const MODELS = MODEL_NAMES.concat(
  ["GPT", "Gemini", "Qwen Coder", "Kimi", "GLM", "DeepSeek", "Mistral"].flatMap((family) =>
    [2, 3, 4].map((version) => `${family} ${version}`),
  ),
).map((name) => ({
  value: name.toLowerCase().replaceAll(" ", "-"),
  name,
  ...(name.startsWith("Opus") && { description: "For work that needs much thought" }),
}));
const OPTIONS = {
  type: "agent:options",
  options: [
    { type: "select", id: "model", name: "Model", category: "model", currentValue: "opus-4.8", options: MODELS },
    {
      type: "select",
      id: "effort",
      name: "Effort",
      category: "thought_level",
      currentValue: "high",
      options: ["Low", "Medium", "High"].map((name) => ({ value: name.toLowerCase(), name })),
    },
  ],
  favourites: ["sonnet-5", "kimi-3"],
  lastModel: "sonnet-5",
};

const ROUTER = {
  ...scriptedAgent({
    answers: {
      "session/new": {
        sessionId: "s",
        models: {
          currentModelId: "opus-4.8",
          availableModels: MODELS.map(({ value, ...model }) => ({ modelId: value, ...model })),
        },
      },
    },
  }),
  name: "Router",
};

/** Agents report their models in their first session. */
const playModels = ({ app }: GalleryStage) =>
  playServer(app, { "agent:options": ({ cliType }) => ({ ...OPTIONS, cliType }) });

async function openModels(place: Locator, label: string): Promise<Locator> {
  await place.getByRole("button", { name: `${label}: Opus 4.8`, exact: true }).click();
  const list = place.getByRole("dialog", { name: label });
  await list.getByRole("group", { name: "Favourites" }).waitFor();
  await list.getByRole("combobox").and(list.locator(":focus")).waitFor();
  return list;
}

async function menuItem({ app }: GalleryStage, title: string, item: string): Promise<void> {
  await app.row(title).hover();
  await app.projects.getByRole("button", { name: `More actions for ${title}` }).click();
  await app.page
    .getByRole("menu", { name: `Actions for ${title}` })
    .getByRole("menuitem", { name: item })
    .click();
}

/** Pages, forms and sheets that a visit rarely opens. */
export const PAGE_STATES: readonly GalleryState[] = [
  {
    name: "agent-form",
    shows: "an agent of the user's own that cannot be started",
    atTop: ({ app }) => app.agents.getByRole("form", { name: "Own agent" }),
    reach: async (stage) => {
      const page = await openAgents(stage);
      await page.getByRole("button", { name: "Own agent" }).click();
      const form = page.getByRole("form", { name: "Own agent" });
      await form.getByLabel("Name", { exact: true }).fill("Reviewer");
      await form.getByLabel("Command", { exact: true }).fill("/nowhere/reviewer-acp");
      await form.getByRole("button", { name: "Add a variable" }).click();
      await form.getByLabel("Name of variable 1").fill("REVIEWER_TOKEN");
      await form.getByRole("button", { name: "Save" }).click();
      await form.getByText("Enter the variable of the server that has the value of REVIEWER_TOKEN").waitFor();
      await form.getByLabel("Variable of the server of REVIEWER_TOKEN").fill("REVIEWER_TOKEN");
      await form.getByRole("button", { name: "Test" }).click();
      await form.locator(".notice[data-severity=error]").waitFor();
    },
  },
  {
    name: "tool-server-form",
    shows: "a tool server with an address and a header, also for a place",
    atTop: ({ app }) => app.agents.getByRole("form", { name: "New tool server" }),
    reach: async (stage) => {
      const places = ["build-1", "gpu-box"].map((name) => ({
        ...{ name, state: "idle", setting: { kind: "ssh", host: `${name}.example` } },
      }));
      await playServer(stage.app, {
        "place:list": { type: "place:list", path: "/home/ada/.liminal/config.json", places, problems: [] },
      });
      const page = await openAgents(stage);
      await page.getByRole("button", { name: "New tool server" }).click();
      const form = page.getByRole("form", { name: "New tool server" });
      await form.getByLabel("Name", { exact: true }).fill("tickets");
      await form.getByLabel("Kind of tool server").selectOption("address");
      await form.getByLabel("Address").fill("tickets.example/mcp");
      await form.getByRole("button", { name: "Add a header" }).click();
      await form.getByLabel("Name of header 1").fill("Authorization");
      await form.getByRole("checkbox", { name: "build-1" }).check();
      await form.getByRole("button", { name: "Save" }).click();
      await form.getByText("Enter an address that starts with").waitFor();
    },
  },
  {
    name: "models-new-session",
    shows: "the models of an agent on the screen of a new session, favourites first",
    reach: async (stage) => {
      await playModels(stage);
      const form = await stage.app.pickAgent(PROJECT);
      await form.getByRole("radio", { name: STORY_AGENT }).click();
      await openModels(form, `Model of ${STORY_AGENT}`);
    },
  },
  {
    name: "models-agents-page",
    shows: "the models of an agent, searched on the agents page",
    reach: async (stage) => {
      await playModels(stage);
      const page = await openAgents(stage);
      const list = await openModels(page, `Model of ${STORY_AGENT}`);
      await list.getByRole("combobox").fill("opus");
      await list.getByRole("option", { name: "Opus 4.8", exact: false, selected: true }).waitFor();
    },
  },
  {
    name: "models-session",
    shows: "the models of an agent in its session, one of them starred",
    server: { agents: { router: ROUTER } },
    reach: async ({ app }) => {
      const { frame, message } = await app.newSession(PROJECT, "Router");
      await message.and(frame.locator(":focus")).waitFor();
      await frame.getByRole("button", { name: "Model: Opus 4.8", exact: true }).click();
      const list = frame.getByRole("dialog", { name: "Model" });
      await list.getByRole("option", { name: "Sonnet 5" }).getByTitle("Add to favourites").click();
      await list.getByRole("option", { name: "Sonnet 5 (favourite)" }).waitFor();
    },
  },
  {
    name: "labels",
    shows: "the labels of a session",
    reach: async (stage) => {
      await menuItem(stage, "Rate limits per tenant", "Labels…");
      const dialog = stage.app.dialog("Labels of “Rate limits per tenant”");
      for (const label of ["billing", "waits for review"]) {
        await dialog.getByLabel("New label").fill(label);
        await dialog.getByRole("button", { name: "Add" }).click();
        await dialog.getByRole("checkbox", { name: label, checked: true }).waitFor();
      }
    },
  },
  {
    name: "filter-by-label",
    isWide: true,
    shows: "sessions filtered by a label",
    reach: async (stage) => {
      const { app } = stage;
      await menuItem(stage, "Explain the billing schema", "Labels…");
      const dialog = app.dialog("Labels of “Explain the billing schema”");
      await dialog.getByLabel("New label").fill("schema");
      await dialog.getByRole("button", { name: "Add" }).click();
      await dialog.getByRole("checkbox", { name: "schema", checked: true }).waitFor();
      await app.page.keyboard.press("Escape");
      await dialog.waitFor({ state: "hidden" });
      await app.projects.getByRole("button", { name: "Filter sessions", exact: true }).click();
      const filter = app.projects.getByRole("search", { name: "Filter sessions" });
      await filter.getByRole("button", { name: "schema" }).click();
      await filter.getByText(/^1 of \d+ sessions$/).waitFor();
    },
  },
  {
    name: "archive-undo",
    shows: "a session that was just archived, and the way back",
    reach: async ({ app }) => {
      await app.archive("Sort the interview notes");
      await app.page.getByRole("button", { name: "Undo", exact: true }).waitFor();
    },
  },
  {
    name: "usage",
    shows: "what agents used in two weeks",
    isLast: true,
    reach: async ({ app }) => {
      await playServer(app, {
        "usage:get": () => ({ type: "usage:report", days: DAYS, rows: usageRows(), isCut: false }),
      });
      await app.projects.getByRole("button", { name: "Usage", exact: true }).click();
      await app.page.getByRole("img", { name: /^Cost per day/ }).waitFor();
    },
  },
  {
    name: "directory-browser",
    shows: "the directories that a project can be added from",
    prepare: (dataDir) => {
      const home = join(dataDir, "../home");
      for (const name of ["atlas-api/.git", "code", "documents", "field-notes", "liminal-web/.git"])
        mkdirSync(join(home, name), { recursive: true });
    },
    reach: async ({ app }) => {
      await app.projects.getByRole("button", { name: "Add project", exact: true }).click();
      await app.dialog("Add project").getByRole("option", { name: "liminal-web" }).waitFor();
    },
  },
  {
    name: "tab-sheet",
    shows: "the open sessions on a phone",
    isPhone: true,
    reach: async ({ app }) => {
      for (const title of ["Rate limits per tenant", "Explain the billing schema"]) {
        await app.page.getByRole("button", { name: "Show projects" }).click();
        await app.row(title).click();
        await app.page.getByRole("button", { name: new RegExp(`^${title}\\s*\\d$`) }).waitFor();
      }
      await app.page.getByRole("button", { name: /^Explain the billing schema\s*2$/ }).click();
      await app.dialog("Open sessions").waitFor();
    },
  },
  {
    name: "row-menu-phone",
    shows: "what can be done with a session, on a phone",
    isPhone: true,
    reach: async ({ app }) => {
      await app.page.getByRole("button", { name: "Show projects" }).click();
      await app.projects.getByRole("button", { name: "More actions for Rate limits per tenant" }).click();
      await app.page.getByRole("menu", { name: "Actions for Rate limits per tenant" }).waitFor();
    },
  },
  {
    name: "project-menu-phone",
    shows: "what can be done with a project, on a phone",
    isPhone: true,
    reach: async ({ app }) => {
      await app.page.getByRole("button", { name: "Show projects" }).click();
      await app.projects.getByRole("button", { name: `More actions for ${PROJECT}` }).click();
      await app.page.getByRole("menu", { name: `Actions for ${PROJECT}` }).waitFor();
    },
  },
  {
    name: "sign-in-page",
    shows: "a browser that is not signed in, and a token that was wrong",
    isRefused: true,
    reach: async ({ app, server }) => {
      await app.page.context().clearCookies();
      await app.page.goto(server.origin);
      await app.page.getByLabel("Link or token").fill("not-the-token");
      await app.page.getByRole("button", { name: "Sign in" }).click();
      await app.page.getByText("That is not the token of this server.").waitFor();
    },
  },
];
