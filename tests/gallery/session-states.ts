import type { AppPage } from "../e2e/app-page.ts";
import type { SessionView } from "../e2e/session-view.ts";
import { delegatingAgent } from "../integration/delegating-agent.ts";
import type { GalleryStage, GalleryState } from "./gallery-state.ts";
import { LONG_TITLE, PROJECT } from "./seed-workspace.ts";
import { STORY, STORY_AGENT } from "./story-agent.ts";

/** As the tab is called: a long first message gives a title cut at a word. */
const STORY_TAB = "Retries never stop growing. Cap the backoff at a…";

/** The whole story; one that was played on this stage before is opened again. */
export async function tellStory({ app }: GalleryStage): Promise<SessionView> {
  if ((await app.row(STORY_TAB).count()) > 0) {
    const told = await app.open(STORY_TAB);
    await told.untilSaid("at most a minute");
    return told;
  }
  const session = await app.newSession(PROJECT, STORY_AGENT);
  await session.ask(STORY.whole, "at most a minute");
  return session;
}

/** Opens the tool call with this name and brings it to the top. */
async function unfold(session: SessionView, name: RegExp): Promise<void> {
  const call = session.entries("tool-call").filter({ hasText: name }).first();
  await call.getByRole("button").first().click();
  await call.evaluate((element) => element.scrollIntoView({ block: "start" }));
}

async function unfoldAll(session: SessionView): Promise<void> {
  const folded = session.transcript.getByRole("button", { expanded: false });
  while ((await folded.count()) > 0) await folded.first().click();
}

async function talkToGuide(app: AppPage): Promise<SessionView> {
  return app.newSession(PROJECT);
}

