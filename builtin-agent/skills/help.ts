import { helpText } from "./help-text.ts";
import { isEmpty, type Skill } from "./skill.ts";

/** The first page a new user sees; it lists the skills it is given, so it cannot fall behind them. */
export function makeHelp(skills: () => readonly Skill[]): Skill {
  return {
    name: "help",
    usage: "help",
    summary: "Shows this page.",
    accepts: isEmpty,
    run: (turn) => turn.say(helpText(skills(), turn.isDetailed)),
  };
}
