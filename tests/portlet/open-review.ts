import type { OpenPortlet } from "./open-portlet.ts";
import type { ReviewScene } from "./review-scene.ts";
import { history, SESSION } from "./scene.ts";

type Portlet = Pick<OpenPortlet, "page" | "frame" | "show">;

/** Answers what the Changes view asks, from a review that is played in memory. */
export async function playReview({ page }: Pick<Portlet, "page">, scene: ReviewScene): Promise<void> {
  await page.exposeFunction("answerRequest", (text: string) => {
    const { id, command } = JSON.parse(text);
    return JSON.stringify({ type: "portlet:answer", id, ...scene.answer(command) });
  });
  await page.evaluate(`addEventListener("message", async ({ data }) => {
    if (data.type === "portlet:request") post([JSON.parse(await answerRequest(JSON.stringify(data)))]);
  })`);
}

/** Opens the Changes view of a frame on a review that is played in memory. */
export async function openReview({ page, frame, show }: Portlet, scene: ReviewScene): Promise<void> {
  await playReview({ page }, scene);
  await show(SESSION, history([], { changes: { files: scene.files.size, added: 1, removed: 1 } }));
  await frame.getByRole("log", { name: "Transcript" }).press("g");
  await frame.getByRole("complementary", { name: "Changes" }).waitFor();
}
