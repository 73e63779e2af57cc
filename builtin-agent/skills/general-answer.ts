import { describeAttachments } from "../turn/describe-attachments.ts";
import type { Turn } from "../turn/turn.ts";
import type { Skill } from "./skill.ts";

/** For everything that is no command: friendly, short, and honest about what was seen. */
export function generalAnswer(turn: Turn, near: Skill | undefined): void {
  const seen = describeAttachments(turn.context.prompt);
  const lines = [
    ...(seen.length > 0 ? ["I received:", "", ...seen.map((line) => `- ${line}`), ""] : []),
    ...(near ? [`That is nearly \`${near.usage}\`: ${near.summary}`, ""] : []),
    "I am the built-in guide and have no model, so I only know a few words: `list`, `read <file>`, `search <text>`,",
    "`run <command>`, `plan`, `think` and some more. Say **`help`** to see them all.",
  ];
  if (turn.isDetailed) lines.push("", "For real work choose another agent; I am here to show you around.");
  turn.say(lines.join("\n"));
}