/** A session's own frame, at rest and at work. */
export const SESSION_STATES: readonly GalleryState[] = [
  {
    name: "empty-session",
    shows: "a session in which nothing was said yet",
    reach: async ({ app }) => {
      const session = await talkToGuide(app);
      await session.frame.getByRole("heading", { name: /Ask Liminal Guide/ }).waitFor();
    },
  },
  {
    name: "loading",
    isLast: true,
    shows: "a session whose history is on its way",
    reach: async ({ app }) => {
      await app.page.routeWebSocket(/\/ws/, (socket) => {
        const server = socket.connectToServer();
        server.onMessage((frame) => {
          if (!String(frame).includes('"session:history"')) socket.send(frame);
        });
      });
      await app.refresh();
      await app.row("Rate limits per tenant").click();
      const frame = app.page.locator("iframe[data-session-id]:visible").contentFrame();
      await frame.locator(".skeleton").first().waitFor();
    },
  },
  {
    name: "session",
    shows: "a finished turn: thought, tools, plan, answer",
    reach: async (stage) => {
      await tellStory(stage);
    },
  },
  {
    name: "streaming",
    shows: "an answer that is being written",
    reach: async ({ app }) => {
      const session = await app.newSession(PROJECT, STORY_AGENT);
      await session.say(STORY.streams);
      await session.untilSaid("when the caller");
    },
  },
  {
    name: "plan",
    shows: "a plan that goes on, with a tool at work",
    reach: async ({ app }) => {
      const session = await app.newSession(PROJECT, STORY_AGENT);
      await session.say(STORY.plans);
      await session.frame.locator("details.plan").waitFor();
      await session.entries("tool-call").waitFor();
    },
  },
  {
    name: "tools-open",
    shows: "every card of a turn opened",
    reach: async (stage) => {
      const session = await tellStory(stage);
      await unfoldAll(session);
    },
  },
  { name: "diff", shows: "a change", reach: async (stage) => unfold(await tellStory(stage), /Edit/) },
  { name: "terminal", shows: "a command's output", reach: async (stage) => unfold(await tellStory(stage), /bun test/) },
  {
    name: "everything",
    shows: "one of each kind of content an agent can send, opened",
    reach: async ({ app }) => {
      const session = await talkToGuide(app);
      await session.ask("all", "That was all.");
      await unfoldAll(session);
    },
  },
  {
    name: "find",
    shows: "words found in a session",
    reach: async (stage) => {
      const session = await tellStory(stage);
      await session.message.press("Control+f");
      await session.frame.getByRole("textbox", { name: "Find in session" }).fill("attempt");
      await session.frame.getByText(/^1 of /).waitFor();
    },
  },
  {
    name: "columns",
    isLast: true,
    shows: "two sessions side by side",
    isWide: true,
    reach: async (stage) => {
      const { app } = stage;
      await tellStory(stage);
      await app.open("Rate limits per tenant");
      await app.tab(STORY_TAB).click({ button: "right" });
      await app.page.getByRole("menuitem", { name: "Open to the side" }).click();
      await app.page.locator("iframe[data-session-id]:visible").nth(1).waitFor();
    },
  },
  {
    name: "long-session",
    shows: "two thousand entries, read in the middle",
    seed: { longTurns: 500 },
    reach: async ({ app }) => {
      const session = await app.open(LONG_TITLE);
      await session.untilSaid("did not");
      await session.scrollUp(2_000);
      await session.frame.getByRole("button", { name: /Jump to latest/ }).waitFor();
    },
  },
  {
    name: "sub-agents",
    shows: "the steps of a sub-agent",
    reach: async ({ app }) => {
      const session = await talkToGuide(app);
      await session.ask("scenario sub-agents", "Both are done.");
      await unfoldAll(session);
    },
  },
  {
    name: "snippet-offered",
    shows: "commands and a snippet after a slash",
    reach: async ({ app, server }) => {
      const client = await server.connect();
      const body = "Review $ARGUMENTS.";
      await client.ask("snippet:list", { type: "snippet:save", name: "review", body });
      const session = await talkToGuide(app);
      const field = session.frame.getByRole("textbox", { name: "Message" });
      await field.click();
      await field.pressSequentially("/");
      await session.frame.getByRole("option", { name: /review/ }).waitFor();
    },
  },
  {
    name: "session-mentioned",
    shows: "files and sessions after an at sign, and a message with a mention",
    reach: async ({ app }) => {
      const session = await talkToGuide(app);
      const field = session.frame.getByRole("textbox", { name: "Message" });
      await field.click();
      await field.pressSequentially("as in @ratelimits");
      await session.frame.getByRole("option", { name: /Rate limits per tenant/ }).click();
      await field.press("Enter");
      await session.entries("user").getByRole("button", { name: "Rate limits per tenant" }).waitFor();
      await session.untilIdle();
      await field.pressSequentially("@re");
      await session.frame.getByRole("option").first().waitFor();
    },
  },
  {
    name: "sub-agent-at-work",
    shows: "a sub-agent that works, with its words and its Stop",
    server: { agents: { delegating: delegatingAgent() } },
    reach: async ({ app }) => {
      const session = await app.newSession(PROJECT, "Delegating");
      await session.say("hang");
      await session.transcript.getByText("I look into src.").waitFor();
      await session.transcript.getByRole("button", { name: /^Stop Explore/ }).waitFor();
    },
  },
  {
    name: "sub-agent-asks",
    shows: "a sub-agent that waits for a yes",
    server: { agents: { delegating: delegatingAgent() } },
    reach: async ({ app }) => {
      const session = await app.newSession(PROJECT, "Delegating");
      await session.say("delegate");
      await session.permission.waitFor();
    },
  },
  {
    name: "permission",
    shows: "a change that waits for a yes",
    reach: async ({ app }) => {
      const session = await app.newSession(PROJECT, STORY_AGENT);
      await session.say(STORY.asks);
      await session.permission.waitFor();
    },
  },
  {
    name: "question",
    shows: "a form the agent asks to fill in",
    reach: async ({ app }) => {
      const session = await talkToGuide(app);
      await session.say("ask");
      await session.question.waitFor();
    },
  },
  {
    name: "question-wrong",
    shows: "a form with invalid answers",
    reach: async ({ app }) => {
      const session = await talkToGuide(app);
      await session.say("ask");
      await session.question.getByRole("button", { name: "Answer", exact: true }).click();
      await session.question.getByText(/answers? (is|are) invalid/).waitFor();
    },
  },
  {
    name: "queue",
    shows: "messages that wait for their turn",
    reach: async ({ app }) => {
      const session = await app.newSession(PROJECT, STORY_AGENT);
      await session.say(STORY.streams);
      await session.untilSaid("when the caller");
      for (const words of ["Then add jitter.", "And write it into the changelog."]) await session.say(words);
      await session.queued.nth(1).waitFor();
    },
  },
  {
    name: "queue-paused",
    shows: "messages that a stop holds back",
    reach: async ({ app }) => {
      const session = await app.newSession(PROJECT, STORY_AGENT);
      await session.say(STORY.streams);
      await session.untilSaid("when the caller");
      await session.say("Then add jitter.");
      await session.queued.waitFor();
      await session.cancel.click();
      await session.button("Resume").waitFor();
    },
  },
  {
    name: "mention",
    shows: "a file being named",
    reach: async ({ app }) => {
      const session = await talkToGuide(app);
      await session.message.pressSequentially("Look at @back");
      await session.frame.getByRole("listbox", { name: "Files" }).getByRole("option").first().waitFor();
    },
  },
  {
    name: "commands",
    shows: "the agent's commands",
    reach: async ({ app }) => {
      const session = await talkToGuide(app);
      await session.message.pressSequentially("/");
      await session.frame.getByRole("option").first().waitFor();
    },
  },
  {
    name: "output",
    shows: "a long output, whole",
    reach: async ({ app }) => {
      const session = await talkToGuide(app);
      await session.ask("scenario long-output", "That was long.");
      await session
        .entries("tool-call")
        .getByRole("button", { name: /^Print/ })
        .click();
      await session
        .entries("tool-call")
        .getByRole("button", { name: /Show all/ })
        .click();
      await app.page.getByRole("dialog").getByText("32,000 lines").waitFor();
    },
  },
  {
    name: "permissions",
    shows: "what this session may do without asking",
    reach: async ({ app }) => {
      const session = await talkToGuide(app);
      await session.button("Permissions").click();
      const dialog = app.dialog("Permissions");
      await dialog.getByRole("combobox", { name: "In this session" }).and(dialog.locator(":enabled")).waitFor();
    },
  },
  {
    name: "export",
    shows: "the choice of a form to keep a session in",
    reach: async (stage) => {
      const session = await tellStory(stage);
      await session.button("Export").click();
      await stage.app.page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "log",
    shows: "what went over the wire",
    reach: async (stage) => {
      const session = await tellStory(stage);
      await session.button("Show log").click();
      await stage.app.page.getByRole("dialog").getByText("session/prompt").first().waitFor();
    },
  },
];
