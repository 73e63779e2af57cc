import { runAsked } from "../deeds/run-asked.ts";
import type { TerminalExit } from "../turn/client.ts";
import { isGiven, type Skill } from "./skill.ts";

/** A shell command, after a question. */
export const run: Skill = {
  name: "run",
  usage: "run <command>",
  summary: "Runs a shell command here, after asking you.",
  hint: "<command>",
  accepts: isGiven,
  async run(turn, command) {
    const end = await runAsked(turn, command);
    if (end === "rejected") return turn.say("All right, I did not run it.");
    if (end === "read-only") return turn.say("I am in read-only mode.");
    turn.say(verdict(end, turn.isDetailed ? ` \`${command}\`` : ""));
  },
};

function verdict(exit: TerminalExit, command: string): string {
  if (exit.signal !== null) return `The command${command} was ended by ${exit.signal}.`;
  return exit.exitCode === 0
    ? `The command${command} succeeded.`
    : `The command${command} ended with exit code ${exit.exitCode}.`;
}
