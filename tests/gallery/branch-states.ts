import { SessionView } from "../e2e/session-view.ts";
import type { GalleryStage, GalleryState } from "./gallery-state.ts";
import { PROJECT } from "./seed-workspace.ts";

async function talked({ app }: GalleryStage): Promise<SessionView> {
  const session = await app.newSession(PROJECT);
  await session.ask("stream 12 words", "w12");
  return session;
}

/** By an event, not a key: a session that has just been opened may give the keyboard to its composer meanwhile. */
async function pressBranch(source: SessionView): Promise<void> {
  const button = source.entries("assistant").first().getByRole("button", { name: "Branch from here" });
  await button.dispatchEvent("click");
}

/** A branch whose agent got a context pack. */
async function branched(stage: GalleryStage): Promise<SessionView> {
  const source = await talked(stage);
  await pressBranch(source);
  const other = stage.app.page.locator(`iframe[data-session-id]:visible:not([data-session-id="${source.id}"])`);
  await other.waitFor();
  const branch = new SessionView(stage.app.page, (await other.getAttribute("data-session-id")) ?? "");
  await branch.ask("stream 5 words", "w5");
  await branch.frame.getByRole("button", { name: "The agent was told 1 turn" }).waitFor();
  return branch;
}

/** Conversations that start with another one's messages. */
export const BRANCH_STATES: readonly GalleryState[] = [
  {
    name: "branch",
    shows: "a branch, where it is from, and how much its agent was told",
    // Two tabs have one name.
    isLast: true,
    reach: async (stage) => {
      await branched(stage);
    },
  },
  {
    name: "branch-point",
    shows: "the sessions that began at an answer, in the menu of its chip",
    isLast: true,
    reach: async (stage) => {
      const source = await talked(stage);
      const answer = source.entries("assistant").first();
      const other = stage.app.page.locator(`iframe[data-session-id]:visible:not([data-session-id="${source.id}"])`);
      for (const chip of ["1 branch: open", "2 branches"]) {
        await pressBranch(source);
        await other
          .contentFrame()
          .getByRole("button", { name: /^Branch from .*: open it/ })
          .click();
        await source.iframe.waitFor({ state: "visible" });
        await answer.getByRole("button", { name: chip }).waitFor();
      }
      await answer.getByRole("button", { name: "2 branches" }).click();
      await source.frame.getByRole("menu", { name: "Branches from here" }).waitFor();
    },
  },
  {
    name: "agent-menu",
    shows: "where a conversation can continue, in the menu of the composer's agent mark",
    reach: async (stage) => {
      const session = await talked(stage);
      await session.frame.getByRole("button", { name: /^Agent: / }).click();
      await session.frame.getByRole("menuitem", { name: "Continue with…" }).waitFor();
    },
  },
  {
    name: "branch-told",
    shows: "exactly what the agent of a branch was told",
    isLast: true,
    reach: async (stage) => {
      const branch = await branched(stage);
      await branch.frame.getByRole("button", { name: "The agent was told 1 turn" }).click();
      await stage.app.page.getByText("# The conversation so far").waitFor();
    },
  },
  {
    name: "edit-in-place",
    shows: "an earlier message that is edited in its place",
    reach: async (stage) => {
      const session = await talked(stage);
      await session.entries("user").first().getByRole("button", { name: "Edit and resend" }).press("Enter");
      await session.frame.getByRole("textbox", { name: "Edited message" }).waitFor();
    },
  },
  {
    name: "continue-with",
    shows: "handing a session over to another agent",
    reach: async (stage) => {
      const session = await talked(stage);
      await session.message.press("Alt+h");
      const dialog = stage.app.page.getByRole("dialog");
      await dialog.getByText("it gets 1 turn").waitFor();
    },
  },
];
