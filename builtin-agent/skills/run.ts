import { runInTerminal } from "../commands/run-in-terminal.ts";
import { runWithOutput } from "../commands/run-with-output.ts";
import { askPermission } from "../turn/ask-permission.ts";
import type { TerminalExit } from "../turn/client.ts";
import { ToolCall } from "../turn/tool-call.ts";
import { isGiven, type Skill } from "./skill.ts";

/** A shell command, after a question: in the client's terminal where there is one, else in a process of our own. */
export const run: Skill = {
  name: "run",
  usage: "run <command>",
  summary: "Runs a shell command here, after asking you.",
  hint: "<command>",
  accepts: isGiven,
  async run(turn, command) {
    const rawInput = { command, cwd: turn.cwd };
    const tool = new ToolCall(turn, { title: command, name: "run", kind: "execute", rawInput });
    const permission = await askPermission(turn, tool, "execute");
    if (permission !== "allowed") {
      tool.fail(permission === "rejected" ? "Rejected." : "Commands are off in read-only mode.");
      return turn.say(permission === "rejected" ? "All right, I did not run it." : "I am in read-only mode.");
    }
    const start = turn.context.client.capabilities.terminal ? runInTerminal : runWithOutput;
    const exit = await start(turn, tool, command);
    turn.say(verdict(exit, turn.isDetailed ? ` \`${command}\`` : ""));
  },
};

function verdict(exit: TerminalExit, command: string): string {
  if (exit.signal !== null) return `The command${command} was ended by ${exit.signal}.`;
  return exit.exitCode === 0
    ? `The command${command} succeeded.`
    : `The command${command} ended with exit code ${exit.exitCode}.`;
}
