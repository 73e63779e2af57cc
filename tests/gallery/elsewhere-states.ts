import type { HeldConversation } from "../support/held-conversation.ts";
import { CODEX_AGENT, CODEX_BACKGROUND, holdCodexThread } from "../support/scripted-codex.ts";
import type { GalleryStage, GalleryState } from "./gallery-state.ts";
import { PROJECT } from "./seed-workspace.ts";

const server = { agents: { codex: CODEX_AGENT } };
/** What the state before has left open: several states share a server. */
let held: HeldConversation | null = null;

async function hold(stage: GalleryStage, words: readonly string[] = []): Promise<void> {
  held = await holdCodexThread(stage.server, words);
}

async function talked({ app }: GalleryStage) {
  await held?.[Symbol.asyncDispose]();
  held = null;
  const session = await app.newSession(PROJECT, "Codex");
  await session.ask("Say one", "The first answer.");
  return session;
}

/** Conversations that are continued in a terminal. */
export const ELSEWHERE_STATES: readonly GalleryState[] = [
  {
    name: "open-elsewhere",
    shows: "a message to a conversation that another program has open",
    server,
    reach: async (stage) => {
      const session = await talked(stage);
      await hold(stage);
      await session.message.fill("Say two");
      await session.message.press("Enter");
      await session.button("Send when closed").waitFor();
    },
  },
  {
    name: "open-in-background",
    shows: "a message to a conversation that Codex's background server has open",
    server,
    reach: async (stage) => {
      const session = await talked(stage);
      await hold(stage, CODEX_BACKGROUND);
      await session.message.fill("Say two");
      await session.message.press("Enter");
      const card = session.frame.getByRole("region", { name: "Open in another program" });
      await card.getByText("Codex's background server").waitFor();
    },
  },
  {
    name: "waits-elsewhere",
    shows: "a message that is sent when another program has closed the conversation, which is followed",
    server,
    reach: async (stage) => {
      const session = await talked(stage);
      await hold(stage);
      await session.message.fill("Say two");
      await session.message.press("Enter");
      await session.button("Send when closed").click();
      await session.button("Follow").click();
      await session.button("Stop waiting").waitFor();
    },
  },
  {
    name: "hand-back",
    shows: "the command that continues a conversation in a terminal",
    server,
    reach: async (stage) => {
      const session = await talked(stage);
      await session.button("Continue in a terminal").click();
      await stage.app.page.getByRole("dialog").getByText("codex resume").waitFor();
    },
  },
  {
    name: "hand-back-question",
    shows: "a hand-back while the agent works",
    server,
    reach: async (stage) => {
      const session = await talked(stage);
      await session.say("Begin");
      await session.untilSaid("Begun.");
      await session.button("Continue in a terminal").click();
      await stage.app.page.getByRole("dialog").getByText("is still working").waitFor();
    },
  },
  {
    name: "handed-back",
    shows: "a session that continues in a terminal",
    server,
    reach: async (stage) => {
      const session = await talked(stage);
      await session.button("Continue in a terminal").click();
      const dialog = stage.app.page.getByRole("dialog");
      await dialog.getByText("codex resume").waitFor();
      await dialog.getByRole("button", { name: "Close", exact: true }).last().click();
      await session.frame.getByRole("region", { name: "Continues in a terminal" }).waitFor();
    },
  },
];
