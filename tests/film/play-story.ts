import type { ModelServer } from "../agents/model-server/model-server.ts";
import type { AppPage } from "../e2e/app-page.ts";
import { Camera, type Frame } from "./camera.ts";
import { ANSWER_PIECES, DESCRIBE, FIX, holdAfter, lastWord } from "./film-model.ts";

/** From the first start to a merge, by mouse and keyboard. */
export async function playStory(app: AppPage, model: ModelServer, project: string): Promise<readonly Frame[]> {
  const camera = new Camera(app.page);
  await start(app, camera, project);
  await answerAndRead(app, camera, model);
  await review(app, camera);
  await startInWorktree(app, camera, project);
  await merge(app, camera, project);
  return camera.frames;
}

async function start({ page }: AppPage, camera: Camera, project: string): Promise<void> {
  camera.caption = "Pick a directory and say what you want";
  const first = page.getByRole("textbox", { name: "First message" });
  const directory = page.getByRole("option", { name: project });
  await directory.waitFor();
  await camera.show(900);
  await camera.press(directory);
  await page.getByRole("textbox", { name: "Directory" }).waitFor();
  await camera.show(240);
  await first.focus();
  await camera.type(first, FIX);
  await camera.show(400);
  await first.press("Enter");
}

async function answerAndRead(app: AppPage, camera: Camera, model: ModelServer): Promise<void> {
  const session = await app.shownSession();
  camera.caption = "The agent asks before it changes a file";
  await session.permission.waitFor();
  await camera.show(1_400);
  await camera.press(session.permission.getByRole("button", { name: /Always allow edits/ }));
  camera.caption = "Answers stream in; tool calls are quiet lines";
  for (const [at, piece] of ANSWER_PIECES.entries()) {
    await model.untilHeld(holdAfter(at));
    await session.untilSaid(lastWord(piece));
    await camera.show(110);
    model.release(holdAfter(at));
  }
  await session.untilIdle();
  await session.entries("changes").waitFor();
  await camera.show(900);
}

async function review(app: AppPage, camera: Camera): Promise<void> {
  const session = await app.shownSession();
  camera.caption = "Review every change: keep it, discard it, remark on it";
  await camera.press(session.transcript.getByRole("button", { name: /^Review/ }));
  const hunks = session.frame.locator(".hunk");
  await session.frame.locator(".hunk[aria-current] .hljs-keyword").first().waitFor();
  await camera.show(1_000);
  await camera.press(hunks.first().getByRole("button", { name: /^Keep/ }));
  await session.frame.getByText("Kept", { exact: true }).first().waitFor();
  await camera.show(1_000);
}

async function startInWorktree(app: AppPage, camera: Camera, project: string): Promise<void> {
  camera.caption = "A second agent works beside it, in its own worktree";
  await camera.press(app.projects.getByRole("button", { name: `New session in ${project}`, exact: true }));
  const form = app.dialog("New session");
  await form.getByText("on main").waitFor();
  await camera.show(300);
  await form.getByRole("combobox", { name: /^Permissions of/ }).selectOption({ label: "Allow everything" });
  await camera.press(form.getByRole("radio", { name: "In its own worktree" }));
  await form.getByRole("radio", { name: "In its own worktree", checked: true }).waitFor();
  const message = form.getByRole("textbox", { name: "First message" });
  await message.focus();
  await camera.type(message, DESCRIBE);
  await camera.show(300);
  await message.press("Enter");
  await form.waitFor({ state: "hidden" });
  const session = await app.shownSession();
  await session.untilSaid("committed on this branch");
  await session.untilIdle();
  await session.entries("changes").waitFor();
  await camera.show(1_300);
}

async function merge(app: AppPage, camera: Camera, project: string): Promise<void> {
  camera.caption = "Its branch is merged in two clicks";
  await camera.press(app.projects.getByRole("button", { name: `Worktrees of ${project}` }));
  const row = app.page.locator(".worktrees-page").getByRole("row", { name: new RegExp(DESCRIBE.slice(0, 20)) });
  const button = row.getByRole("button", { name: /^Merge / });
  await button.waitFor();
  await camera.show(600);
  await camera.press(button);
  const dialog = app.page.getByRole("dialog");
  await dialog.getByText("Merges cleanly").waitFor();
  await camera.show(900);
  await camera.press(dialog.getByRole("button", { name: "Merge into main" }));
  await dialog.getByText("Merged into main.").waitFor();
  await camera.hidePointer();
  await camera.show(1_800);
}
