import type { PlanEntry } from "@agentclientprotocol/sdk";
import { isEmpty, type Skill } from "./skill.ts";

const STEP_PAUSE_MS = 80;
const STEPS: readonly Pick<PlanEntry, "content" | "priority">[] = [
  { content: "Write the steps down", priority: "high" },
  { content: "Work through them one by one", priority: "medium" },
  { content: "Look back at what was done", priority: "low" },
];

/** A plan with `done` completed steps; the next one is in progress. */
export function planEntries(done: number): PlanEntry[] {
  return STEPS.map((step, index) => ({
    ...step,
    status: index < done ? "completed" : index === done ? "in_progress" : "pending",
  }));
}

/** Works through a plan. */
export const plan: Skill = {
  name: "plan",
  usage: "plan",
  summary: "Makes a plan of three steps and works through it.",
  accepts: isEmpty,
  async run(turn) {
    turn.say("Here is my plan.");
    for (let done = 0; done <= STEPS.length; done += 1) {
      turn.update({ sessionUpdate: "plan", entries: planEntries(done) });
      if (done < STEPS.length) await turn.pause(STEP_PAUSE_MS);
    }
    turn.say(turn.isDetailed ? "All three steps are done; each change replaced the whole plan." : "Done.");
  },
};
