import type { Locator } from "playwright-core";
import type { AppPage } from "../e2e/app-page.ts";
import { guideWith } from "../support/test-server.ts";
import type { GalleryState } from "./gallery-state.ts";
import { PROJECT } from "./seed-workspace.ts";
import { STORY, STORY_AGENT } from "./story-agent.ts";

async function menuOf(app: AppPage, title: string): Promise<Locator> {
  await app.row(title).hover();
  await app.projects.getByRole("button", { name: `More actions for ${title}` }).click();
  const menu = app.page.getByRole("menu", { name: `Actions for ${title}` });
  await menu.waitFor();
  return menu;
}

/** Everything around the sessions. */
export const SHELL_STATES: readonly GalleryState[] = [
  {
    name: "first-run",
    shows: "the very first start",
    seed: "empty",
    reach: ({ app }) => app.projects.getByText("Projects you add appear here").waitFor(),
  },
  {
    name: "nothing-open",
    shows: "projects and sessions, and no tab",
    reach: async ({ app }) => {
      await app.page.getByText("No session open").waitFor();
      await app.row("Rate limits per tenant").waitFor();
    },
  },
  {
    name: "many-projects",
    isWide: true,
    shows: "twenty projects with fifty sessions each",
    seed: { crowd: { projects: 20, sessionsEach: 50 } },
    reach: ({ app }) => app.row("Task 50 of service-20").waitFor(),
  },
  {
    name: "add-project",
    shows: "a directory that does not exist",
    reach: async ({ app }) => {
      await app.projects.getByRole("button", { name: "Add project", exact: true }).click();
      await app.dialog("Add project").getByRole("textbox", { name: "Directory" }).fill("/nowhere/at/all");
      await app.page.keyboard.press("Enter");
      await app.dialog("Add project").getByRole("alert").waitFor();
    },
  },
  {
    name: "remove-project",
    shows: "the question before a project leaves the list",
    reach: async ({ app }) => {
      await app.projects.getByRole("button", { name: "Remove liminal-web" }).click();
      await app.page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "new-session",
    shows: "the choice of an agent",
    reach: async ({ app }) => {
      const picker = await app.pickAgent(PROJECT);
      await picker.getByRole("radio", { name: STORY_AGENT, exact: true }).click();
      await picker
        .getByRole("textbox", { name: "First message" })
        .fill("Retry the importer on 502, as the webhooks do");
    },
  },
  {
    name: "sign-in",
    shows: "an agent that wants a sign-in first",
    server: { agents: { closed: { ...guideWith("--scenario", "auth-required"), name: "Closed Guide" } } },
    reach: async ({ app }) => {
      const session = await app.newSession(PROJECT, "Closed Guide");
      await session.button("Sign in").click();
      await app.dialog("Sign in to Closed Guide").getByRole("button", { name: "Sign in to the guide" }).waitFor();
    },
  },
  {
    name: "import",
    shows: "an agent that cannot tell which sessions it has",
    reach: async ({ app }) => {
      const picker = await app.pickAgent(PROJECT);
      await picker.getByRole("button", { name: "Import sessions…" }).click();
      await app.dialog("Import sessions").getByText("cannot list its sessions").waitFor();
    },
  },
  {
    name: "agents",
    shows: "all about the agents",
    reach: async ({ app }) => {
      await app.newSession(PROJECT);
      await app.projects.getByRole("button", { name: "Agents", exact: true }).click();
      await app.agents.getByText("Liminal Guide").first().waitFor();
    },
  },
  {
    name: "search",
    shows: "what was said, found",
    reach: async ({ app }) => {
      const session = await app.newSession(PROJECT, STORY_AGENT);
      await session.ask(STORY.whole, "at most a minute");
      await app.projects.getByRole("button", { name: "Search", exact: true }).click();
      await app.dialog("Search").getByRole("combobox", { name: "Search all sessions" }).fill("backoff");
      await app.dialog("Search").getByRole("listbox").getByRole("option").first().waitFor();
    },
  },
  {
    name: "search-nothing",
    shows: "a search without a find",
    reach: async ({ app }) => {
      await app.projects.getByRole("button", { name: "Search", exact: true }).click();
      await app.dialog("Search").getByRole("combobox", { name: "Search all sessions" }).fill("gooseberry");
      await app.dialog("Search").getByText("Try fewer or shorter words").waitFor();
    },
  },
  {
    name: "session-filter",
    isWide: true,
    shows: "sessions filtered by words and states",
    reach: async ({ app }) => {
      await app.projects.getByRole("button", { name: "Filter sessions", exact: true }).click();
      const filter = app.projects.getByRole("search", { name: "Filter sessions" });
      await filter.getByRole("textbox", { name: "Filter by title or label" }).fill("rate");
      await filter.getByText(/^\d+ of \d+ sessions$/).waitFor();
    },
  },
  {
    name: "palette",
    shows: "sessions and commands by a few letters",
    reach: async ({ app }) => {
      await app.page.keyboard.press("Control+k");
      await app.dialog("Command palette").getByRole("option").first().waitFor();
    },
  },
  {
    name: "shortcuts",
    shows: "the sheet of keys",
    reach: async ({ app }) => {
      await app.page.keyboard.press("Control+/");
      await app.dialog("Keyboard shortcuts").waitFor();
    },
  },
  {
    name: "overview",
    isLast: true,
    shows: "who works and waits, and what waits for you",
    reach: async ({ app }) => {
      const session = await app.newSession(PROJECT, STORY_AGENT);
      await session.say(STORY.asks);
      await session.permission.waitFor();
      await app.page.keyboard.press("Alt+o");
      await app.page.getByRole("region", { name: "Inbox" }).getByRole("group").first().waitFor();
    },
  },
  {
    name: "settings",
    shows: "theme, notifications, agents and data",
    reach: async ({ app, server }) => {
      await app.page.keyboard.press("Control+,");
      await app.dialog("Settings").getByText(server.dataDir).waitFor();
    },
  },
  {
    name: "row-menu",
    isWide: true,
    shows: "what can be done with a session",
    reach: async ({ app }) => {
      await menuOf(app, "Rate limits per tenant");
    },
  },
  {
    name: "rename",
    isWide: true,
    shows: "a title being written",
    reach: async ({ app }) => {
      await (await menuOf(app, "Rate limits per tenant")).getByRole("menuitem", { name: "Rename" }).click();
      await app.projects.getByRole("textbox").waitFor();
    },
  },
  {
    name: "delete",
    shows: "the question before a session is gone for good",
    reach: async ({ app }) => {
      await (await menuOf(app, "Rate limits per tenant")).getByRole("menuitem", { name: "Delete…" }).click();
      await app.page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "archived",
    isWide: true,
    shows: "what was put away",
    reach: async ({ app }) => {
      await app.projects.getByRole("button", { name: `Show archived in ${PROJECT}` }).click();
      await app.projects.getByText("Old spike: gRPC gateway").waitFor();
    },
  },
  {
    name: "archive-busy",
    shows: "the question before an agent at work is put away",
    reach: async ({ app }) => {
      const session = await app.newSession(PROJECT, STORY_AGENT);
      await session.say(STORY.streams);
      await session.untilSaid("when the caller");
      await app.archive(STORY.streams);
      await app.page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "tabs",
    shows: "more tabs than there is room for",
    reach: async ({ app }) => {
      for (const title of await app.rowTitles()) await app.open(title);
    },
  },
  {
    name: "drawer",
    shows: "the projects in a narrow window",
    isNarrow: true,
    reach: async ({ app }) => {
      await app.page.getByRole("button", { name: "Show projects" }).click();
      await app.row("Rate limits per tenant").waitFor();
    },
  },
];
